import type { SessionInput } from '../../../wire/session.ts';
import type { Launched } from '../../process/launch.ts';
import { GivenAnswers } from '../terminal/answers.ts';
import { inputClosed, inputFull } from '../faults.ts';
import { encodeKeys } from './keys.ts';

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

/** What is known of whoever reads the input. */
interface Reader {
  readonly pty: boolean;
  readonly applicationCursor: boolean;
  readonly bracketedPaste: boolean;
}

interface InputBytes {
  readonly bytes: Uint8Array;
  readonly warnings: readonly string[];
  readonly eof: boolean;
}

const NO_TERMINAL = 'the session has no terminal: keys go to its standard input as bytes, Enter as a line feed';
const NO_BRACKETS = 'the session has no terminal: the text is sent without paste marks';
const UNASKED = 'the program has not asked for paste marks: if it shows 200~, paste with bracketed=false';

/** The bytes that an input stands for. */
function inputBytes(input: SessionInput, reader: Reader): InputBytes {
  const enter = reader.pty ? '\r' : '\n';
  switch (input.kind) {
    case 'write':
      return { bytes: Buffer.from(input.data, 'utf8'), warnings: [], eof: input.eof === true };
    case 'raw':
      return { bytes: Buffer.from(input.base64, 'base64'), warnings: [], eof: false };
    case 'submit':
      return { bytes: Buffer.from(enter), warnings: [], eof: false };
    case 'keys': {
      const bytes = encodeKeys(input, { applicationCursor: reader.applicationCursor, enter });
      const named = (input.keys?.length ?? 0) > 0 && !reader.pty;
      return { bytes, warnings: named ? [NO_TERMINAL] : [], eof: false };
    }
    case 'paste': {
      const wrap = input.bracketed ?? reader.pty;
      const warnings = [
        ...(input.bracketed === undefined && !reader.pty ? [NO_BRACKETS] : []),
        ...(wrap && reader.pty && !reader.bracketedPaste ? [UNASKED] : []),
      ];
      return { bytes: Buffer.from(wrap ? bracketedPaste(input.text) : input.text, 'utf8'), warnings, eof: false };
    }
  }
}

const BEGIN = '\u001b[200~';
const END = '\u001b[201~';

/**
 * The text between the marks of a paste. An end mark inside would let the rest of the text act as keys, so it is taken
 * out, as often as taking one out makes another.
 */
export function bracketedPaste(text: string): string {
  let inner = text;
  while (inner.includes(END) || inner.includes('\u009b201~')) {
    inner = inner.replaceAll(END, '').replaceAll('\u009b201~', '');
  }
  return BEGIN + inner + END;
}
