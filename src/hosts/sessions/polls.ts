import type { LogSlice } from '../../wire/session.ts';
import type { Condition } from './condition.ts';
import type { OutputLog } from './log/log.ts';
import { newestText } from './log/slices.ts';

const POLL_CHARS = 30_000;
const LONGEST_WAIT = 120_000;
/** Output comes in bursts: after its first bytes a waiting poll waits this long for more. */
const BURST = 40;
const FIRST_RETRY = 1000;
const LAST_RETRY = 30_000;

export interface PolledSession {
  readonly log: OutputLog;
  readonly condition: Condition;
  readonly hasEnded: boolean;
}

/** The output since the last poll, and when to poll again while the session runs. */
export interface PollResult {
  readonly output: LogSlice;
  readonly retryInMs?: number;
}

/** The position of each reader: each gets all of the output. */
export class Polls {
  readonly #session: PolledSession;
  readonly #monotonic: () => number;
  readonly #readers = new Map<string, { position: number; emptyPolls: number }>();

  constructor(session: PolledSession, monotonic: () => number) {
    this.#session = session;
    this.#monotonic = monotonic;
  }

  /** Waits for new output or the end, and returns it. If the signal fires, the output stays for the next poll. */
  async poll(reader: string, waitMs: number, signal: AbortSignal | undefined): Promise<PollResult> {
    const state = this.#readers.get(reader) ?? { position: 0, emptyPolls: 0 };
    this.#readers.set(reader, state);
    const until = this.#monotonic() + (waitMs > 0 ? Math.min(waitMs, LONGEST_WAIT) : 0);
    const left = () => until - this.#monotonic();
    let waited = false;
    for (;;) {
      if (signal?.aborted === true) return this.#answer(state, nothingAt(state.position));
      const { hasEnded } = this.#session;
      if (waited && !hasEnded && this.#session.log.end > state.position && left() > 0) {
        await pause(Math.min(BURST, left()));
        waited = false;
        continue;
      }
      const output = newestText(this.#session.log, state.position, POLL_CHARS, hasEnded);
      // No await between reading and moving the position, so that two concurrent polls never get the same bytes.
      if (output.end > state.position || hasEnded || left() <= 0) {
        state.position = output.end;
        return this.#answer(state, output);
      }
      await this.#session.condition.wait(left(), signal);
      waited = true;
    }
  }

  #answer(state: { emptyPolls: number }, output: LogSlice): PollResult {
    if (this.#session.hasEnded) return { output };
    state.emptyPolls = output.end > output.start || output.omitted > 0 ? 0 : state.emptyPolls + 1;
    return { output, retryInMs: Math.min(LAST_RETRY, FIRST_RETRY * 2 ** Math.max(0, state.emptyPolls - 1)) };
  }
}

function nothingAt(position: number): LogSlice {
  return { text: '', start: position, end: position, omitted: 0 };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
