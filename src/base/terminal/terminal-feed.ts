/**
 * Converts the output of a program for a terminal model: well-formed sequences with limited counts, in pieces that each take
 * a limited time. Malformed and over-long sequences are dropped, so that the model and this parser always agree where a
 * sequence ends.
 */
import {
  type Control,
  controlCost,
  controlSequence,
  escapeSequence,
  repetitions,
  type ScreenSize,
} from './control-sequence.ts';

/** The maximum cost of a piece, in cells that the model touches: a few milliseconds. */
const PIECE_COST = 1 << 18;
/** The maximum number of pieces of one read of the log; more are not drawn. */
export const MOST_PIECES = 64;
const LONGEST_CONTROL = 256;
/** Strings are titles, colours and requests for settings. */
const LONGEST_STRING = 4096;
/** More combining characters on one character are dropped, because the model stores all of them in one cell. */
const MOST_COMBINED = 16;

const PLAIN = /[ -~]+/uy;
/** Characters without a cell of their own. */
const COMBINING = /^[\p{M}\p{Cf}\u1160-\u11ff]$/u;
const ESC = '\u001b';
/** What starts a sequence after ESC, or as a C1 control. */
const INTRODUCERS: ReadonlyMap<string, State> = new Map([
  ['[', 'control'],
  [']', 'string'],
  ['P', 'string'],
  // The model ignores SOS, PM and APC.
  ['X', 'ignored-string'],
  ['^', 'ignored-string'],
  ['_', 'ignored-string'],
]);
const C1_OFFSET = 0x40;

/** Which sequences the model gets; all others are dropped. */
export interface SequenceFilter {
  /** `ESC [ parameters final` */
  control(parameters: string, final: string): boolean;
  /** `ESC rest` */
  escape(rest: string): boolean;
  /** Titles, colours, links, the clipboard, and requests. */
  readonly strings: boolean;
}

const EVERYTHING: SequenceFilter = { control: () => true, escape: () => true, strings: true };

type State = 'text' | 'escape' | 'control' | 'string' | 'ignored-string';

export class TerminalFeed {
  readonly #size: () => ScreenSize;
  readonly #filter: SequenceFilter;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #state: State = 'text';
  /** The introducer of an open string, and what follows the introducer of an open sequence. */
  #introducer = '';
  #open = '';
  /** The last printed character, if no sequence followed it. */
  #printed = '';
  #combined = 0;
  #pieces: string[] = [];
  #piece = '';
  #cost = 0;

  constructor(size: () => ScreenSize, filter: SequenceFilter = EVERYTHING) {
    this.#size = size;
    this.#filter = filter;
  }

