import { Fault, type FaultCode } from '../../../base/fault.ts';
import type { InputSource } from '../../../wire/sessions/recording.ts';
import type { SessionInput } from '../../../wire/session.ts';
import type { LastInput } from '../../../wire/sessions/typing.ts';
import type { Launched } from '../../process/launch.ts';
import { ModelReports } from '../terminal/model-reports.ts';
import { inputClosed, inputFull } from '../faults.ts';
import { encodeKeys } from './keys.ts';

/** How many bytes may wait for a program that does not read. */
const MOST_WAITING = 0x10_0000;
/** How long a call waits for the program to read. */
const WRITE_TIMEOUT_MS = 5000;
/** More waiting reports of the model are dropped: a program that only sends requests must not fill the memory. */
const MOST_REPORT_BYTES = 0x1000;

/** The node was not connected, or refuses input at present: it can be sent again later. */
const STILL_OPEN: readonly FaultCode[] = ['NODE_OFFLINE', 'NODE_CANNOT'];

const UNREAD = 'the program has not read this input yet; it stays in the input buffer';

/** The standard input of a session: what waits to be read, and whether it is open. */
export class SessionStdin {
  readonly #id: string;
  readonly #reports: ModelReports;
  #launched: Launched | undefined;
  #open = false;
  #ended = false;
  #waiting = 0;
  #last: LastInput | undefined;
  readonly #now: () => number;

  constructor(id: string, monotonic: () => number, now: () => number) {
    this.#id = id;
    this.#reports = new ModelReports(monotonic);
    this.#now = now;
  }

  /** When someone sent the last input, and who. */
  get last(): LastInput | undefined {
    return this.#last;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  connect(launched: Launched, open: boolean): void {
    this.#launched = launched;
    this.#open = open && !this.#ended;
  }

  close(): void {
    this.#open = false;
    this.#ended = true;
  }

  /** Sends an input; returns its number of bytes and warnings. */
  async send(
    input: SessionInput,
    source: InputSource,
    target: InputTarget,
  ): Promise<{ readonly bytes: number; readonly warnings: readonly string[] }> {
    const launched = this.#launched;
    if (launched === undefined || !this.#open) throw inputClosed(this.#id, this.#ended);
    const encoded = inputBytes(input, target);
    const bytes = input.kind === 'raw' ? this.#reports.without(encoded.bytes) : encoded.bytes;
    if (this.#waiting > 0 && this.#waiting + bytes.length > MOST_WAITING) throw inputFull(this.#id);
    const read = bytes.length === 0 || (await this.#write(launched, bytes));
    this.#last = { at: this.#now(), source }; // input that a node did not take was not sent
    if (encoded.eof) {
      launched.endInput();
      if (!launched.pty) this.#open = false;
    }
    return { bytes: bytes.length, warnings: read ? encoded.warnings : [...encoded.warnings, UNREAD] };
  }

  /** Sends a report of the terminal model to the program. */
  report(text: string): void {
    const launched = this.#launched;
    if (launched === undefined || !this.#open || this.#waiting > MOST_REPORT_BYTES) return;
    this.#reports.note(text);
    // Not awaited: a program that has exited does not need the report.
    this.#deliver(launched, Buffer.from(text, 'utf8')).catch(() => undefined);
  }

  /** Whether the program read the bytes in time. */
  async #write(launched: Launched, bytes: Uint8Array): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), WRITE_TIMEOUT_MS);
    });
    const written = this.#deliver(launched, bytes).then(() => true as const);
    written.catch(() => undefined); // handled below, unless it fails after the timeout
    try {
      return await Promise.race([written, timeout]);
    } catch (error) {
      if (error instanceof Fault && STILL_OPEN.includes(error.code)) throw error;
      if (!launched.pty) this.#open = false;
      throw inputClosed(this.#id, this.#ended, error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #deliver(launched: Launched, bytes: Uint8Array): Promise<void> {
    this.#waiting += bytes.length;
    try {
      await launched.write(bytes);
    } finally {
      this.#waiting -= bytes.length;
    }
  }
}

/** How the program receives its input. */
interface InputTarget {
  readonly pty: boolean;
  readonly applicationCursor: boolean;
  readonly bracketedPaste: boolean;
}

interface InputBytes {
  readonly bytes: Uint8Array;
  readonly warnings: readonly string[];
  readonly eof: boolean;
}

const NO_TERMINAL = 'the session has no terminal: keys are sent to its standard input as bytes, Enter as a line feed';
const NO_BRACKETS = 'the session has no terminal: the text is sent without paste marks';
const NOT_REQUESTED = 'the program has not requested paste marks: if it shows 200~, paste with bracketed=false';

function inputBytes(input: SessionInput, target: InputTarget): InputBytes {
  const enter = target.pty ? '\r' : '\n';
  switch (input.kind) {
    case 'write':
      return { bytes: Buffer.from(input.data, 'utf8'), warnings: [], eof: input.eof === true };
    case 'raw':
      return { bytes: Buffer.from(input.base64, 'base64'), warnings: [], eof: false };
    case 'submit':
      return { bytes: Buffer.from(enter), warnings: [], eof: false };
    case 'keys': {
      const bytes = encodeKeys(input, { applicationCursor: target.applicationCursor, enter });
      const named = (input.keys?.length ?? 0) > 0 && !target.pty;
      return { bytes, warnings: named ? [NO_TERMINAL] : [], eof: false };
    }
    case 'paste': {
      const wrap = input.bracketed ?? target.pty;
      const warnings = [
        ...(input.bracketed === undefined && !target.pty ? [NO_BRACKETS] : []),
        ...(wrap && target.pty && !target.bracketedPaste ? [NOT_REQUESTED] : []),
      ];
      return { bytes: Buffer.from(wrap ? bracketedPaste(input.text) : input.text, 'utf8'), warnings, eof: false };
    }
  }
}

const BEGIN = '\u001b[200~';
const END = '\u001b[201~';

/** The text between paste marks. Removes end marks inside, which would let the rest of the text act as keys, repeatedly. */
export function bracketedPaste(text: string): string {
  let inner = text;
  while (inner.includes(END) || inner.includes('\u009b201~')) {
    inner = inner.replaceAll(END, '').replaceAll('\u009b201~', '');
  }
  return BEGIN + inner + END;
}
