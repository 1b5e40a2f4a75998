import type { ControlAnswer, SessionInput } from '../../../../wire/session.ts';

export interface TypistParts {
  control(take: boolean): Promise<ControlAnswer>;
  input(input: SessionInput): Promise<unknown>;
  /** The typed text did not arrive. */
  fail(error: unknown): void;
}

/** One message carries at most this many bytes. */
const MOST_BYTES = 64 * 1024;

/** Types into a session. Keys are sent in order: those that are pressed while a message is on its way go with the next one. */
export class Typist {
  readonly #parts: TypistParts;
  #unsent: number[] = [];
  #isSending = false;
  #hasControl = false;
  /** Changes with every wish to type or to stop; a control that arrives after another wish is given back. */
  #wish: object | undefined;
  /** A control that is given back now: the next one is taken after it. */
  #givingBack: Promise<unknown> = Promise.resolve();

  constructor(parts: TypistParts) {
    this.#parts = parts;
  }

  get hasControl(): boolean {
    return this.#hasControl;
  }

  /** `hasControl` is still false afterwards if the person stopped typing in between. */
  async take(): Promise<ControlAnswer> {
    const wish = {};
    this.#wish = wish;
    await this.#givingBack;
    const answer = await this.#parts.control(true);
    if (this.#wish === wish) this.#hasControl = answer.ok;
    else if (answer.ok && this.#wish === undefined) this.#giveBack();
    return answer;
  }

  async release(): Promise<void> {
    const hadControl = this.#hasControl;
    this.forget();
    if (hadControl) await this.#parts.control(false);
  }

  /** The control ended without this page: the link was lost, or the session ended. */
  forget(): void {
    this.#wish = undefined;
    this.#hasControl = false;
    this.#unsent = [];
  }

  /** Otherwise the server keeps it for this page until the link ends, and no other person can type. */
  #giveBack(): void {
    this.#givingBack = this.#parts.control(false).catch(() => undefined); // a lost link ends the control, too
  }

  /** UTF-8 of what was typed, or raw bytes of a mouse report. */
  type(bytes: Iterable<number>): void {
    if (!this.#hasControl) return;
    for (const byte of bytes) this.#unsent.push(byte);
    if (!this.#isSending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      while (this.#unsent.length > 0 && this.#hasControl) {
        const bytes = this.#unsent.splice(0, MOST_BYTES);
        await this.#parts.input({ kind: 'raw', base64: base64Of(bytes) });
      }
    } catch (error) {
      if (this.#hasControl) this.#giveBack();
      this.forget();
      this.#parts.fail(error);
    } finally {
      this.#isSending = false;
    }
  }
}

function base64Of(bytes: readonly number[]): string {
  return btoa(bytes.map((byte) => String.fromCharCode(byte)).join(''));
}
