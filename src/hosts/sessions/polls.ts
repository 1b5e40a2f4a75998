import type { LogSlice } from '../../wire/session.ts';
import type { Bell } from './bell.ts';
import type { OutputLog } from './log/log.ts';
import { newestText } from './log/slices.ts';

const POLL_CHARS = 30_000;
const LONGEST_WAIT = 120_000;
/** Output comes in bursts: after the first of it a waiting poll stays so long for the rest. */
const BURST = 40;
const FIRST_RETRY = 1000;
const LAST_RETRY = 30_000;

/** What polls need to know of a session. */
export interface Polled {
  readonly log: OutputLog;
  readonly bell: Bell;
  readonly over: boolean;
}

/** What one poll got: the output since the last one, and when to ask again while it runs. */
export interface Polling {
  readonly output: LogSlice;
  readonly retryInMs?: number;
}

/** Who has seen how much: each reader drains the log for itself. */
export class Polls {
  readonly #session: Polled;
  readonly #monotonic: () => number;
  readonly #readers = new Map<string, { position: number; inVain: number }>();

  constructor(session: Polled, monotonic: () => number) {
    this.#session = session;
    this.#monotonic = monotonic;
  }

  /** Waits for new output or the end, and drains. A signal that fires leaves the output for the next poll. */
  async poll(reader: string, waitMs: number, signal: AbortSignal | undefined): Promise<Polling> {
    const state = this.#readers.get(reader) ?? { position: 0, inVain: 0 };
    this.#readers.set(reader, state);
    const until = this.#monotonic() + (waitMs > 0 ? Math.min(waitMs, LONGEST_WAIT) : 0);
    const left = () => until - this.#monotonic();
    let waited = false;
    for (;;) {
      if (signal?.aborted === true) return this.#answer(state, nothingAt(state.position));
      const { over } = this.#session;
      if (waited && !over && this.#session.log.end > state.position && left() > 0) {
        await pause(Math.min(BURST, left()));
        waited = false;
        continue;
      }
      const output = newestText(this.#session.log, state.position, POLL_CHARS, over);
      // All of this happens in one step, so that two polls at once never get the same bytes.
      if (output.end > state.position || over || left() <= 0) {
        state.position = output.end;
        return this.#answer(state, output);
      }
      await this.#session.bell.wait(left(), signal);
      waited = true;
    }
  }

  #answer(state: { inVain: number }, output: LogSlice): Polling {
    if (this.#session.over) return { output };
    state.inVain = output.end > output.start || output.omitted > 0 ? 0 : state.inVain + 1;
    return { output, retryInMs: Math.min(LAST_RETRY, FIRST_RETRY * 2 ** Math.max(0, state.inVain - 1)) };
  }
}

function nothingAt(position: number): LogSlice {
  return { text: '', start: position, end: position, omitted: 0 };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
