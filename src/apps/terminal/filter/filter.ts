/**
 * Filters the output of untrusted programs for the operator's terminal. It passes:
 *   text         UTF-8 characters; other bytes unchanged
 *   TAB, LF, CR  CR for progress lines: it overwrites only the program's own line
 *   styles       `ESC [ … m`, see styles.ts
 * All other sequences that begin with ESC are dropped: titles, the clipboard (OSC 52), queries, cursor movement, modes.
 * Other control characters are shown as `\u0007`. These include backspace, which leaves the line on terminals with reverse
 * wraparound, the C1 controls, as a character or as a byte, and bidirectional marks.
 *
 * A line feed ends an unterminated string (OSC, DCS, …), so that a program cannot hide more than a line of its output.
 */
import { visible } from '../visible.ts';
import { passingStyles } from './styles.ts';
import { Utf8Character } from './utf8.ts';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const DEL = 0x7f;
/** Longer control sequences and strings are treated as text. */
const LONGEST_CONTROL = 128;
const LONGEST_STRING = 0x1_0000;
/** All control characters are below this one; of the first 128, most are plain text. */
const LAST_FORMAT = 0x206f;
const RESET = '\u001b[0m';

type State = 'text' | 'character' | 'escape' | 'control' | 'string';

export interface TerminalFilterOptions {
  readonly colour: boolean;
}

/** The filter of one stream; chunks may split a sequence anywhere. */
export class TerminalFilter {
  readonly #colour: boolean;
  readonly #character = new Utf8Character();
  #state: State = 'text';
  #control = '';
  #stringLength = 0;
  #isStyled = false;
  #passed: Uint8Array[] = [];

  constructor({ colour }: TerminalFilterOptions) {
    this.#colour = colour;
  }

  /** The filtered bytes. An incomplete sequence waits for its end. */
  write(bytes: Uint8Array): Uint8Array {
    for (let at = 0; at < bytes.length; at++) {
      const end = this.#state === 'text' ? endOfPlain(bytes, at) : at;
      if (end > at) this.#passed.push(bytes.subarray(at, end));
      at = end;
      if (at < bytes.length) this.#take(bytes[at]!);
    }
    return this.#flush();
  }

  /** The rest of the output, and a reset of an active style. */
  end(): Uint8Array {
    if (this.#state === 'character') this.#passBytes(this.#character.bytes);
    this.#state = 'text';
    if (this.#isStyled) this.#passText(RESET);
    this.#isStyled = false;
    return this.#flush();
  }

  #take(byte: number): void {
    if (this.#state === 'text') this.#takeText(byte);
    else if (this.#state === 'character') this.#takeCharacter(byte);
    else if (this.#state === 'escape') this.#takeEscape(byte);
    else if (this.#state === 'control') this.#takeControl(byte);
    else this.#takeString(byte);
  }

  #takeText(byte: number): void {
    if (byte === ESC) this.#state = 'escape';
    else if (isPlain(byte)) this.#passed.push(Uint8Array.of(byte));
    else if (byte >= 0x80 && this.#character.begin(byte)) this.#state = 'character';
    else this.#passBytes(Uint8Array.of(byte));
  }

  #takeCharacter(byte: number): void {
    const taken = this.#character.take(byte);
    if (taken === 'open') return;
    const bytes = this.#character.bytes.slice();
    this.#state = 'text';
    if (taken === 'complete') this.#passCharacter(bytes);
    else {
      this.#passBytes(bytes);
      this.#takeText(byte);
    }
  }

  #takeEscape(byte: number): void {
    if (byte === 0x5b) {
      this.#state = 'control';
      this.#control = '';
    } else if (isStringStart(byte)) {
      this.#state = 'string';
      this.#stringLength = 0;
    } else if (byte >= 0x20 && byte <= 0x2f)
      return; // an intermediate byte
    else if (byte >= 0x30 && byte < DEL) this.#state = 'text';
    else this.#again(byte);
  }

  #takeControl(byte: number): void {
    if (byte >= 0x20 && byte <= 0x3f && this.#control.length < LONGEST_CONTROL)
      this.#control += String.fromCharCode(byte);
    else if (byte >= 0x40 && byte < DEL) {
      this.#state = 'text';
      // `ESC [ > 4 m` and `ESC [ ? 4 m` are not styles: a style has only parameters.
      const styles = byte === 0x6d && /^[\d:;]*$/u.test(this.#control) ? passingStyles(this.#control) : undefined;
      if (styles !== undefined && this.#colour) this.#passStyles(styles);
    } else this.#again(byte);
  }

  #takeString(byte: number): void {
    if (byte === BEL || byte === CAN || byte === SUB) this.#state = 'text';
    else if (byte === ESC || byte === LF || ++this.#stringLength > LONGEST_STRING) this.#again(byte);
  }

  /** A byte that does not belong to the sequence ends it and is processed on its own. */
  #again(byte: number): void {
    this.#state = 'text';
    this.#takeText(byte);
  }

  #passStyles(styles: string): void {
    this.#passText(`\u001b[${styles}m`);
    this.#isStyled = styles !== '0';
  }

  #passCharacter(bytes: Uint8Array): void {
    const character = Buffer.from(bytes).toString();
    if (character.codePointAt(0)! > LAST_FORMAT) this.#passed.push(bytes);
    else this.#passText(visible(character));
  }

  /** Bytes outside UTF-8: controls are shown, others pass unchanged. */
  #passBytes(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte < 0xa0) this.#passText(visible(String.fromCharCode(byte)));
      else this.#passed.push(Uint8Array.of(byte));
    }
  }

  #passText(text: string): void {
    this.#passed.push(Buffer.from(text));
  }

  #flush(): Uint8Array {
    const [only] = this.#passed;
    const bytes = this.#passed.length === 1 && only !== undefined ? only : Buffer.concat(this.#passed);
    this.#passed = [];
    return bytes;
  }
}

function isPlain(byte: number): boolean {
  return (byte >= 0x20 && byte < DEL) || byte === LF || byte === CR || byte === TAB;
}

/** DCS, SOS, OSC, PM and APC: `P`, `X`, `]`, `^`, `_`. */
function isStringStart(byte: number): boolean {
  return byte === 0x50 || byte === 0x58 || byte === 0x5d || byte === 0x5e || byte === 0x5f;
}

function endOfPlain(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isPlain(bytes[at]!)) at++;
  return at;
}
