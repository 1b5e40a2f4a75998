/**
 * `pincer serve`: the daemon of a state folder with two entry points, its socket and HTTP: routes over a `Gateway`.
 */
import { Fault } from '../../base/fault.ts';
import type { Role } from '../../wire/page/login.ts';
import { actorOf } from '../../wire/actor.ts';
import type { DaemonStatus, Gateway } from '../../wire/methods.ts';
import type { Toolbox } from '../assemble.ts';
import type { EntryOptions } from '../configured-toolbox.ts';
import { filesNodeIn, postureIn, type PostureReport, postureSentence } from '../posture.ts';
import { createMcpFactory, type McpOptions } from '../mcp/factory.ts';
import { workspaceResources } from '../mcp/resources/resources.ts';
import { configuredSource } from '../mcp/toolbox-source.ts';
import { createCalls } from './calls.ts';
import { gate, isLoopback } from './gate.ts';
import { type HttpListener, listen } from './listener.ts';
import { mcpEndpoint } from './mcp.ts';
import { createMetrics } from './metrics.ts';
import { type AcquiredGateway, type AcquireOptions, acquireGateway, STOP_FIRST } from './acquire-gateway.ts';
import { controlPage } from './page/page.ts';
import { issueLink } from './page/login-link.ts';
import { SOCKET_PATH } from './page/paths.ts';
import { routes } from './routes.ts';
import { removeServingFile, servingIn, writeServingFile } from './serving-file.ts';
import { namedToken, ownToken, tokenCheck } from './token.ts';
import type { Ready } from './welcome.ts';

export interface ServeOptions extends AcquireOptions {
  readonly host: string;
  readonly port: number;
  /** The operator's own token file. */
  readonly tokenFile?: string;
  /** The toolbox options of the agent. */
  readonly entry: Omit<EntryOptions, 'asks'>;
  readonly mcp: Pick<McpOptions, 'preset' | 'asksInClient' | 'sessionsOnClose'>;
  /** The user who gets a login link for the control page; absent inside a session, where a command could read the link. */
  readonly linkFor?: string;
}

export interface RunningServer {
  readonly ready: Ready;
  /** A new login link for the control page. */
  link(role: Role, by: string): Promise<string>;
  /** Resolves when a client stops it through the daemon's socket. */
  readonly stopRequested: Promise<string>;
  /** Waits for running requests, ends the sessions, and releases the state folder. Resolves to whether all ended in time. */
  close(): Promise<boolean>;
}

/** Resolves when requests are answered. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { host, stateDir, tokenFile } = options;
  if (!isLoopback(host) && tokenFile === undefined) throw exposed(host);
  const token = tokenFile === undefined ? ownToken(stateDir) : namedToken(tokenFile);
  let onRequest: (route: string, method: string, status: number, seconds: number) => void = () => {};
  refuseSecondServer(options);
  const listener = await listen({
    host,
    port: options.port,
    check: gate({ host, hasToken: tokenCheck(token) }),
    onRequest: (...request) => onRequest(...request),
    log: options.log,
  });
  let acquired: AcquiredGateway | undefined;
  try {
    const found = await acquireGateway(options);
    acquired = found;
    const { workspace, ...caller } = settingOf(options.entry);
    const gateway = () => found.gateway();
    const posture = await postureIn(workspace, caller, { ...options.entry, gateway });
    const nodes = (await (await gateway()).call('daemon.status', {})).nodes?.url;
    const endpoints = open(options, listener, acquired);
    onRequest = endpoints.onRequest;
    writeServingFile(stateDir, endpoints.url);
    const page = await firstLink(options, gateway, endpoints.url);
    return runningServer({ options, tokenFile: token.file, acquired, endpoints, posture, nodes, page });
  } catch (error) {
    await listener.close(async () => {});
    await acquired?.close();
    throw error;
  }
}

/** Names the server of this state folder before its port is found to be in use. A second `serve` may run on another port. */
function refuseSecondServer({ stateDir, port, mustBeOwn }: ServeOptions): void {
  const other = servingIn(stateDir);
  if (other === undefined || (mustBeOwn !== true && new URL(other.url).port !== String(port))) return;
  throw new Fault('GATEWAY_IN_USE', `pincer already serves this state folder (pid ${other.pid}) at ${other.url}`, {
    hint: STOP_FIRST,
    details: { ...other },
  });
}

/** The server works without the page: a daemon of an older build has no logins. */
async function firstLink(
  { linkFor, log }: ServeOptions,
  gateway: () => Promise<Gateway>,
  url: string,
): Promise<string | undefined> {
  if (linkFor === undefined) return undefined;
  try {
    return (await issueLink(await gateway(), url, 'operator', linkFor)).url;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    log(`no link for the control page: ${error.message}`);
    return undefined;
  }
}

interface Parts {
  readonly options: ServeOptions;
  readonly tokenFile: string;
  readonly acquired: AcquiredGateway;
  readonly endpoints: ReturnType<typeof open>;
  readonly posture: PostureReport;
  /** The address for nodes. */
  readonly nodes: string | undefined;
  /** A login link. */
  readonly page: string | undefined;
}

