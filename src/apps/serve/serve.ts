/**
 * `pincer serve`: the daemon of a state folder with a second way in beside its socket, HTTP. What becomes the gateway for
 * other machines stands on the same seam: a `Gateway`, and routes over it.
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
import { postureIn, type PostureReport, postureSentence } from '../posture.ts';
import { createMcpFactory, type McpOptions } from '../mcp/factory.ts';
import { workspaceResources } from '../mcp/resources/resources.ts';
import { configuredSource } from '../mcp/source.ts';
import { createCalls } from './calls.ts';
import { gate, isLoopback } from './gate.ts';
import { type HttpListener, listen } from './listener.ts';
import { mcpEndpoint } from './mcp.ts';
import { createMetrics } from './metrics.ts';
import { type Place, type PlaceOptions, takePlace } from './place.ts';
import { routes } from './routes.ts';
import { namedToken, ownToken, tokenCheck } from './token.ts';
import type { Ready } from './welcome.ts';

export interface ServeOptions extends PlaceOptions {
  readonly host: string;
  readonly port: number;
  /** The operator's own file with the token. */
  readonly tokenFile?: string;
  /** The tools of the agent behind this server. */
  readonly said: Omit<EntryOptions, 'asks'>;
  readonly mcp: Pick<McpOptions, 'preset' | 'asksInClient' | 'sessionsOnClose'>;
}

/** A server at work. */
export interface Served {
  readonly ready: Ready;
  /** Resolves when somebody asked it to leave through the daemon's socket. */
  readonly asked: Promise<string>;
  /** Answers what is in work within a while, ends the sessions, and lets go; whether all ended in time. */
  close(): Promise<boolean>;
}

/** Starts it; when this resolves, requests are answered. */
export async function serve(options: ServeOptions): Promise<Served> {
  const { host, stateDir, tokenFile } = options;
  if (!isLoopback(host) && tokenFile === undefined) throw exposed(host);
  const token = tokenFile === undefined ? ownToken(stateDir) : namedToken(tokenFile);
  let told: (route: string, method: string, status: number, seconds: number) => void = () => {};
  const listener = await listen({
    host,
    port: options.port,
    look: gate({ host, hasToken: tokenCheck(token) }),
    told: (...request) => told(...request),
    log: options.log,
  });
  let place: Place | undefined;
  try {
    const taken = await takePlace(options);
    place = taken;
    const { workspace, ...caller } = settingOf(options.said);
    const gateway = () => taken.gateway();
    const posture = await postureIn(workspace, caller, { ...options.said, gateway });
    const work = open(options, listener, place);
    told = work.told;
    tellServing(stateDir, work.url);
    return servedBy({ options, tokenFile: token.file, place, work, posture });
  } catch (error) {
    await listener.close(async () => {});
    await place?.close();
    throw error;
  }
}

interface Parts {
  readonly options: ServeOptions;
  readonly tokenFile: string;
  readonly place: Place;
  readonly work: ReturnType<typeof open>;
  readonly posture: PostureReport;
}

function servedBy({ options, tokenFile, place, work, posture }: Parts): Served {
  const { host, stateDir, said } = options;
  return {
    ready: {
      url: work.url,
      tokenFile,
      pid: process.pid,
      workspace: said.workspace,
      agent: said.agent,
      posture,
      gateway: place.other ?? 'own',
      exposed: !isLoopback(host),
    },
    asked: place.asked,
    async close() {
      tellServingEnded(stateDir);
      await work.close();
      return place.close();
    },
  };
}

/** Puts tools, MCP and routes on what was bound. */
function open(options: ServeOptions, listener: HttpListener, place: Place) {
  const { said, build, log, stateDir } = options;
  const { workspace, ...caller } = settingOf(said);
  const url = `http://${shownHost(options.host)}:${listener.port}`;
  const gateway = () => place.gateway();
  const calls = createCalls();
  const metrics = createMetrics(async () => ({
    status: await statusOf(place),
    mcpSessions: mcp.sessions,
    requests: listener.requests,
  }));
  const counted = onceForEach((toolbox) => metrics.counted(calls.known(toolbox)));
  const source = configuredSource({ ...said, stateDir, gateway }, { log });
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
      setting: settingOf(said),
      posture: () => postureSentence(workspace, caller, { ...said, gateway }),
      leaving: leaving.signal,
      stateDir,
      version: build.version,
      log,
    }),
  });
  const unwatch = source.onToolsChanged(() => {
    changes.tell();
    mcp.toolsChanged();
  });
  const version = build.version;
  const app = routes({ toolbox, gateway, mcp, metrics, url: () => url, version, log });
  listener.serve(app.fetch);
  // All of them now: the first calls are fast, and a program that is installed anew meanwhile is not loaded in halves.
  toolbox({})
    .then((tools) => tools.tools())
    .catch((error: unknown) => log(`the tools cannot be offered: ${String(error)}`));
  return {
    url: `${url}/mcp`,
    told: metrics.request,
    async close() {
      unwatch();
      await listener.close(async () => {
        await calls.none();
        await mcp.close(); // streams of notices never end by themselves
      });
      leaving.abort();
      await mcp.close();
    },
  };
}

/** Passes one piece of news on to all who listen: it is found out once, however many servers there are. */
function listeners() {
  const all = new Set<() => void>();
  return {
    tell(): void {
      for (const hear of all) hear();
    },
    listen: (hear: () => void): (() => void) => {
      const mine = (): void => hear();
      all.add(mine);
      return () => void all.delete(mine);
    },
  };
}

/** Does its work once for each toolbox. */
function onceForEach(work: (toolbox: Toolbox) => Toolbox): (toolbox: Toolbox) => Toolbox {
  const made = new WeakMap<Toolbox, Toolbox>();
  return (toolbox) => {
    const found = made.get(toolbox) ?? work(toolbox);
    made.set(toolbox, found);
    return found;
  };
}

function settingOf(said: ServeOptions['said']) {
  return { workspace: said.workspace, ...actorOf(said) };
}

async function statusOf(place: Place): Promise<DaemonStatus | undefined> {
  try {
    return await (await place.gateway()).call('daemon.status', {});
  } catch (error) {
    if (error instanceof Fault) return undefined; // the gauge says that it does not answer
    throw error;
  }
}

/** Bound to every address, it is reached from here by the loopback's. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function exposed(host: string): Fault {
  return new Fault('SERVE_EXPOSED', `listening on ${host} would let other machines run commands here`, {
    hint: 'if that is meant, name the secret that they need with --token-file, and put TLS in front of the server',
    details: { host },
  });
}

// A small file that says where the server is: `pincer status` and `pincer doctor` read it.

/** Where it stands. */
function servingFile(stateDir: string): string {
  return join(stateDir, 'serve', 'serving.json');
}

/** Says in one step where this process serves; the last one to start is the one that is found. */
function tellServing(stateDir: string, url: string): void {
  const file = servingFile(stateDir);
  makeFolder(dirname(file));
  writePrivate(file, `${JSON.stringify({ ...thisProcess(), url })}\n`);
}

/** This process serves no more; what another one said stays. */
function tellServingEnded(stateDir: string): void {
  const file = servingFile(stateDir);
  try {
    const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { readonly pid?: unknown };
    if (pid === process.pid) rmSync(file, { force: true });
  } catch {
    // Nothing stands there, or nothing of ours.
  }
}
