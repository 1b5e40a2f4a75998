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

/** The floors below the apps. */
const FLOORS = ['base', 'wire', 'text', 'policy', 'hosts', 'tools', 'runner', 'config'] as const;

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
      'text/kind.ts',
      'text/kinds/jsonc',
      'text/kinds/jsonl',
      'text/kinds/markdown',
      'text/kinds/yaml',
      'text/kinds/dotenv',
    ],
    why: 'the registry knows the kinds, and no kind knows the registry',
  },
  {
    name: 'text/kind.ts',
    may: ['base', 'text/lines', 'text/json', 'text/address'],
    why: 'the shape of a kind is known by every kind and knows none of them',
  },
  {
    name: 'text/kinds/jsonc',
    may: ['base', 'text/lines', 'text/json', 'text/scan', 'text/address', 'text/kind.ts'],
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
      'text/kind.ts',
      'text/kinds/jsonc',
      'text/walk',
    ],
    why: 'a line is a JSONC document, and the stream decides predicates itself to skip lines unread',
  },
  {
    name: 'text/kinds/markdown',
    may: ['base', 'text/lines', 'text/json', 'text/kind.ts', 'text/kinds/yaml'],
    why: 'a kind knows its own syntax; frontmatter is YAML',
  },
  {
    name: 'text/kinds/yaml',
    may: ['base', 'text/lines', 'text/json', 'text/kind.ts'],
    packages: ['yaml'],
    why: 'a kind knows its own syntax; the yaml package stays behind this wall and is loaded at the moment of need',
  },
  {
    name: 'text/kinds/dotenv',
    may: ['base', 'text/lines', 'text/json', 'text/kind.ts'],
    why: 'a kind knows its own syntax',
  },
  {
    name: 'text/walk',
    may: ['base', 'text/lines', 'text/address', 'text/kind.ts'],
    why: 'wildcards, predicates and ordinals are written once, over the shape of a kind',
  },
  {
    name: 'text/path',
    may: ['base', 'text/lines', 'text/json', 'text/address', 'text/scan', 'text/kind.ts', 'text/kinds', 'text/walk'],
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
  { name: 'hosts/files/shape.ts', may: ['base', 'wire'], why: 'the shape of files has no implementation in it' },
  { name: 'hosts/media.ts', may: [], why: 'the shape of what turns pictures into content has no implementation in it' },
  {
    name: 'hosts/media',
    may: ['base', 'hosts/media.ts'],
    packages: ['sharp', 'unpdf'],
    machine: true,
    why: 'heavy packages stay behind this wall and are loaded at the moment of need',
  },
  {
    name: 'hosts/host.ts',
    may: ['base', 'wire', 'hosts/approvals/shape.ts'],
    why: 'the shape of a host has no implementation in it',
  },
  {
    name: 'hosts/relative-inside.ts',
    may: ['base'],
    machine: true,
    why: 'whether a path is in a folder is asked everywhere, and asks for nothing',
  },
  {
    name: 'hosts/buffer-pool.ts',
    may: [],
    machine: true,
    why: 'memory is used again by channels and logs, which do not know each other',
  },
  {
    name: 'hosts/read-into.ts',
    may: [],
    machine: true,
    why: 'connections of programs and of nodes are read in the same way, and know nothing of each other',
  },
  {
    name: 'hosts/channel',
    may: ['base', 'wire', 'hosts/buffer-pool.ts', 'hosts/channel/carriers'],
    machine: true,
    why: 'a channel carries calls and streams, and knows neither end of it',
  },
  {
    name: 'hosts/channel/carriers',
    may: ['base', 'hosts/buffer-pool.ts', 'hosts/read-into.ts'],
    packages: ['ws', '@nats-io/transport-node'],
    machine: true,
    why: 'a carrier transports messages between machines, and knows neither their meaning nor who sends them',
  },
  {
    name: 'hosts/identity',
    may: ['base', 'wire', 'hosts/channel/carriers', 'hosts/files'],
    machine: true,
    why: 'who is at the other end is proved here, before any call',
  },
  {
    name: 'hosts/obeyed',
    may: ['base', 'wire', 'policy/glob.ts', 'hosts/relative-inside.ts'],
    machine: true,
    why: 'what other programs obey is found by reading files, whoever asks',
  },
  {
    name: 'hosts/process',
    may: ['base', 'wire', 'hosts/channel', 'hosts/obeyed', 'hosts/read-into.ts', 'hosts/relative-inside.ts'],
    packages: ['@lydell/node-pty'],
    machine: true,
    why: 'starting and ending programs knows no sandbox, no session and no rule',
  },
  {
    name: 'hosts/files',
    may: ['base', 'wire', 'text', 'hosts/obeyed', 'hosts/process', 'hosts/files/shape.ts', 'hosts/relative-inside.ts'],
    packages: ['picomatch'],
    machine: true,
    why: 'files know who obeys them and which processes live, and nothing of what runs',
  },
  {
    name: 'hosts/database',
    may: ['base', 'hosts/files'],
    packages: ['libsql'],
    machine: true,
    why: 'a store knows no questions and no sessions',
  },
  {
    name: 'hosts/approvals',
    may: ['base', 'wire', 'text', 'policy', 'hosts/database', 'hosts/files'],
    machine: true,
    why: 'questions and rules are kept here; what runs is decided above',
  },
  {
    name: 'hosts/logins',
    may: ['base', 'wire', 'hosts/database'],
    machine: true,
    why: 'who may use the control page is kept here; what a role may do is decided by the page server',
  },
  {
    name: 'hosts/sessions',
    may: ['base', 'wire', 'text', 'hosts/buffer-pool.ts', 'hosts/process'],
    packages: ['@xterm/headless'],
    machine: true,
    why: 'a session holds what a runner started, and does not know its host',
  },
  {
    name: 'hosts/steps',
    may: ['base', 'wire', 'policy/steps/redirections.ts', 'hosts/files', 'hosts/obeyed', 'hosts/process'],
    machine: true,
    why: 'a step runs what a judgement gave it, and knows no rule and no session',
  },
  {
    name: 'hosts/workers',
    may: ['base', 'wire', 'hosts/files', 'hosts/process'],
    machine: true,
    why: 'a worker runs tasks, whatever they are',
  },
  {
    name: 'hosts/tool-calls',
    may: ['base', 'wire', 'hosts/channel'],
    machine: true,
    why: 'the result of a tool on another host is read with the same suspicion, whichever host it is',
  },
  {
    name: 'hosts/sandbox',
    may: [
      'base',
      'wire',
      'text',
      'hosts/channel',
      'hosts/tool-calls',
      'hosts/files',
      'hosts/obeyed',
      'hosts/process',
      'hosts/relative-inside.ts',
    ],
    machine: true,
    why: 'a sandbox knows no policy and no session: it is the boundary',
  },
  {
    name: 'hosts/nodes',
    may: [
      'base',
      'wire',
      'policy/node-match.ts',
      'hosts/channel',
      'hosts/database',
      'hosts/files',
      'hosts/identity',
      'hosts/process',
      'hosts/tool-calls',
    ],
    packages: ['@nats-io/kv'],
    machine: true,
    why: 'which machines may connect is decided here; what runs on them is decided above',
  },
  {
    name: 'hosts/gateway',
    may: [
      'base',
      'wire',
      'text',
      'policy',
      'hosts/host.ts',
      'hosts/approvals',
      'hosts/files',
      'hosts/identity',
      'hosts/logins',
      'hosts/nodes',
      'hosts/obeyed',
      'hosts/process',
      'hosts/sandbox',
      'hosts/sessions',
      'hosts/steps',
      'hosts/relative-inside.ts',
    ],
    machine: true,
    why: 'the gateway puts the rooms of hosts together, and knows neither tools, configuration nor programs above them',
  },
  {
    name: 'runner',
    may: ['base', 'wire', 'text', 'policy', 'hosts', 'tools', 'runner'],
    packages: ['@lydell/node-pty', 'file-type'],
    machine: true,
    why: 'the programs that start commands and run tools where the files are, on this machine and in a sandbox',
  },
  {
    name: 'tools',
    may: ['base', 'wire', 'text', 'policy', 'hosts/files/shape.ts', 'hosts/media.ts'],
    packages: ['file-type'],
    why: 'a tool works on any host, so it sees the shape of a host and no implementation',
  },
  {
    name: 'config',
    may: ['base', 'wire', 'text', 'policy', 'hosts/files', 'hosts/sandbox/egress/patterns.ts'],
    packages: ['json5'],
    machine: true,
    why: 'configuration is what the operator said; it is the only reader of home and environment',
  },
  {
    name: 'apps',
    may: [...FLOORS, 'apps/client', 'apps/daemon', 'apps/worker'],
    machine: true,
    why: 'apps are the ways in: they may see every room, and no room may see them',
  },
  {
    name: 'apps/terminal',
    may: ['base', 'wire', 'apps/*'],
    machine: true,
    why: 'what is printed on a terminal passes here, whichever program prints it',
  },
  {
    name: 'apps/daemon',
    may: [...FLOORS, 'apps/*'],
    machine: true,
    why: 'the daemon serves a gateway and knows no client',
  },
  {
    name: 'apps/client',
    may: ['base', 'wire', 'config', 'hosts/channel', 'hosts/files', 'apps/*', 'apps/daemon'],
    machine: true,
    why: 'a client finds and starts the daemon',
  },
  {
    name: 'apps/worker',
    may: [...FLOORS, 'apps/*', 'apps/client'],
    machine: true,
    why: 'heavy calls are counted and handed to processes here',
  },
  {
    name: 'apps/library',
    may: [...FLOORS, 'apps/*'],
    machine: true,
    why: 'the library is a way in for programs, without a command line',
  },
  {
    name: 'apps/adapters',
    may: ['base', 'wire', 'tools', 'apps/library'],
    why: "an adapter gives the library's tools the shape of another package",
  },
  {
    name: 'apps/init',
    may: [...FLOORS, 'apps/*', 'apps/client'],
    packages: ['json5'],
    machine: true,
    why: "clients' own files are read and changed here, and only they are JSON5",
  },
  {
    name: 'apps/mcp',
    may: [...FLOORS, 'apps/*', 'apps/worker'],
    packages: ['@modelcontextprotocol/server', 'zod'],
    machine: true,
    why: 'the protocol package stays behind this wall, and is loaded when a client speaks',
  },
  {
    name: 'apps/hook',
    may: [...FLOORS, 'apps/*', 'apps/init', 'apps/mcp'],
    machine: true,
    why: 'a hook answers the question of one client, and knows how that client is set up',
  },
  {
    name: 'apps/serve',
    may: [...FLOORS, 'apps/*', 'apps/client', 'apps/daemon', 'apps/init', 'apps/mcp', 'apps/terminal'],
    packages: ['@modelcontextprotocol/server', 'hono', '@hono/node-server', 'prom-client', 'ws'],
    machine: true,
    why: 'what answers HTTP stays behind this wall, and knows no command line',
  },
  {
    name: 'apps/node',
    may: [...FLOORS, 'apps/*', 'apps/daemon', 'apps/serve/acquire-gateway.ts'],
    machine: true,
    why: 'a node serves its gateway over a link, and knows no command line',
  },
  {
    name: 'apps/cli',
    may: [...FLOORS, 'apps'],
    machine: true,
    why: 'the command line is the only way in that knows all others',
  },
  {
    name: 'apps/cli/init',
    may: [...FLOORS, 'apps'],
    packages: ['@clack/prompts'],
    machine: true,
    why: 'the questions of the wizard stay behind this wall, and are loaded when a person is asked',
  },
  {
    name: 'apps/cli/allow',
    may: [...FLOORS, 'apps'],
    packages: ['@clack/prompts'],
    machine: true,
    why: 'the question about a rule stays behind this wall, and is loaded when a person is asked',
  },
  {
    name: 'page',
    may: ['base', 'wire'],
    packages: ['preact', '@preact/signals', '@xterm/xterm'],
    why: 'the control page runs in a browser, and knows the gateway only by what crosses the wire',
  },
  { name: 'index.ts', may: ['base', 'text'], why: "the library's door is browser-safe" },
];

/** Programs may read the environment; below them only config may, so that a host can be tested without one. */
export const READERS_OF_ENVIRONMENT = [
  'config',
  'apps',
  'runner/main.ts',
  'hosts/process/programs/own-packages.ts',
  'hosts/obeyed/home.ts',
];

/** Names that say nothing about what is inside. */
export const EMPTY_NAMES = ['utils', 'util', 'helpers', 'helper', 'common', 'core', 'manager', 'service', 'misc'];

/** No folder of src has more files. */
export const MOST_FILES = 24;

/** Files that may be longer than 400 lines, each with its reason. */
export const LONG_FILES: Readonly<Record<string, string>> = {};

export function roomOf(path: string): Room | undefined {
  let found: Room | undefined;
  for (const room of ROOMS) {
    if (isWithin(path, room.name) && room.name.length > (found?.name.length ?? -1)) found = room;
  }
  return found;
}

/** Whether a path is a room's own file or stands below it; `apps/*` are the files of a folder without those below. */
export function isWithin(path: string, room: string): boolean {
  if (room.endsWith('/*')) return path.slice(0, path.lastIndexOf('/')) === room.slice(0, -2);
  return path === room || path.startsWith(`${room}/`);
}
