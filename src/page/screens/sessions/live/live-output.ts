import type { SessionInfo } from '../../../../wire/session.ts';
import type { OutputFrame } from '../../../socket/output-frame.ts';
import type { OutputListener } from '../../../socket/subscriptions.ts';

/** Output that is not shown. */
export interface Gap {
  /** `dropped`: the log does not keep it. `skipped`: the page left it out, to show the end. `costly`: it takes too long to draw. */
  readonly why: 'dropped' | 'skipped' | 'costly';
  readonly bytes: number;
}

/** What shows the output. */
export interface OutputView {
  /** Resolves when the bytes are shown; false where a part of them could not be. */
  show(bytes: Uint8Array, stream: 'out' | 'err'): Promise<boolean>;
  /** Output is missing here, so the next bytes begin anew. */
  gap(gap: Gap): void;
  end(session: SessionInfo): void;
  fail(error: unknown): void;
  /** The output is followed: what failed before is over. */
  followed(): void;
}

export interface LiveOutputParts {
  readonly follow: (after: number, listener: OutputListener) => () => void;
  /** The length of the log now. */
  readonly logEnd: () => Promise<number>;
  readonly view: OutputView;
}

/** If the view is further behind, it continues near the end. */
export const FAR_BEHIND = 4 << 20;
/** How much of the end it then shows. */
export const TAIL_BYTES = 256 * 1024;
/** After this much output it checks how far behind it is. */
const CHECK_BYTES = 2 << 20;

/** Follows the output of a session from a position, and skips to the end when the view cannot keep up. */
export class LiveOutput {
  readonly #parts: LiveOutputParts;
  #position = 0;
  #unchecked = 0;
  /** Changes with every subscription; what an earlier one still delivers is ignored. */
  #current: object | undefined;
  #unfollow: (() => void) | undefined;
  #hasEnded = false;
  /** Frames arrive faster than they are shown; each waits for the one before. */
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: LiveOutputParts) {
    this.#parts = parts;
  }

  /** Follows from where it stopped. */
  start(): void {
    if (this.#current !== undefined || this.#hasEnded) return;
    const current = {};
    this.#current = current;
    this.#keepUp(current).catch((error: unknown) => {
      if (this.#current !== current) return; // it was stopped in between
      this.stop(); // so that it can be started again
      this.#parts.view.fail(error);
    });
  }

  /** Ends the subscription and keeps the position. */
  stop(): void {
    this.#current = undefined;
    this.#unfollow?.();
    this.#unfollow = undefined;
  }

  async #keepUp(current: object): Promise<void> {
    const end = await this.#parts.logEnd();
    if (this.#current !== current) return;
    this.#unchecked = 0;
    const isFar = end - this.#position > FAR_BEHIND;
    if (isFar) {
      this.#unfollow?.();
      this.#unfollow = undefined;
      const next = end - TAIL_BYTES;
      this.#parts.view.gap({ why: 'skipped', bytes: next - this.#position });
      this.#position = next;
    }
    if (this.#unfollow === undefined) this.#follow();
  }

  #follow(): void {
    const current = {};
    this.#current = current;
    const { view, follow } = this.#parts;
    const inTurn = (work: () => void | Promise<void>): Promise<void> => {
      this.#turn = this.#turn
        .then(() => (this.#current === current ? work() : undefined))
        .catch((error: unknown) => {
          if (this.#current === current) view.fail(error);
        });
      return this.#turn;
    };
    view.followed();
    this.#unfollow = follow(this.#position, {
      output: (frame) => inTurn(() => this.#show(frame, current)),
      gap: (start, bytes) =>
        void inTurn(() => {
          this.#position = start + bytes;
          view.gap({ why: 'dropped', bytes });
        }),
      end: (session) =>
        void inTurn(() => {
          this.#hasEnded = true;
          view.end(session);
        }),
      fail: (error) =>
        void inTurn(() => {
          this.stop();
          view.fail(error);
        }),
    });
  }

  async #show({ start, bytes, stream }: OutputFrame, current: object): Promise<void> {
    const { view } = this.#parts;
    this.#position = start + bytes.length; // before it is shown: a new subscription must not repeat it
    const isWhole = await view.show(bytes, stream);
    if (!isWhole) view.gap({ why: 'costly', bytes: bytes.length });
    this.#unchecked += bytes.length;
    if (this.#unchecked >= CHECK_BYTES && this.#current === current) await this.#keepUp(current);
  }
}
