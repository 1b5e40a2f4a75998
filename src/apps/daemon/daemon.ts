/** The daemon: one process per state folder that owns all sessions and serves a local socket. */
import { readdirSync, realpathSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { stackOf } from '../../base/message-of.ts';
import { lockWait, sweepLocks, takeLock, type LockFile } from '../../hosts/files/locks/lock-file.ts';
import { lockFolders } from '../../hosts/files/locks/locks.ts';
import { thisProcess } from '../../hosts/files/locks/owner.ts';
import { makeFolder } from '../../hosts/files/state-folder.ts';
import type { Build } from '../../wire/message.ts';
import type { DaemonStatus, Gateway, Method, Methods } from '../../wire/methods.ts';
import { STATE_GONE, watchDaemon } from './lifecycle.ts';
import { ANOTHER_RUNS, daemonFolder, readPointer, removePointer, writePointer } from './pointer.ts';
import { chooseSocketPath } from './socket-path.ts';
import { gatewayServer, type OwnGateway } from './server.ts';

export interface OpenOptions {
  /** The real path of the state folder. */
  readonly stateDir: string;
  /** The path of the socket; `runtimeDir` is its folder, which only this user can enter. */
  readonly socket: string;
  readonly runtimeDir: string;
  readonly version: string;
  /** The umask of commands; the daemon's own is 077. */
  readonly umask: number;
  readonly log: (text: string) => void;
}

export interface DaemonOptions {
  readonly stateDir: string;
  readonly build: Build;
  /** It exits after this time without clients and work (default: never). */
  readonly idleMs?: number;
  readonly runtimeDir?: string;
  /** The umask of commands. */
  readonly umask: number;
  /** It has other work than its sessions: only a person stops it, and no newer build replaces it. */
  readonly stays?: true;
  /** Stderr is its own log file, whose size it limits. */
  readonly ownsLog?: true;
  readonly log: (text: string) => void;
  open(options: OpenOptions): Promise<OwnGateway>;
}

/** A daemon that runs in this process. */
export interface Daemon {
  /** The gateway that clients see. */
  readonly gateway: Gateway;
  /** The real path of its state folder. */
  readonly stateDir: string;
  /** The path of the socket at the start. */
  readonly socket: string;
  /** Resolves with the reason when the daemon should stop; `close` then stops it. */
  readonly stopRequested: Promise<string>;
  requestStop(reason: string): void;
  /** Ends its sessions and releases the state folder. Resolves to whether all ended in time. */
  close(): Promise<boolean>;
}

const MINIMAL_PATH = '/usr/local/bin:/usr/bin:/bin';
/** Sessions may take this long to end. */
const CLOSE_MS = 15_000;

/** Runs until the daemon is idle or a client stops it; returns the exit code. */
export async function runDaemon(options: Omit<DaemonOptions, 'umask' | 'log' | 'ownsLog'>): Promise<number> {
  const umask = process.umask(0o077);
  process.env['PATH'] = MINIMAL_PATH;
  process.chdir('/');
  logRejections(logLine);
  const daemon = await openDaemon({ ...options, umask, log: logLine, ownsLog: true });
  if (daemon === undefined) return ANOTHER_RUNS;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => daemon.requestStop(signal));
  logLine(`started with ${daemon.stateDir} on ${daemon.socket}`);
  logLine(`stopping: ${await daemon.stopRequested}`);
  return (await daemon.close()) ? 0 : 3;
}

/** Logs unhandled rejections: one failed request must not end the sessions of all clients. */
export function logRejections(log: (text: string) => void): void {
  process.on('unhandledRejection', (error) => log(`unhandled rejection: ${stackOf(error)}`));
}

