import { dominantEol, type Eol } from '../lines/eol.ts';

/** Old systems end lines with a lone carriage return. */
export type Ending = Eol | '\r';

/** Line endings at many places of one text. */
export class Endings {
  private readonly text: string;
  private whole: Ending | undefined;
  /** The next newline after `from` is at `next`; the length of the text where there is none. */
  private from = 0;
  private next = -1;

  constructor(text: string) {
    this.text = text;
  }

  /** The ending of the line at a place; the dominant one for a last line without an ending. */
  at(place: number): Ending {
    const { text } = this;
    if (place < this.from || place > this.next) {
      const found = text.indexOf('\n', place);
      this.from = place;
      this.next = found < 0 ? text.length : found;
    }
    if (this.next === text.length) return (this.whole ??= endingOf(text));
    return this.next > 0 && text[this.next - 1] === '\r' ? '\r\n' : '\n';
  }
}

function endingOf(text: string): Ending {
  return text.includes('\r') && !text.includes('\n') ? '\r' : dominantEol(text);
}
