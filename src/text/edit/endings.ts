/** How the lines of one text end, asked for many places of it. */
import { dominantEol, type Eol } from '../lines/eol.ts';

/** Old systems ended lines with a lone carriage return. */
export type Ending = Eol | '\r';

export class Endings {
  private readonly text: string;
  private whole: Ending | undefined;
  /** From `from` on the next newline is the one at `next`; the text's length where there is none. */
  private from = 0;
  private next = -1;

  constructor(text: string) {
    this.text = text;
  }

  /** The ending of the line that holds a place, or on an unfinished last line the one that most lines have. */
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
