/**
 * `pincer serve`: the daemon of a state folder with HTTP as a second entry point beside its socket: routes over a `Gateway`.
 */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { thisProcess } from '../../hosts/files/locks/owner.ts';
import { makeFolder } from '../../hosts/files/state-folder.ts';
import { writePrivate } from '../../hosts/files/write-private.ts';
import { actorOf } from '../../wire/actor.ts';
import type { DaemonStatus } from '../../wire/methods.ts';
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
import { type AcquiredGateway, type AcquireOptions, acquireGateway } from './acquire-gateway.ts';
import { routes } from './routes.ts';
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
}

export interface RunningServer {
  readonly ready: Ready;
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
    return runningServer({ options, tokenFile: token.file, acquired, endpoints, posture, nodes });
  } catch (error) {
    await listener.close(async () => {});
    await acquired?.close();
    throw error;
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
}

function runningServer({ options, tokenFile, acquired, endpoints, posture, nodes }: Parts): RunningServer {
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
    },
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
  const url = `http://${shownHost(options.host)}:${listener.port}`;
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
  const app = routes({ toolbox, gateway, mcp, metrics, url: () => url, version, log });
  listener.serve(app.fetch);
  // Load all tools now: the first calls are fast, and an update of the program cannot mix old and new code.
  toolbox({})
    .then((tools) => tools.tools())
    .catch((error: unknown) => log(`cannot load the tools: ${String(error)}`));
  return {
    url: `${url}/mcp`,
    onRequest: metrics.request,
    async close() {
      unwatch();
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

/** A server that is bound to all addresses is reachable at the loopback address. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function exposed(host: string): Fault {
  return new Fault('SERVE_EXPOSED', `listening on ${host} allows other machines to run commands here`, {
    hint: 'if you want that, set a token with --token-file, and put TLS in front of the server',
    details: { host },
  });
}

/** A file with the URL of the server, for `pincer status` and `pincer doctor`. */
function servingFile(stateDir: string): string {
  return join(stateDir, 'serve', 'serving.json');
}

/** Replaces the file atomically; the last server that starts wins. */
function writeServingFile(stateDir: string, url: string): void {
  const file = servingFile(stateDir);
  makeFolder(dirname(file));
  writePrivate(file, `${JSON.stringify({ ...thisProcess(), url })}\n`);
}

/** Keeps the file of another process. */
function removeServingFile(stateDir: string): void {
  const file = servingFile(stateDir);
  try {
    const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { readonly pid?: unknown };
    if (pid === process.pid) rmSync(file, { force: true });
  } catch {
    // There is no file, or another process has damaged it.
  }
}
