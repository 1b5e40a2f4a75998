/**
 * The walls of the house: what each room may import from the others, which npm packages it may use, and whether it may
 * touch the machine (`node:`). The longest name that a file's path starts with is its room.
 */
export interface Room {
  readonly name: string;
  readonly may: readonly string[];
  readonly packages?: readonly string[];
  /** May import `node:*`. */
  readonly machine?: true;
  readonly why: string;
}

const PURE = 'it turns text into text and must run in a browser as it is';

export const ROOMS: readonly Room[] = [
  { name: 'base', may: [], why: 'all rooms stand on base, so base stands on nothing' },
  { name: 'wire', may: ['base'], why: 'wire is the vocabulary that crosses a boundary, so it knows neither side' },

  { name: 'text/lines', may: ['base'], packages: ['diff'], why: PURE },
  { name: 'text/json', may: ['base'], why: PURE },
  { name: 'text/address', may: ['base', 'text/lines'], why: 'an address is parsed without any document' },
  { name: 'text/scan', may: ['base', 'text/lines'], why: 'a scanner knows bytes, not kinds' },
  {
    name: 'text/kinds',
    may: [
      'base',
      'text/kinds/kind.ts',
      'text/kinds/jsonc',
      'text/kinds/jsonl',
      'text/kinds/markdown',
      'text/kinds/yaml',
      'text/kinds/dotenv',
    ],
    why: 'the registry knows the kinds, and no kind knows the registry',
  },
  {
    name: 'text/kinds/kind.ts',
    may: ['base', 'text/lines', 'text/json', 'text/address'],
    why: 'the shape of a kind is known by every kind and knows none of them',
  },
  {
    name: 'text/kinds/jsonc',
    may: ['base', 'text/lines', 'text/json', 'text/scan', 'text/address', 'text/kinds/kind.ts'],
    why: 'a kind knows its own syntax (and can follow one concrete address in bytes); wildcards and predicates are written once, in text/path',
  },
  {
    name: 'text/kinds/jsonl',
    may: [
      'base',
      'text/lines',
      'text/json',
      'text/scan',
      'text/address',
      'text/kinds/kind.ts',
      'text/kinds/jsonc',
      'text/path/walk.ts',
      'text/path/match.ts',
    ],
    why: 'a line is a JSONC document, and the stream decides predicates itself to skip lines unread',
  },
  {
    name: 'text/kinds/markdown',
    may: ['base', 'text/lines', 'text/json', 'text/kinds/kind.ts', 'text/kinds/yaml'],
    why: 'a kind knows its own syntax; frontmatter is YAML',
  },
  {
    name: 'text/kinds/yaml',
    may: ['base', 'text/lines', 'text/json', 'text/kinds/kind.ts'],
    packages: ['yaml'],
    why: 'a kind knows its own syntax; the yaml package stays behind this wall and is loaded at the moment of need',
  },
  {
    name: 'text/kinds/dotenv',
    may: ['base', 'text/lines', 'text/json', 'text/kinds/kind.ts'],
    why: 'a kind knows its own syntax',
  },
  {
    name: 'text/path',
    may: ['base', 'text/lines', 'text/json', 'text/address', 'text/scan', 'text/kinds'],
    why: 'the verbs work over any kind and touch no machine',
  },

  {
    name: 'text/encoding',
    may: ['base', 'text/lines'],
    packages: ['chardet'],
    why: 'bytes become text here, and nothing is known of files',
  },
  { name: 'text/secrets', may: [], why: 'a rule about the text of commands, the same wherever one is stored' },
  { name: 'text/nearest-names.ts', may: [], why: 'guesses at a name are the same for commands, settings and files' },
  { name: 'text/edit', may: ['base', 'text/lines', 'text/scan'], why: PURE },
  { name: 'text/patch', may: ['base', 'text/lines', 'text/edit'], why: PURE },

  {
    name: 'policy',
    may: ['base', 'wire'],
    packages: ['unbash'],
    why: 'policy decides from what it is given and touches nothing',
  },
  { name: 'hosts/host.ts', may: ['base', 'wire'], why: 'the shape of a host has no implementation in it' },
  { name: 'hosts/media.ts', may: [], why: 'the shape of what turns pictures into content has no implementation in it' },
  {
    name: 'hosts/media',
    may: ['base', 'hosts/media.ts'],
    packages: ['sharp', 'unpdf'],
    machine: true,
    why: 'heavy packages stay behind this wall and are loaded at the moment of need',
  },
  {
    name: 'hosts',
    may: ['base', 'wire', 'text', 'policy', 'hosts/host.ts'],
    packages: ['picomatch', '@lydell/node-pty', '@xterm/headless', 'libsql'],
    machine: true,
    why: 'hosts touch machines and know neither tools, configuration nor programs above them',
  },
  {
    name: 'hosts/sandbox/inside',
    may: ['base', 'wire', 'text', 'policy', 'hosts', 'tools'],
    packages: ['@lydell/node-pty', 'file-type'],
    machine: true,
    why: 'the agent inside of a sandbox is a program of its own: it starts commands and runs tools where the files are',
  },
  {
    name: 'tools',
    may: ['base', 'wire', 'text', 'policy', 'hosts/host.ts', 'hosts/media.ts'],
    packages: ['file-type'],
    why: 'a tool works on any host, so it sees the shape of a host and no implementation',
  },
  {
    name: 'config',
    may: ['base', 'wire', 'text', 'policy', 'hosts/files', 'hosts/sandbox/link/egress/patterns.ts'],
    packages: ['json5'],
    machine: true,
    why: 'configuration is what the operator said; it is the only reader of home and environment',
  },
  {
    name: 'apps',
    may: ['base', 'wire', 'text', 'policy', 'hosts', 'tools', 'config', 'apps'],
    machine: true,
    why: 'apps are the ways in: they may see every room, and no room may see them',
  },
  {
    name: 'apps/mcp',
    may: ['base', 'wire', 'text', 'policy', 'hosts', 'tools', 'config', 'apps'],
    packages: ['@modelcontextprotocol/server', 'zod'],
    machine: true,
    why: 'the protocol package stays behind this wall, and is loaded when a client speaks',
  },
  {
    name: 'apps/serve',
    may: ['base', 'wire', 'text', 'policy', 'hosts', 'tools', 'config', 'apps'],
    packages: ['@modelcontextprotocol/server', 'hono', '@hono/node-server', 'prom-client'],
    machine: true,
    why: 'what answers HTTP stays behind this wall',
  },
  {
    name: 'apps/init',
    may: ['base', 'wire', 'text', 'policy', 'hosts', 'tools', 'config', 'apps'],
    packages: ['json5'],
    machine: true,
    why: "only clients' own files are JSON5 here",
  },
  {
    name: 'apps/cli/init',
    may: ['base', 'wire', 'text', 'policy', 'hosts', 'tools', 'config', 'apps'],
    packages: ['@clack/prompts'],
    machine: true,
    why: 'the questions of the wizard stay behind this wall, and are loaded when a person is asked',
  },
  { name: 'apps/ui', may: ['base', 'wire'], why: 'the page runs in a browser and speaks to the gateway by wire only' },
  { name: 'index.ts', may: ['base', 'text'], why: "the library's door is browser-safe" },
];

/** Programs may read the environment; below them only config may, so that a host can be tested without one. */
export const READERS_OF_ENVIRONMENT = [
  'config',
  'apps',
  'hosts/sandbox/inside/main.ts',
  'hosts/process/own-packages.ts',
  'hosts/obeyed/home.ts',
];

/** Names that say nothing about what is inside. */
export const EMPTY_NAMES = ['utils', 'util', 'helpers', 'helper', 'common', 'core', 'manager', 'service', 'misc'];

/** Files that may be longer than 400 lines, each with its reason. */
export const LONG_FILES: Readonly<Record<string, string>> = {};

export function roomOf(path: string): Room | undefined {
  let found: Room | undefined;
  for (const room of ROOMS) {
    if (isWithin(path, room.name) && room.name.length > (found?.name.length ?? -1)) found = room;
  }
  return found;
}

/** Whether a path is a room's own file or stands below it. */
export function isWithin(path: string, room: string): boolean {
  return path === room || path.startsWith(`${room}/`);
}
