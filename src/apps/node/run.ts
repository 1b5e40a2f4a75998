/** `pincer node run`: the daemon of a state folder that runs commands for a gateway, judged by the rules of this machine. */
import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { watchConfig } from '../../config/load/watch.ts';
import { searchPath } from '../../hosts/gateway/prepare.ts';
import { nodeKeyFiles, nodeKeysIn } from '../../hosts/identity/node-keys.ts';
import { DEFAULT_AGENT } from '../../wire/actor.ts';
import type { Caller } from '../../wire/exec.ts';
import type { Gateway } from '../../wire/methods.ts';
import type { Invitation } from '../../wire/nodes/handshake.ts';
import { runnerOf } from '../daemon/compose.ts';
import { type AcquireOptions, acquireGateway } from '../serve/acquire-gateway.ts';
import type { Connection, ConnectionOptions } from './connection.ts';
import { connectToGateways, type Discover, type NodeState } from './gateway-connections.ts';
import { createGatewayCalls, nodePlatform } from './gateway-calls.ts';
import { createGuestFiles } from './guest-files.ts';
import { isConfirmed, isProxied, refuseProxyWhereBound } from './greeting.ts';
import { guestCaller, type NodeTerms, restricted } from './guest.ts';
import { openNodeStore } from './node-store.ts';
import { noGateway, type NodeSettings, offerOf, ownSettings } from './own-settings.ts';
import { type AboutNode, removeNodeState, writeNodeState } from './state-file.ts';

export interface NodeOptions extends AcquireOptions {
  /** The settings of the command line, which win over the configuration. */
  readonly given: NodeSettings;
  readonly invitation?: Invitation;
  readonly hostName: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly dial: ConnectionOptions['dial'];
  readonly discover?: Discover;
  readonly onState?: (state: NodeState, about: AboutNode) => void;
  readonly platform?: NodeJS.Platform;
  readonly firstDelayMs?: number;
}

export interface RunningNode extends AboutNode {
  /** Resolves when a client stops the daemon. Rejects with a fault that only a person can solve. */
  readonly stopRequested: Promise<string>;
  /** Disconnects, ends the sessions, and releases the state folder. Resolves to whether all ended in time. */
  close(): Promise<boolean>;
}

