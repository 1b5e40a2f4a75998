/** Detects a daemon that has stopped answering: while a request waits, heartbeats must arrive. */
import { Fault } from '../../base/fault.ts';

export interface SilenceWatch {
  /** Bytes have arrived. */
  received(): void;
  /** A request waits from now on. */
  start(): void;
  /** No request waits any more. */
  stop(): void;
}

/** Longest silence of a daemon that works on a request: it sends a heartbeat every 2 s. */
export const SILENCE_MS = 10_000;
/** The limit is counted in ticks of this process, so that a process stopped with Ctrl-Z sees no false silence when it resumes. */
const TICKS = 10;

/** Calls `silent` once if nothing arrives for `limitMs` while a request waits. */
export function watchSilence(limitMs: number, silent: () => void): SilenceWatch {
  let timer: NodeJS.Timeout | undefined;
  let ticks = 0;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    received() {
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
      timer.unref(); // the socket keeps the process alive
    },
    stop,
  };
}

/** The answer, or the fault `late` if there is none in time. */
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

export function unresponsive(pid: number | undefined, silenceMs: number): Fault {
  const which = pid === undefined ? '' : ` (pid ${pid})`;
  return new Fault('GATEWAY_UNRESPONSIVE', `the daemon did not answer within ${silenceMs / 1_000} s${which}`, {
    hint: 'it hangs or was stopped; pincer daemon stop --force ends it and its sessions',
    details: { ...(pid === undefined ? {} : { pid }), silenceMs },
  });
}
