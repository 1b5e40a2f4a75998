/** The input of a session whose steps run one after the other: bytes go to the step that reads it, and wait for one. */
import { inputClosed } from '../process/command.ts';

/** The input of a step. */
export interface InputTaker {
  /** Rejects when the step reads no more. */
  write(bytes: Uint8Array): Promise<void>;
  end(): void;
}

export class SessionInput {
  readonly #session: string;
  #taker: InputTaker | undefined;
  #isEnded: boolean;
  #isClosed = false;
  #changed: () => void = () => {};
  #change = this.#nextChange();

  constructor(session: string, isOpen: boolean) {
    this.#session = session;
    this.#isEnded = !isOpen;
  }

  attach(taker: InputTaker): void {
    this.#taker = taker;
    if (this.#isEnded) taker.end();
    this.#notify();
  }

  detach(taker: InputTaker): void {
    if (this.#taker === taker) this.#taker = undefined;
  }

  /** Resolves when a step has taken the bytes. A step that ends before that leaves them to the next one. */
  async write(bytes: Uint8Array): Promise<void> {
    while (!this.#isClosed && !this.#isEnded) {
      const taker = this.#taker;
      if (taker === undefined) {
        await this.#change;
        continue;
      }
      try {
        await taker.write(bytes);
        return;
      } catch {
        this.detach(taker); // it reads no more
      }
    }
    throw inputClosed(this.#session);
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#taker?.end();
    this.#notify();
  }

  /** No further step reads. */
  close(): void {
    this.#isClosed = true;
    this.#taker = undefined;
    this.#notify();
  }

  #notify(): void {
    this.#changed();
    this.#change = this.#nextChange();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => (this.#changed = resolve));
  }
}
