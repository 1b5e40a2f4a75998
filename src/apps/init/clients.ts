/**
 * The agents that Pincer can be put into: where each keeps its configuration, and what an entry for an MCP server looks like
 * there. `pincer init` writes from this table, `pincer serve` prints from it, and `pincer doctor` looks with it.
 */
import { join } from 'node:path';
import { type InactiveHook, type PlacedHook, untrustedByCodex } from './codex-trust.ts';

export type ClientName = 'claude-code' | 'codex' | 'gemini' | 'opencode' | 'cursor' | 'openclaw';
export type Scope = 'project' | 'user';

/** The name of our entry among a client's servers. */
export const SERVER_NAME = 'pincer';
/** The variable that a client takes the token of `pincer serve` from; the token itself stands in no file of a client. */
export const TOKEN_VARIABLE = 'PINCER_TOKEN';

/** How a client reaches us: it starts the program, or it speaks to one that runs. */
export type Server =
  | { readonly transport: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly transport: 'http'; readonly url: string };

/** An entry, as the client's own documents have it. */
export type Entry = Readonly<Record<string, string | boolean | readonly string[] | Readonly<Record<string, string>>>>;

/** Where files are looked for. */
export interface Surroundings {
  /** The folder of the project. */
  readonly folder: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Hooks of a client that can ask our policy before a tool call. */
export interface ClientHooks {
  /** The file that they stand in. */
  file(scope: Scope, at: Surroundings): string;
  /** The client's name for the event before a tool call. */
  readonly event: string;
  /** What stands beside the command in the entry of a hook. */
  readonly options: Readonly<Record<string, string | number>>;
  /** Why the client does not run this hook of a file; undefined where it does. */
  inactive?(placed: PlacedHook, file: string, at: Surroundings): InactiveHook | undefined;
}

export interface Client {
  readonly name: ClientName;
  /** As its makers write it. */
  readonly title: string;
  /** The program on PATH. */
  readonly program: string;
  readonly format: 'jsonc' | 'json5' | 'toml';
  /** Whose configuration it may be; the first is meant where nobody says. */
  readonly scopes: readonly [Scope, ...Scope[]];
  /** The members that lead to the servers. */
  readonly at: readonly string[];
  /** The files of this scope, the best one last: one that exists is taken, else the first is made. */
  files(scope: Scope, at: Surroundings): readonly [string, ...string[]];
  entry(server: Server): Entry;
  /** The folder that the server works in when the client's own is no good; undefined for the client's own. */
  workspace?(at: Surroundings): string;
  /** Where the client has hooks that can ask our policy. */
  readonly hooks?: ClientHooks;
  /** What to say after it was written. */
  readonly note?: Partial<Readonly<Record<Scope, string>>>;
}

/** Codex's own sandbox stays on: this is about its question before each call of a server's tool. */
const APPROVE = 'default_tools_approval_mode = "approve" under [mcp_servers.pincer]';

const bearer = (reference: string) => ({ Authorization: `Bearer ${reference}` });

/** All of them, in the order in which they are shown. */
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
      // Seconds, far above the deadline of the hook itself. Claude Code from 2.1.295 on knows onFailure.
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
      // Seconds, far above the deadline of the hook itself: a hook that takes longer lets the call through.
      options: { timeout: 600 },
      inactive: untrustedByCodex,
    },
    note: {
      user: `Codex asks before it calls the tools of pincer; to leave that to pincer: ${APPROVE}`,
      project: `Codex reads the file of a project only where the project is trusted; to call the tools of pincer without its question: ${APPROVE}`,
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
      // Milliseconds, far above the deadline of the hook itself: a hook that takes longer lets the call through.
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
    // Cursor starts servers in a folder of its own choosing, and puts the open folder in here.
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
    // Its gateway runs as a service, whose working folder is nobody's workspace.
    workspace: ({ home, env }) => join(env['OPENCLAW_STATE_DIR'] || join(home, '.openclaw'), 'workspace'),
  },
];

/** The client of this name. */
export function clientNamed(name: string): Client | undefined {
  return CLIENTS.find((client) => client.name === name);
}
