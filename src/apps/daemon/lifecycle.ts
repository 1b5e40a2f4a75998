/** When the daemon leaves, and what it looks after while it lives. */
import { fstatSync, ftruncateSync, statSync } from 'node:fs';

export interface Watch {
  /** How long it stays without clients and without work. */
  readonly idleMs: number;
  readonly stateDir: string;
  /** Whether standard error is the daemon's own log, kept short here. */
  readonly ownsLog: boolean;
  /** Whether a client is connected, something runs or somebody is to answer. */
  inUse(): boolean;
  /** Whether clients still find the socket. */
  socketInPlace(): boolean;
  /** Puts it back. */
  restoreSocket(): Promise<void>;
  leave(reason: string): void;
}

/** Why it leaves when its folder was removed, or another stands in its place. */
export const STATE_GONE = 'the state folder is gone';
const LOOK_MS = 1_000;
/** The event-loop lag is the largest of so many looks: of the last minute. */
const LAGS = 60;
const LONGEST_LOG = 1 << 20;
const STANDARD_ERROR = 2;

/** Looks about once a second until it is stopped. */
export function watchOver(watch: Watch): { stop(): void; lagMs(): number } {
  const home = folderIdentity(watch.stateDir);
  // A clock that is set does not end the daemon: this one only goes forward.
  let lastUse = performance.now();
  let restoring = false;
  const everyMs = Math.max(10, Math.min(LOOK_MS, watch.idleMs / 4));
  const lags: number[] = [];
  let due = performance.now() + everyMs;
  const look = (): void => {
    lags.push(Math.max(0, performance.now() - due));
    if (lags.length > LAGS) lags.shift();
    due = performance.now() + everyMs;
    if (watch.inUse()) lastUse = performance.now();
    if (folderIdentity(watch.stateDir) !== home) watch.leave(STATE_GONE);
    else if (performance.now() - lastUse >= watch.idleMs) watch.leave('nothing to do');
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
      (error: unknown) => watch.leave(`the socket is gone and cannot be put back: ${String(error)}`),
    );
  };
  const timer = setInterval(look, everyMs);
  return { stop: () => clearInterval(timer), lagMs: () => Math.max(0, ...lags) };
}

function folderIdentity(folder: string): string | undefined {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

/** The log is standard error, opened for appending: cut to nothing, it goes on from the start. */
function boundLog(): void {
  const stats = fstatSync(STANDARD_ERROR);
  if (stats.isFile() && stats.size > LONGEST_LOG) ftruncateSync(STANDARD_ERROR, 0);
}