export async function runNode(options: NodeOptions): Promise<RunningNode> {
  const { given, stateDir, log, environment, platform = process.platform } = options;
  const { settings, name } = await ownSettings(given, options.hostName);
  checkWorkspace(settings.workspace);
  // It serves its own sessions, so it cannot use the daemon of another process.
  const acquired = await acquireGateway({ ...options, mustBeOwn: true });
  const instance = randomUUID();
  const version = options.build.version;
  let connection: Connection | undefined;
  const closers: (() => void | Promise<void>)[] = [];
  const close = async (): Promise<boolean> => {
    const clean = await acquired.close(); // the gateway still gets the ends of its sessions
    await connection?.close();
    for (const one of closers) await one();
    return clean;
  };
  try {
    const keys = nodeKeysIn(stateDir);
    const ownId = keys.current().id;
    const store = await openNodeStore(stateDir, { onTrouble: (fault) => log(String(fault)) });
    closers.push(() => store.close());
    if (store.warning !== undefined) log(store.warning);
    const url = options.invitation?.url ?? settings.gateway ?? store.paired()?.url;
    if (url === undefined) throw noGateway();
    const proxied = given.proxy === true ? { proxy: given.proxy } : {};
    refuseProxyWhereBound({ ...proxied, store }, options.invitation);
    const termsFor = async (confirmed: boolean): Promise<NodeTerms> => {
      const own = await ownSettings(given, options.hostName);
      const path = await searchPath(environment, { pathPrepend: own.pathPrepend }, 'last');
      const { gateway: _, name: __, ...shared } = own.settings;
      return restricted({ ...shared, environment, path, platform, confirmed });
    };
    const terms = (): Promise<NodeTerms> => termsFor(isConfirmed(store));
    /** Why the agent main of the gateway gets no sandbox. The sandbox is created, because its workspace may be refused, too. */
    const sandboxProblem = async ({ sandbox, exec, workspace }: NodeTerms): Promise<string | undefined> => {
      const gateway = options.invitation?.gateway ?? store.paired()?.id;
      if (!sandbox || exec === 'off' || gateway === undefined) return undefined;
      const caller = guestCaller({ agent: DEFAULT_AGENT }, gateway);
      const asked = { caller, folder: workspace, guestSandbox: true } as const;
      try {
        const { probe } = await local.call('sandbox.explain', asked);
        return probe?.ok === false ? probe.message : undefined;
      } catch (error) {
        return messageOf(error);
      }
    };
    const local = await acquired.gateway();
    const files = createGuestFiles({ terms, stateDir, runner: runnerOf(options.program), umask: process.umask() });
    const calls = createGatewayCalls({
      local,
      store,
      terms,
      version,
      key: () => keys.current(),
      log,
      files,
      onNoSandbox: () => tellChange(),
    });
    closers.unshift(() => calls.close());
    closers.push(() => removeNodeState(stateDir));
    /** What handshakes have told since the last change. */
    const offered = new Set<string>();
    let state: NodeState = { state: 'connecting' };
    let since = Date.now();
    const identity = () => {
      const paired = store.paired();
      const { invitation } = options;
      const isProxy = isProxied({ ...proxied, store }, invitation === undefined ? {} : { invitation });
      const proxy = isProxy ? { proxy: true as const } : {};
      return { id: paired?.node ?? ownId, name: paired?.name ?? name, url, ...proxy };
    };
    const isInvited = options.invitation !== undefined;
    let about: AboutNode = { ...identity(), ...shownTerms(await (isInvited ? termsFor(true) : terms())) };
    const writeState = (): void => {
      try {
        writeNodeState(stateDir, { ...about, connection: state, since });
      } catch (error) {
        log(`the state for pincer node status was not written: ${messageOf(error)}`);
      }
    };
    const tell = async (): Promise<void> => {
      const own = await terms();
      const problem = await sandboxProblem(own);
      about = { ...identity(), ...shownTerms(own, problem) };
      writeState();
      const current = JSON.stringify(offerOf(own, problem));
      if ([...offered].every((each) => each === current)) return;
      offered.clear();
      connection?.renew('the settings of the node have changed');
    };
    const tellChange = (): void => void tell().catch((error: unknown) => log(`settings: ${messageOf(error)}`));
    connection = connectToGateways({
      url,
      ...proxied,
      keys,
      store,
      calls,
      ...(options.invitation === undefined ? {} : { invitation: options.invitation }),
      ...(options.firstDelayMs === undefined ? {} : { firstDelayMs: options.firstDelayMs }),
      hello: async (attempt) => {
        const own = await termsFor(isConfirmed(store, attempt));
        const problem = await sandboxProblem(own);
        const offer = offerOf(own, problem);
        offered.add(JSON.stringify(offer));
        about = { ...identity(), ...shownTerms(own, problem) };
        return { version, name, platform: nodePlatform(platform), offer, instance };
      },
      dial: options.dial,
      ...(options.discover === undefined ? {} : { discover: options.discover }),
      log,
      onState: (next) => {
        state = next;
        since = Date.now();
        about = { ...about, ...identity() }; // the welcome has the name at the gateway
        writeState();
        options.onState?.(state, about);
        // The pairing may have changed what this node offers.
        if (state.state === 'connected') tellChange();
      },
    });
    closers.push(watchConfig('/', tellChange));
    closers.push(every(RETRY_SANDBOX_MS, () => about.sandboxProblem !== undefined && tellChange()));
    closers.push(onChange(() => isConfirmed(store), tellChange));
    closers.push(onChange(() => store.paired()?.name, tellChange)); // the gateway has renamed it
    const { next } = nodeKeyFiles(stateDir);
    const renewKey = (isThere: boolean): void => void (isThere && connection?.renew('the node has a new key'));
    closers.push(onChange(() => existsSync(next), renewKey)); // pincer node rotate has prepared it
    const failed = connection.ended.then(
      () => 'the connection was closed',
      async (error: unknown) => {
        // The gateway has no say over the sessions of this machine, which end with the daemon.
        await allEnded(local);
        throw error;
      },
    );
    return { ...about, stopRequested: Promise.race([acquired.stopRequested, failed]), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const OPERATOR: Caller = { agent: '', operator: true };
const WAIT_MS = 3_600_000;

/** Resolves when no session runs. */
async function allEnded(local: Gateway): Promise<void> {
  for (;;) {
    const running = (await local.call('session.list', { caller: OPERATOR })).find(({ status }) => status === 'running');
    if (running === undefined) return;
    await local.call('session.wait', { caller: OPERATOR, sessionId: running.id, waitMs: WAIT_MS });
  }
}

const LOOK_MS = 1_000;
/** A missing program may have been installed. */
const RETRY_SANDBOX_MS = 60_000;

/** Returns how to stop. */
function every(ms: number, work: () => unknown): () => void {
  const timer = setInterval(work, ms).unref();
  return () => clearInterval(timer);
}

/** Calls the listener when another process has changed the value. Returns how to stop. */
function onChange<T>(read: () => T, listener: (value: T) => void): () => void {
  let known = read();
  const timer = setInterval(() => {
    const value = read();
    if (value === known) return;
    known = value;
    listener(value);
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}

function shownTerms(terms: NodeTerms, sandboxProblem?: string): Omit<AboutNode, 'id' | 'name' | 'url' | 'proxy'> {
  const { workspace, workspaceFrom, exec, sandbox, files, answers, confirmed } = terms;
  const problem = sandboxProblem === undefined ? {} : { sandboxProblem };
  return { workspace, workspaceFrom, exec, sandbox, ...problem, files, answers, confirmed };
}

function checkWorkspace(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new Fault('FS_NOT_FOUND', `the workspace of the node is not a folder: ${folder}`, {
    hint: 'create it, or choose another one with --workspace or node.workspace',
  });
}