/** Becomes the daemon of a state folder; undefined when another process is. */
export async function openDaemon(options: DaemonOptions): Promise<Daemon | undefined> {
  const lock = takeDaemonLock(options.stateDir);
  if (lock === undefined) return undefined;
  try {
    const stateDir = realpathSync(options.stateDir);
    const socket = chooseSocketPath(stateDir, options.runtimeDir);
    const { umask, log, build } = options;
    const runtimeDir = dirname(socket);
    const gateway = await options.open({ stateDir, umask, log, socket, runtimeDir, version: build.version });
    return await serve({ ...options, stateDir }, gateway, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The process with this lock is the daemon. Breaks the lock of a dead one; undefined if a running one has it. */
function takeDaemonLock(stateDir: string): LockFile | undefined {
  const { folder, tickets } = lockFolders(stateDir);
  try {
    const lock = takeLock({ folder, tickets, name: 'daemon', subject: 'the daemon', wait: lockWait(0) });
    sweepLocks(folder, tickets, readdirSync(tickets), lockWait(0)); // a killed daemon leaves its ticket
    return lock;
  } catch (error) {
    if (error instanceof Fault && error.code === 'FS_LOCKED') return undefined;
    throw error;
  }
}

async function serve(options: DaemonOptions, gateway: OwnGateway, lock: LockFile): Promise<Daemon> {
  const { stateDir, build, log } = options;
  let requestStop!: (reason: string) => void;
  const stopRequested = new Promise<string>((resolve) => (requestStop = resolve));
  let socket = '';
  let watch: ReturnType<typeof watchDaemon> | undefined;
  const startedAt = Date.now();
  const processStatus = (): ProcessStatus => ({
    pid: process.pid,
    version: build.version,
    startedAt,
    stateDir,
    socket,
    memoryBytes: process.memoryUsage.rss(),
    eventLoopLagMs: Math.round(watch?.lagMs() ?? 0),
  });
  const served = withDaemonMethods(gateway, processStatus, options.stays === true);
  const server = gatewayServer({ gateway: served, build, log, leave: () => requestStop('a client requested it') });
  const open = async (): Promise<void> => {
    socket = chooseSocketPath(stateDir, options.runtimeDir);
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
  watch = watchDaemon({
    idleMs: options.idleMs ?? Number.POSITIVE_INFINITY,
    stateDir,
    ownsLog: options.ownsLog === true,
    inUse: () => server.connections > 0 || gateway.busy(),
    socketInPlace: () => server.inPlace(),
    restoreSocket: open,
    requestStop,
  });
  return {
    gateway: served,
    stateDir,
    socket,
    stopRequested,
    requestStop,
    async close() {
      requestStop('closed by its process');
      const why = await stopRequested;
      watch?.stop();
      server.stopListening();
      const clean = await closeGateway(gateway, log);
      // If the state folder was replaced, its files belong to another daemon and must stay.
      if (why !== STATE_GONE) {
        if (readPointer(stateDir)?.pid === process.pid) removePointer(stateDir);
        lock.release();
      }
      server.close(); // last: it signals clients that another daemon may start
      return clean;
    },
  };
}

/** Resolves to whether all sessions ended in time. */
async function closeGateway(gateway: OwnGateway, log: (text: string) => void): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`sessions did not end within ${CLOSE_MS} ms`)), CLOSE_MS);
  });
  try {
    await Promise.race([gateway.close(), late]);
    return true;
  } catch (error) {
    log(`closing failed: ${stackOf(error)}`);
    return false;
  } finally {
    clearTimeout(timer);
  }
}

type ProcessStatus = Omit<DaemonStatus, 'sessions' | 'pendingApprovals'>;

/** Adds the methods `daemon.*`: the gateway knows its sessions, the daemon knows its process. */
function withDaemonMethods(
  gateway: OwnGateway,
  processStatus: () => ProcessStatus,
  stays: boolean,
): Gateway & Pick<OwnGateway, 'busy' | 'hasRecord'> {
  const status = async (): Promise<DaemonStatus> => ({
    ...(await gateway.call('daemon.status', {})),
    ...processStatus(),
  });
  const call = async (method: Method, params: unknown, signal?: AbortSignal): Promise<unknown> => {
    if (method === 'daemon.status') return status();
    if (method !== 'daemon.stop') return gateway.call(method, params as never, signal);
    const { running, withLeftovers = 0, onNodes = 0 } = (await status()).sessions;
    const { force, makeRoom } = params as Methods['daemon.stop']['params'];
    // Leftover processes of a session keep the daemon running, as a running session does.
    // Sessions on nodes continue there, and the next daemon finds them again.
    const hasChanges = makeRoom === true && gateway.hasRecord();
    const keptBy = stays ? 'foreground' : hasChanges ? 'sandbox-changes' : undefined;
    const isIdle = running === onNodes && withLeftovers === 0 && keptBy === undefined;
    return {
      stopping: isIdle || force === true,
      running,
      ...(withLeftovers === 0 ? {} : { withLeftovers }),
      ...(onNodes === 0 ? {} : { onNodes }),
      ...(keptBy === undefined ? {} : { keptBy }),
    };
  };
  return {
    call: call as Gateway['call'],
    follow: (params, listener, signal) => gateway.follow(params, listener, signal),
    notices: (params, listener, signal) => gateway.notices(params, listener, signal),
    auditEntries: (params, listener, signal) => gateway.auditEntries(params, listener, signal),
    busy: () => stays || gateway.busy(),
    hasRecord: () => gateway.hasRecord(),
  };
}

/** Writes a line to the log, which is stderr. */
export function logLine(text: string): void {
  try {
    writeSync(2, `${new Date().toISOString()} [${process.pid}] ${text}\n`);
  } catch {
    // A full disk must not end sessions.
  }
}