  /** The pieces of these bytes; undefined if they cost too much. An incomplete sequence waits for its end. */
  take(bytes: Uint8Array): readonly string[] | undefined {
    return this.takeText(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The same for text. */
  takeText(text: string): readonly string[] | undefined {
    for (let at = 0; at < text.length; ) {
      PLAIN.lastIndex = at;
      const end = this.#state === 'text' && PLAIN.test(text) ? PLAIN.lastIndex : at;
      if (end > at) this.#print(text.slice(at, end));
      const character = end > at ? '' : String.fromCodePoint(text.codePointAt(at)!);
      if (end === at) this.#take(character);
      at = end + character.length;
      if (this.#pieces.length >= MOST_PIECES) return undefined;
    }
    this.#endPiece();
    return this.#pieces.splice(0);
  }

  #take(character: string): void {
    if (character === ESC) {
      if (this.#state === 'string') this.#passString();
      this.#begin('escape');
    } else if (character === '\u0018' || character === '\u001a') this.#begin('text');
    else if (this.#state === 'text') this.#takeText(character);
    else if (this.#state === 'escape') this.#takeEscape(character);
    else if (this.#state === 'control') this.#takeControl(character);
    else this.#takeString(character);
  }

  #takeText(character: string): void {
    const isC1 = character >= '\u0080' && character <= '\u009f';
    const introducer = isC1 ? String.fromCharCode(character.charCodeAt(0) - C1_OFFSET) : '';
    if (INTRODUCERS.has(introducer)) this.#introduce(introducer);
    else if (isC1 && !this.#filter.escape(introducer)) this.#begin('text');
    else if (isC1 || character < ' ' || character === '\u007f')
      this.#pass({ text: character, cost: controlCost(character, this.#size()) });
    else if (COMBINING.test(character)) this.#combine(character);
    else this.#print(character);
  }

  #takeEscape(character: string): void {
    if (this.#open === '' && INTRODUCERS.has(character)) this.#introduce(character);
    else if (character >= ' ' && character <= '/' && this.#open.length < LONGEST_CONTROL) this.#open += character;
    else if (character >= '0' && character <= '~') this.#passEscape(this.#open + character);
    else this.#again(character);
  }

  #takeControl(character: string): void {
    if (character >= ' ' && character <= '?' && this.#open.length < LONGEST_CONTROL) this.#open += character;
    else if (character === 'b') this.#repeat();
    else if (character >= '@' && character <= '~') this.#passControl(this.#open, character);
    else this.#again(character);
  }

  #takeString(character: string): void {
    if (character === '\u0007' || character === '\u009c') {
      if (this.#state === 'string') this.#passString();
      else this.#begin('text');
    } else if (this.#state === 'string') {
      this.#open += character;
      if (this.#open.length > LONGEST_STRING) this.#begin('ignored-string');
    }
  }

  #passControl(parameters: string, final: string): void {
    if (this.#filter.control(parameters, final)) this.#pass(controlSequence(parameters, final, this.#size()));
    else this.#begin('text');
  }

  #passEscape(rest: string): void {
    if (this.#filter.escape(rest)) this.#pass(escapeSequence(rest, this.#size()));
    else this.#begin('text');
  }

  #passString(): void {
    if (!this.#filter.strings) this.#begin('text');
    else this.#pass({ text: `${ESC}${this.#introducer}${this.#open}${ESC}\\`, cost: LONGEST_STRING });
  }

  /** Repeats the last character here, because the model would repeat its combining characters too. */
  #repeat(): void {
    const count = this.#combined === 0 ? repetitions(this.#open, this.#size()) : 0;
    const printed = this.#printed;
    this.#begin('text');
    if (printed !== '' && count > 0) this.#print(printed.repeat(count));
    this.#printed = '';
  }

  #introduce(introducer: string): void {
    this.#begin(INTRODUCERS.get(introducer)!);
    this.#introducer = introducer;
  }

  #begin(state: State): void {
    this.#state = state;
    this.#open = '';
  }

  /** A character that cannot be part of the sequence ends it and is processed as text. */
  #again(character: string): void {
    this.#begin('text');
    this.#take(character);
  }

  #pass({ text, cost }: Control): void {
    this.#begin('text');
    this.#printed = '';
    this.#add(text, cost);
  }

  #combine(character: string): void {
    if (this.#printed === '' || this.#combined >= MOST_COMBINED) return;
    this.#combined++;
    this.#add(character, 1);
  }

  /** Adds text, which may fill lines and scroll. */
  #print(text: string): void {
    const { cols, rows } = this.#size();
    const cost = 2 + Math.ceil(rows / cols);
    const most = Math.floor(PIECE_COST / cost);
    for (let at = 0; at < text.length && this.#pieces.length < MOST_PIECES; at += most)
      this.#add(text.slice(at, at + most), cost * Math.min(most, text.length - at));
    this.#printed = text.slice(-1);
    if (isSurrogate(this.#printed)) this.#printed = text.slice(-2);
    this.#combined = 0;
  }

  #add(text: string, cost: number): void {
    if (this.#cost + cost > PIECE_COST) this.#endPiece();
    this.#piece += text;
    this.#cost += cost;
  }

  #endPiece(): void {
    if (this.#piece !== '') this.#pieces.push(this.#piece);
    this.#piece = '';
    this.#cost = 0;
  }
}

function isSurrogate(unit: string): boolean {
  return unit >= '\udc00' && unit <= '\udfff';
}
