import type { SessionInput } from '../../wire/session.ts';
import type { Launched } from '../process/launch.ts';
import { GivenAnswers } from './answers.ts';
import { inputClosed, inputFull } from './faults.ts';
import { inputBytes, type Reader } from './input-bytes.ts';

/** More than this does not wait for a program that does not read. */
const MOST_WAITING = 0x10_0000;
/** A call waits so long for the program to read. */
const PATIENCE = 5000;
/** Answers of the terminal model beyond this are dropped: a program that only asks must not fill the memory. */
const MOST_ANSWERS = 0x1000;

const UNREAD = 'the program has not read this input yet: it waits for the program to read';

/** The way to a session's standard input: what waits there, and whether it is still open. */
export class InputLine {
  readonly #id: string;
  readonly #answers: GivenAnswers;
  #launched: Launched | undefined;
  #open = false;
  #over = false;
  #waiting = 0;

  constructor(id: string, monotonic: () => number) {
    this.#id = id;
    this.#answers = new GivenAnswers(monotonic);
  }

  get isOpen(): boolean {
    return this.#open;
  }

  connect(launched: Launched, open: boolean): void {
    this.#launched = launched;
    this.#open = open && !this.#over;
  }

  close(): void {
    this.#open = false;
    this.#over = true;
  }

  /** Sends an input; the answer says how many bytes it was and what was odd about it. */
  async send(
    input: SessionInput,
    reader: Reader,
  ): Promise<{ readonly bytes: number; readonly warnings: readonly string[] }> {
    const launched = this.#launched;
    if (launched === undefined || !this.#open) throw inputClosed(this.#id, this.#over);
    const encoded = inputBytes(input, reader);
    const bytes = input.kind === 'raw' ? this.#answers.without(encoded.bytes) : encoded.bytes;
    if (this.#waiting > 0 && this.#waiting + bytes.length > MOST_WAITING) throw inputFull(this.#id);
    const read = bytes.length === 0 || (await this.#write(launched, bytes));
    if (encoded.eof) {
      launched.endInput();
      if (!launched.pty) this.#open = false;
    }
    return { bytes: bytes.length, warnings: read ? encoded.warnings : [...encoded.warnings, UNREAD] };
  }

  /** What the terminal model says to the program. */
  answer(text: string): void {
    const launched = this.#launched;
    if (launched === undefined || !this.#open || this.#waiting > MOST_ANSWERS) return;
    this.#answers.note(text);
    // Nobody waits for it: a program that has gone does not miss the answer.
    this.#handOver(launched, Buffer.from(text, 'utf8')).catch(() => undefined);
  }

  /** Whether the bytes were handed over in time. */
  async #write(launched: Launched, bytes: Uint8Array): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), PATIENCE);
    });
    const written = this.#handOver(launched, bytes).then(() => true as const);
    written.catch(() => undefined); // heard below, unless it fails after the patience is over
    try {
      return await Promise.race([written, late]);
    } catch (error) {
      if (!launched.pty) this.#open = false;
      throw inputClosed(this.#id, this.#over, error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #handOver(launched: Launched, bytes: Uint8Array): Promise<void> {
    this.#waiting += bytes.length;
    try {
      await launched.write(bytes);
    } finally {
      this.#waiting -= bytes.length;
    }
  }
}
