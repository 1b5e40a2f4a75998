/** Notices that the daemon has stopped answering: while a request waits, something must arrive now and then. */
import { Fault } from '../../base/fault.ts';

export interface SilenceWatch {
  /** Bytes have arrived. */
  heard(): void;
  /** Something waits for the daemon from now on. */
  start(): void;
  /** Nothing waits any more. */
  stop(): void;
}

/** Longest silence of a daemon that works on a request: it sends a heartbeat every 2 s. */
export const SILENCE_MS = 10_000;
/** The limit is counted in ticks of this process: one that was stopped itself (Ctrl-Z) finds no false silence when it goes on. */
const TICKS = 10;

/** Calls `silent` once when nothing has arrived for `limitMs` while something waited. */
export function watchSilence(limitMs: number, silent: () => void): SilenceWatch {
  let timer: NodeJS.Timeout | undefined;
  let ticks = 0;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    heard() {
      ticks = 0;
    },
    start() {
      if (timer !== undefined) return;
      ticks = 0;
      timer = setInterval(() => {
        if (++ticks < TICKS) return;
        stop();
        silent();
      }, limitMs / TICKS);
      timer.unref(); // the socket holds the process up
    },
    stop,
  };
}

/** What is asked, or this fault when there is no answer in time. Default: GATEWAY_UNRESPONSIVE. */
export function answeredWithin<T>(
  limitMs: number,
  ask: () => Promise<T>,
  late: Fault = unresponsive(undefined, limitMs),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const watch = watchSilence(limitMs, () => reject(late));
    watch.start();
    ask()
      .then(resolve, reject)
      .finally(() => watch.stop());
  });
}

/** The daemon is there, and does not answer: it hangs, or was stopped. */
export function unresponsive(pid: number | undefined, silenceMs: number): Fault {
  const which = pid === undefined ? '' : ` (pid ${pid})`;
  return new Fault('GATEWAY_UNRESPONSIVE', `the daemon did not answer within ${silenceMs / 1_000} s${which}`, {
    hint: 'it hangs or was stopped; pincer daemon stop --force ends it, and its sessions',
    details: { ...(pid === undefined ? {} : { pid }), silenceMs },
  });
}
