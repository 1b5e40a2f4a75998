/** The daemon: one process per state folder that holds every session, and answers on a local socket. */
import { readdirSync, realpathSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { sweepLocks, takeLock, type LockFile } from '../../hosts/files/lock-file.ts';
import { lockFolders } from '../../hosts/files/locks.ts';
import { thisProcess } from '../../hosts/files/owner.ts';
import { makeFolder } from '../../hosts/files/state-folder.ts';
import type { DaemonStatus, Gateway, Method, Methods } from '../../wire/rpc.ts';
import { ANOTHER_RUNS } from './exit.ts';
import { STATE_GONE, watchOver } from './lifecycle.ts';
import { socketPlace } from './place.ts';
import { daemonFolder, readPointer, removePointer, writePointer } from './pointer.ts';
import type { Build } from './protocol.ts';
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
  log(text: string): void;
}

export interface DaemonOptions {
  readonly stateDir: string;
  readonly build: Build;
  readonly idleMs: number;
  readonly runtimeDir?: string;
  open(options: OpenOptions): Promise<OwnGateway>;
}

const MINIMAL_PATH = '/usr/local/bin:/usr/bin:/bin';
/** For sessions that do not want to end. */
const CLOSE_MS = 15_000;

/** Runs until there is nothing to do, or somebody asks it to leave; gives the exit code. */
export async function runDaemon(options: DaemonOptions): Promise<number> {
  const umask = process.umask(0o077);
  process.env['PATH'] = MINIMAL_PATH;
  const lock = onlyDaemon(options.stateDir);
  if (lock === undefined) return ANOTHER_RUNS;
  const stateDir = realpathSync(options.stateDir);
  process.chdir('/');
  // One request that fails where nobody waits for it must not end the sessions of all the others.
  process.on('unhandledRejection', (error) =>
    log(`nobody waited for: ${error instanceof Error ? error.stack : String(error)}`),
  );
  try {
    const socket = socketPlace(stateDir, options.runtimeDir);
    const { version } = options.build;
    const gateway = await options.open({ stateDir, umask, log, socket, runtimeDir: dirname(socket), version });
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
    const lock = takeLock({ folder, tickets, name: 'daemon', subject: 'the daemon', deadline: 0 });
    sweepLocks(folder, tickets, readdirSync(tickets), Date.now()); // one that was killed leaves its ticket
    return lock;
  } catch (error) {
    if (error instanceof Fault && error.code === 'FS_LOCKED') return undefined;
    throw error;
  }
}

async function serve(options: DaemonOptions, gateway: OwnGateway, lock: LockFile): Promise<number> {
  const { stateDir, build } = options;
  let leave!: (reason: string) => void;
  const reason = new Promise<string>((resolve) => (leave = resolve));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => leave(signal));
  let socket = '';
  const startedAt = Date.now();
  const answers = withDaemonMethods(gateway, () => ({
    pid: process.pid,
    version: build.version,
    startedAt,
    stateDir,
    socket,
    memoryBytes: process.memoryUsage.rss(),
  }));
  const server = gatewayServer({ gateway: answers, build, log, leave: () => leave('a client asked for it') });
  const open = async (): Promise<void> => {
    socket = socketPlace(stateDir, options.runtimeDir);
    await server.listen(socket);
    makeFolder(daemonFolder(stateDir));
    writePointer(stateDir, { ...thisProcess(), socket });
  };
  await open();
  log(`started with ${stateDir} on ${socket}`);
  const watch = watchOver({
    idleMs: options.idleMs,
    stateDir,
    inUse: () => server.connections > 0 || gateway.busy(),
    socketInPlace: () => server.inPlace(),
    restoreSocket: open,
    leave,
  });
  const why = await reason;
  log(`leaving: ${why}`);
  watch.stop();
  server.stopListening();
  const clean = await closeGateway(gateway);
  // What another daemon made in the place of a state folder that vanished is not ours to remove.
  if (why !== STATE_GONE) {
    if (readPointer(stateDir)?.pid === process.pid) removePointer(stateDir);
    lock.release();
  }
  server.close(); // last: to clients it is the sign that another daemon may start
  return clean ? 0 : 3;
}

/** Whether all ended in time. */
async function closeGateway(gateway: OwnGateway): Promise<boolean> {
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
function withDaemonMethods(gateway: OwnGateway, ofProcess: () => OfProcess): Gateway & { busy(): boolean } {
  const status = async (): Promise<DaemonStatus> => ({ ...(await gateway.call('daemon.status', {})), ...ofProcess() });
  const call = async (method: Method, params: unknown, signal?: AbortSignal): Promise<unknown> => {
    if (method === 'daemon.status') return status();
    if (method !== 'daemon.stop') return gateway.call(method, params as never, signal);
    const { running } = (await status()).sessions;
    const { force } = params as Methods['daemon.stop']['params'];
    return { stopping: running === 0 || force === true, running };
  };
  return {
    call: call as Gateway['call'],
    follow: (params, listener, signal) => gateway.follow(params, listener, signal),
    notices: (params, listener, signal) => gateway.notices(params, listener, signal),
    busy: () => gateway.busy(),
  };
}

/** A line for the log, which is standard error. */
function log(text: string): void {
  try {
    writeSync(2, `${new Date().toISOString()} [${process.pid}] ${text}\n`);
  } catch {
    // A full disk under the log must not end sessions.
  }
}
