/**
 * How long the node of a command is not connected. The time counts across restarts of the gateway. After each start a node has time
 * to connect, because it could not while the gateway was off, and the clock may have been set meanwhile.
 */
export interface AbsenceOptions {
  readonly now: () => number;
  readonly lostAfterMs: number;
  readonly graceMs: number;
  /** Stores when it began; undefined at its end. */
  note(since: number | undefined): void;
  /** The node was away for too long. */
  lost(): void;
}

export class Absence {
  readonly #options: AbsenceOptions;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** It began in an earlier process. */
  #isContinued = false;

  constructor(options: AbsenceOptions) {
    this.#options = options;
  }

  /** Undefined while the node is connected. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Takes over what an earlier process has stored. */
  continue(since: number | undefined): void {
    this.#since = since;
    this.#isContinued = since !== undefined;
  }

  begin(): void {
    const { now, lostAfterMs, graceMs } = this.#options;
    if (this.#since === undefined) {
      this.#since = now();
      this.#options.note(this.#since);
    }
    const leftMs = Math.min(this.#since + lostAfterMs - now(), lostAfterMs); // the clock may have been set back
    const graceLeftMs = this.#isContinued ? Math.min(graceMs, lostAfterMs) : 0;
    this.#timer ??= setTimeout(() => this.#options.lost(), Math.max(graceLeftMs, leftMs));
    this.#timer.unref();
  }

  /** The node connects: it is not lost any more. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The node has answered. */
  end(): void {
    this.pause();
    if (this.#since === undefined) return;
    this.#since = undefined;
    this.#isContinued = false;
    this.#options.note(undefined);
  }
}
