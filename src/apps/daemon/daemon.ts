/** The daemon: one process per state folder that holds every session, and answers on a local socket. */
import { readdirSync, realpathSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { lockWait, sweepLocks, takeLock, type LockFile } from '../../hosts/files/locks/lock-file.ts';
import { lockFolders } from '../../hosts/files/locks/locks.ts';
import { thisProcess } from '../../hosts/files/locks/owner.ts';
import { makeFolder } from '../../hosts/files/state-folder.ts';
import type { Build } from '../../wire/message.ts';
import type { DaemonStatus, Gateway, Method, Methods } from '../../wire/methods.ts';
import { ANOTHER_RUNS } from './exit.ts';
import { STATE_GONE, watchOver } from './lifecycle.ts';
import { socketPlace } from './place.ts';
import { daemonFolder, readPointer, removePointer, writePointer } from './pointer.ts';
import { gatewayServer, type OwnGateway } from './server.ts';

/** What the gateway is opened with. */
export interface OpenOptions {
  /** The real path of the state folder. */
  readonly stateDir: string;
  /** Where clients find it, and the folder that it stands in: short, and closed to others. */
  readonly socket: string;
  readonly runtimeDir: string;
  readonly version: string;
  /** The mask that files of commands are made with; the daemon's own is 077. */
  readonly umask: number;
  /** For what an operator should read later. */
  readonly log: (text: string) => void;
}

export interface DaemonOptions {
  readonly stateDir: string;
  readonly build: Build;
  /** How long it stays without clients and without work (default: for ever). */
  readonly idleMs?: number;
  readonly runtimeDir?: string;
  /** The mask that files of commands are made with. */
  readonly umask: number;
  /** It has other work than its sessions: nobody but a person ends it, and no newer program takes its place. */
  readonly stays?: true;
  /** Standard error is a log of its own, which it keeps short. */
  readonly ownsLog?: true;
  /** For what an operator should read later. */
  readonly log: (text: string) => void;
  open(options: OpenOptions): Promise<OwnGateway>;
}

/** A daemon at work in this process. */
export interface Daemon {
  /** Its sessions, questions and notices, as clients see them. */
  readonly gateway: Gateway;
  /** The real path of its state folder. */
  readonly stateDir: string;
  /** Where clients find it at first. */
  readonly socket: string;
  /** Resolves with the reason when it is to leave; it leaves with `close`. */
  readonly asked: Promise<string>;
  leave(reason: string): void;
  /** Ends its sessions and lets go of the state folder; whether all ended in time. */
  close(): Promise<boolean>;
}

const MINIMAL_PATH = '/usr/local/bin:/usr/bin:/bin';
/** For sessions that do not want to end. */
const CLOSE_MS = 15_000;

/** Runs until there is nothing to do, or somebody asks it to leave; gives the exit code. */
export async function runDaemon(options: Omit<DaemonOptions, 'umask' | 'log' | 'ownsLog'>): Promise<number> {
  const umask = process.umask(0o077);
  process.env['PATH'] = MINIMAL_PATH;
  process.chdir('/');
  outliveRejections(logLine);
  const daemon = await openDaemon({ ...options, umask, log: logLine, ownsLog: true });
  if (daemon === undefined) return ANOTHER_RUNS;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => daemon.leave(signal));
  logLine(`started with ${daemon.stateDir} on ${daemon.socket}`);
  logLine(`leaving: ${await daemon.asked}`);
  return (await daemon.close()) ? 0 : 3;
}

/** One request that fails where nobody waits for it must not end the sessions of all the others. */
export function outliveRejections(log: (text: string) => void): void {
  process.on('unhandledRejection', (error) =>
    log(`unhandled rejection: ${error instanceof Error ? error.stack : String(error)}`),
  );
}

