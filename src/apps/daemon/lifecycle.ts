/** Watches the daemon: requests its stop when it is idle or its state folder is gone, and keeps its socket and log in order. */
import { fstatSync, ftruncateSync, statSync } from 'node:fs';

export interface WatchOptions {
  /** The daemon stops after this time without clients and work. */
  readonly idleMs: number;
  readonly stateDir: string;
  /** Whether stderr is the daemon's own log file, whose size is limited here. */
  readonly ownsLog: boolean;
  /** Whether a client is connected, a session runs or an approval is pending. */
  inUse(): boolean;
  /** Whether the socket file still exists. */
  socketInPlace(): boolean;
  restoreSocket(): Promise<void>;
  requestStop(reason: string): void;
}

/** The state folder was removed or replaced. */
export const STATE_GONE = 'the state folder is gone';
const POLL_MS = 1_000;
/** The event-loop lag is the maximum of this many polls: of the last minute. */
const LAGS = 60;
const LONGEST_LOG = 1 << 20;
const STDERR = 2;

export function watchDaemon(watch: WatchOptions): { stop(): void; lagMs(): number } {
  const identity = folderIdentity(watch.stateDir);
  // A monotonic clock: a change of the system time must not stop the daemon.
  let lastUse = performance.now();
  let restoring = false;
  const everyMs = Math.max(10, Math.min(POLL_MS, watch.idleMs / 4));
  const lags: number[] = [];
  let due = performance.now() + everyMs;
  const poll = (): void => {
    lags.push(Math.max(0, performance.now() - due));
    if (lags.length > LAGS) lags.shift();
    due = performance.now() + everyMs;
    if (watch.inUse()) lastUse = performance.now();
    if (folderIdentity(watch.stateDir) !== identity) watch.requestStop(STATE_GONE);
    else if (performance.now() - lastUse >= watch.idleMs) watch.requestStop('idle');
    else {
      if (watch.ownsLog) boundLog();
      keepSocket();
    }
  };
  const keepSocket = (): void => {
    if (restoring || watch.socketInPlace()) return;
    restoring = true;
    watch.restoreSocket().then(
      () => (restoring = false),
      (error: unknown) => watch.requestStop(`the socket is gone and cannot be restored: ${String(error)}`),
    );
  };
  const timer = setInterval(poll, everyMs);
  return { stop: () => clearInterval(timer), lagMs: () => Math.max(0, ...lags) };
}

function folderIdentity(folder: string): string | undefined {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

/** Stderr is opened for appending, so writes continue at offset 0 after the truncation. */
function boundLog(): void {
  const stats = fstatSync(STDERR);
  if (stats.isFile() && stats.size > LONGEST_LOG) ftruncateSync(STDERR, 0);
}