function runningServer({ options, tokenFile, acquired, endpoints, posture, nodes, page }: Parts): RunningServer {
  const { host, stateDir, entry } = options;
  return {
    ready: {
      url: endpoints.url,
      tokenFile,
      pid: process.pid,
      workspace: entry.workspace,
      agent: entry.agent,
      posture,
      gateway: acquired.other ?? 'own',
      exposed: !isLoopback(host),
      ...(nodes === undefined ? {} : { nodes: { url: nodes } }),
      ...(page === undefined ? {} : { page }),
    },
    link: async (role, by) => (await issueLink(await acquired.gateway(), endpoints.url, role, by)).url,
    stopRequested: acquired.stopRequested,
    async close() {
      removeServingFile(stateDir);
      await endpoints.close();
      return acquired.close();
    },
  };
}

/** Opens tools, MCP and routes on the listener. */
function open(options: ServeOptions, listener: HttpListener, acquired: AcquiredGateway) {
  const { entry, build, log, stateDir } = options;
  const { workspace, ...caller } = settingOf(entry);
  const url = `http://${shownHost(options.host, listener.address)}:${listener.port}`;
  const gateway = () => acquired.gateway();
  const calls = createCalls();
  const metrics = createMetrics(async () => ({
    status: await statusOf(acquired),
    mcpSessions: mcp.sessions,
    requests: listener.requests,
  }));
  const counted = onceForEach((toolbox) => metrics.counted(calls.track(toolbox)));
  const source = configuredSource({ ...entry, stateDir, gateway }, { log });
  const toolbox: McpOptions['toolbox'] = async (client) => counted(await source.toolbox(client));
  const leaving = new AbortController();
  const changes = listeners();
  const resources = workspaceResources({ workspace, stateDir, toolbox: () => source.toolbox({}, 'lately'), log });
  const mcp = mcpEndpoint({
    log,
    resources,
    factory: createMcpFactory({
      ...options.mcp,
      ...source,
      toolbox,
      onToolsChanged: changes.listen,
      resources: resources.register,
      setting: settingOf(entry),
      posture: () => postureSentence(workspace, caller, { ...entry, gateway }),
      filesNode: () => filesNodeIn(workspace, caller, entry),
      leaving: leaving.signal,
      stateDir,
      version: build.version,
      log,
    }),
  });
  const unwatch = source.onToolsChanged(() => {
    changes.notify();
    mcp.toolsChanged();
  });
  const version = build.version;
  const page = controlPage({
    program: options.program,
    port: listener.port,
    version,
    toolbox,
    entry: { ...entry, stateDir, gateway },
    served: { agent: entry.agent, workspace, environment: entry.environment ?? {} },
    gateway,
    log,
  });
  const app = routes({ toolbox, gateway, mcp, metrics, page, url: () => url, version, log });
  listener.serve(app.fetch, { ...page, path: SOCKET_PATH });
  // Load all tools now: the first calls are fast, and an update of the program cannot mix old and new code.
  toolbox({})
    .then((tools) => tools.tools())
    .catch((error: unknown) => log(`cannot load the tools: ${String(error)}`));
  return {
    url: `${url}/mcp`,
    onRequest: metrics.request,
    async close() {
      unwatch();
      page.close();
      await listener.close(async () => {
        await calls.idle();
        await mcp.close(); // ends the notification streams
      });
      leaving.abort();
      await mcp.close();
    },
  };
}

/** Distributes one event to all servers. */
function listeners() {
  const all = new Set<() => void>();
  return {
    notify(): void {
      for (const listener of all) listener();
    },
    listen: (listener: () => void): (() => void) => {
      const own = (): void => listener();
      all.add(own);
      return () => void all.delete(own);
    },
  };
}

function onceForEach(work: (toolbox: Toolbox) => Toolbox): (toolbox: Toolbox) => Toolbox {
  const made = new WeakMap<Toolbox, Toolbox>();
  return (toolbox) => {
    const found = made.get(toolbox) ?? work(toolbox);
    made.set(toolbox, found);
    return found;
  };
}

function settingOf(entry: ServeOptions['entry']) {
  return { workspace: entry.workspace, ...actorOf(entry) };
}

async function statusOf(acquired: AcquiredGateway): Promise<DaemonStatus | undefined> {
  try {
    return await (await acquired.gateway()).call('daemon.status', {});
  } catch (error) {
    if (error instanceof Fault) return undefined; // the gauge pincer_gateway_up shows it
    throw error;
  }
}

/**
 * A server that is bound to all addresses is reachable at the loopback address. `localhost` has two addresses, and the server is bound
 * to one of them: on the other one, another user can listen on the same port, and would get the code of a login link.
 */
function shownHost(host: string, bound: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  const shown = isLoopback(host) ? bound : host;
  return shown.includes(':') ? `[${shown}]` : shown;
}

function exposed(host: string): Fault {
  return new Fault('SERVE_EXPOSED', `listening on ${host} allows other machines to run commands here`, {
    hint: 'if you want that, set a token with --token-file, and put TLS in front of the server',
    details: { host },
  });
}