/** Becomes the daemon of a state folder; undefined when another process is. */
export async function openDaemon(options: DaemonOptions): Promise<Daemon | undefined> {
  const lock = onlyDaemon(options.stateDir);
  if (lock === undefined) return undefined;
  try {
    const stateDir = realpathSync(options.stateDir);
    const socket = socketPlace(stateDir, options.runtimeDir);
    const { umask, log, build } = options;
    const runtimeDir = dirname(socket);
    const gateway = await options.open({ stateDir, umask, log, socket, runtimeDir, version: build.version });
    return await serve({ ...options, stateDir }, gateway, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Whoever has the lock is the daemon; a dead one's is broken. Undefined when a living one has it. */
function onlyDaemon(stateDir: string): LockFile | undefined {
  const { folder, tickets } = lockFolders(stateDir);
  try {
    const lock = takeLock({ folder, tickets, name: 'daemon', subject: 'the daemon', wait: lockWait(0) });
    sweepLocks(folder, tickets, readdirSync(tickets), lockWait(0)); // one that was killed leaves its ticket
    return lock;
  } catch (error) {
    if (error instanceof Fault && error.code === 'FS_LOCKED') return undefined;
    throw error;
  }
}

async function serve(options: DaemonOptions, gateway: OwnGateway, lock: LockFile): Promise<Daemon> {
  const { stateDir, build, log } = options;
  let leave!: (reason: string) => void;
  const asked = new Promise<string>((resolve) => (leave = resolve));
  let socket = '';
  let watch: ReturnType<typeof watchOver> | undefined;
  const startedAt = Date.now();
  const ofProcess = (): OfProcess => ({
    pid: process.pid,
    version: build.version,
    startedAt,
    stateDir,
    socket,
    memoryBytes: process.memoryUsage.rss(),
    eventLoopLagMs: Math.round(watch?.lagMs() ?? 0),
  });
  const answers = withDaemonMethods(gateway, ofProcess, options.stays === true);
  const server = gatewayServer({ gateway: answers, build, log, leave: () => leave('a client asked for it') });
  const open = async (): Promise<void> => {
    socket = socketPlace(stateDir, options.runtimeDir);
    await server.listen(socket);
    makeFolder(daemonFolder(stateDir));
    writePointer(stateDir, { ...thisProcess(), socket });
  };
  try {
    await open();
  } catch (error) {
    await closeGateway(gateway, log);
    throw error;
  }
  watch = watchOver({
    idleMs: options.idleMs ?? Number.POSITIVE_INFINITY,
    stateDir,
    ownsLog: options.ownsLog === true,
    inUse: () => server.connections > 0 || gateway.busy(),
    socketInPlace: () => server.inPlace(),
    restoreSocket: open,
    leave,
  });
  return {
    gateway: answers,
    stateDir,
    socket,
    asked,
    leave,
    async close() {
      leave('it is ended');
      const why = await asked;
      watch?.stop();
      server.stopListening();
      const clean = await closeGateway(gateway, log);
      // What another daemon made in the place of a state folder that vanished is not ours to remove.
      if (why !== STATE_GONE) {
        if (readPointer(stateDir)?.pid === process.pid) removePointer(stateDir);
        lock.release();
      }
      server.close(); // last: to clients it is the sign that another daemon may start
      return clean;
    },
  };
}

/** Whether all ended in time. */
async function closeGateway(gateway: OwnGateway, log: (text: string) => void): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`sessions did not end within ${CLOSE_MS} ms`)), CLOSE_MS);
  });
  try {
    await Promise.race([gateway.close(), late]);
    return true;
  } catch (error) {
    log(`closing failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return false;
  } finally {
    clearTimeout(timer);
  }
}

type OfProcess = Omit<DaemonStatus, 'sessions' | 'pendingApprovals'>;

/** The gateway knows its sessions, and the daemon its process: together they answer what is asked of the daemon. */
function withDaemonMethods(
  gateway: OwnGateway,
  ofProcess: () => OfProcess,
  stays: boolean,
): Gateway & Pick<OwnGateway, 'busy' | 'hasRecord'> {
  const status = async (): Promise<DaemonStatus> => ({ ...(await gateway.call('daemon.status', {})), ...ofProcess() });
  const call = async (method: Method, params: unknown, signal?: AbortSignal): Promise<unknown> => {
    if (method === 'daemon.status') return status();
    if (method !== 'daemon.stop') return gateway.call(method, params as never, signal);
    const { running, withLeftovers = 0 } = (await status()).sessions;
    const { force, makeRoom } = params as Methods['daemon.stop']['params'];
    // What a session left behind keeps the daemon as a session that runs.
    const isIdle = running === 0 && withLeftovers === 0 && !stays && !(makeRoom === true && gateway.hasRecord());
    return { stopping: isIdle || force === true, running, ...(withLeftovers === 0 ? {} : { withLeftovers }) };
  };
  return {
    call: call as Gateway['call'],
    follow: (params, listener, signal) => gateway.follow(params, listener, signal),
    notices: (params, listener, signal) => gateway.notices(params, listener, signal),
    busy: () => stays || gateway.busy(),
    hasRecord: () => gateway.hasRecord(),
  };
}

/** A line for the log, which is standard error. */
export function logLine(text: string): void {
  try {
    writeSync(2, `${new Date().toISOString()} [${process.pid}] ${text}\n`);
  } catch {
    // A full disk under the log must not end sessions.
  }
}
