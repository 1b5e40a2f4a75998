/**
 * The supported clients: the paths of their configuration files, and the format of an MCP server entry in them. Used by
 * `pincer init`, `pincer serve` and `pincer doctor`.
 */
import { join } from 'node:path';
import { type InactiveHook, type PlacedHook, untrustedByCodex } from './codex-trust.ts';

export type ClientName = 'claude-code' | 'codex' | 'gemini' | 'opencode' | 'cursor' | 'openclaw';
export type Scope = 'project' | 'user';

/** The name of pincer's entry among a client's servers. */
export const SERVER_NAME = 'pincer';
/** The variable with the token of `pincer serve`; the token itself is in no file of a client. */
export const TOKEN_VARIABLE = 'PINCER_TOKEN';

/** How a client reaches pincer: it starts the program, or connects to a running server. */
export type Server =
  | { readonly transport: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly transport: 'http'; readonly url: string };

/** An entry in the format of the client's documentation. */
export type Entry = Readonly<Record<string, string | boolean | readonly string[] | Readonly<Record<string, string>>>>;

/** Where to look for the files of clients. */
export interface Surroundings {
  /** The folder of the project. */
  readonly folder: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The hooks of a client that can ask pincer's policy before a tool call. */
export interface ClientHooks {
  file(scope: Scope, at: Surroundings): string;
  /** The client's name for the event before a tool call. */
  readonly event: string;
  /** Further members of a hook entry beside the command. */
  readonly options: Readonly<Record<string, string | number>>;
  /** Why the client does not run this hook; undefined if it does. */
  inactive?(placed: PlacedHook, file: string, at: Surroundings): InactiveHook | undefined;
}

export interface Client {
  readonly name: ClientName;
  /** The vendor's spelling of the name. */
  readonly title: string;
  /** The program on PATH. */
  readonly program: string;
  readonly format: 'jsonc' | 'json5' | 'toml';
  /** The supported scopes; the first is the default. */
  readonly scopes: readonly [Scope, ...Scope[]];
  /** The members that lead to the servers. */
  readonly at: readonly string[];
  /** The files of this scope. The last existing one is used; if none exists, the first is created. */
  files(scope: Scope, at: Surroundings): readonly [string, ...string[]];
  entry(server: Server): Entry;
  /** The workspace of the server if the client's current directory is not usable. */
  workspace?(at: Surroundings): string;
  readonly hooks?: ClientHooks;
  /** Printed after the file was written. */
  readonly note?: Partial<Readonly<Record<Scope, string>>>;
}

/** Disables only Codex's question before each call of a server's tool, not its sandbox. */
const APPROVE = 'default_tools_approval_mode = "approve" under [mcp_servers.pincer]';

const bearer = (reference: string) => ({ Authorization: `Bearer ${reference}` });

/** In display order. */
export const CLIENTS: readonly Client[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    program: 'claude',
    format: 'jsonc',
    scopes: ['project', 'user'],
    at: ['mcpServers'],
    files: (scope, { folder, home, env }) => [
      scope === 'project' ? join(folder, '.mcp.json') : join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'),
    ],
    entry: (server) =>
      server.transport === 'stdio'
        ? { type: 'stdio', command: server.command, args: server.args }
        : { type: 'http', url: server.url, headers: bearer(`\${${TOKEN_VARIABLE}}`) },
    hooks: {
      file: (scope, { folder, home, env }) =>
        scope === 'project'
          ? join(folder, '.claude', 'settings.json')
          : join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json'),
      event: 'PreToolUse',
      // Seconds, far above the deadline of the hook itself. Claude Code supports onFailure since 2.1.295.
      options: { timeout: 600, onFailure: 'block' },
    },
    note: { project: 'Claude Code asks once whether the servers of this project may be used' },
  },
  {
    name: 'codex',
    title: 'Codex',
    program: 'codex',
    format: 'toml',
    scopes: ['user', 'project'],
    at: ['mcp_servers'],
    files: (scope, { folder, home, env }) => [
      scope === 'project'
        ? join(folder, '.codex', 'config.toml')
        : join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
    ],
    entry: (server) =>
      server.transport === 'stdio'
        ? { command: server.command, args: server.args }
        : { url: server.url, bearer_token_env_var: TOKEN_VARIABLE },
    hooks: {
      file: (scope, { folder, home, env }) =>
        join(scope === 'project' ? join(folder, '.codex') : env['CODEX_HOME'] || join(home, '.codex'), 'hooks.json'),
      event: 'PreToolUse',
      // Seconds, far above the deadline of the hook itself: Codex allows the call if the hook times out.
      options: { timeout: 600 },
      inactive: untrustedByCodex,
    },
    note: {
      user: `Codex asks before it calls pincer's tools; to let it call them without asking: ${APPROVE}`,
      project: `Codex reads project configuration only in trusted projects; to let it call pincer's tools without asking: ${APPROVE}`,
    },
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    program: 'gemini',
    format: 'jsonc',
    scopes: ['project', 'user'],
    at: ['mcpServers'],
    files: (scope, { folder, home }) => [join(scope === 'project' ? folder : home, '.gemini', 'settings.json')],
    entry: (server) =>
      server.transport === 'stdio'
        ? { command: server.command, args: server.args }
        : { httpUrl: server.url, headers: bearer(`\${${TOKEN_VARIABLE}}`) },
    hooks: {
      file: (scope, { folder, home }) => join(scope === 'project' ? folder : home, '.gemini', 'settings.json'),
      event: 'BeforeTool',
      // Milliseconds, far above the deadline of the hook itself: Gemini CLI allows the call if the hook times out.
      options: { name: 'pincer', timeout: 600_000 },
    },
    note: { project: 'Gemini CLI reads the file of a project only where the folder is trusted' },
  },
  {
    name: 'opencode',
    title: 'opencode',
    program: 'opencode',
    format: 'jsonc',
    scopes: ['project', 'user'],
    at: ['mcp'],
    files: (scope, { folder, home, env }) => {
      const place = scope === 'project' ? folder : join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode');
      return [join(place, 'opencode.json'), join(place, 'opencode.jsonc')];
    },
    entry: (server) =>
      server.transport === 'stdio'
        ? { type: 'local', command: [server.command, ...server.args], enabled: true }
        : { type: 'remote', url: server.url, headers: bearer(`{env:${TOKEN_VARIABLE}}`), enabled: true },
  },
  {
    name: 'cursor',
    title: 'Cursor',
    program: 'cursor',
    format: 'jsonc',
    scopes: ['project', 'user'],
    at: ['mcpServers'],
    files: (scope, { folder, home }) => [join(scope === 'project' ? folder : home, '.cursor', 'mcp.json')],
    entry: (server) =>
      server.transport === 'stdio'
        ? { type: 'stdio', command: server.command, args: server.args }
        : { url: server.url, headers: bearer(`\${env:${TOKEN_VARIABLE}}`) },
    // Cursor starts servers in a folder of its choice, and replaces this variable by the open folder.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Cursor's own spelling
    workspace: () => '${workspaceFolder}',
  },
  {
    name: 'openclaw',
    title: 'OpenClaw',
    program: 'openclaw',
    format: 'json5',
    scopes: ['user'],
    at: ['mcp', 'servers'],
    files: (_, { home, env }) => [
      env['OPENCLAW_CONFIG_PATH'] || join(env['OPENCLAW_STATE_DIR'] || join(home, '.openclaw'), 'openclaw.json'),
    ],
    entry: (server) =>
      server.transport === 'stdio'
        ? { command: server.command, args: server.args }
        : { url: server.url, transport: 'streamable-http', headers: bearer(`\${${TOKEN_VARIABLE}}`) },
    // Its gateway runs as a service, whose current directory is not a workspace.
    workspace: ({ home, env }) => join(env['OPENCLAW_STATE_DIR'] || join(home, '.openclaw'), 'workspace'),
  },
];

export function clientNamed(name: string): Client | undefined {
  return CLIENTS.find((client) => client.name === name);
}
