/** How lines end near places of a large source, of which only a little is read. */
import type { Eol } from '../lines/eol.ts';
import { type ByteSource, readRange } from '../scan/source.ts';

/** How far a line ending is looked for: first a little, then so far and no further. */
const STEPS = [0x200, 0x1_0000] as const;
const LF = 10;
const CR = 13;

export class NearEndings {
  private readonly source: ByteSource;
  /** What is known: the ending for every place from `from` to `until`. */
  private known: { readonly from: number; readonly until: number; readonly eol: Eol } | undefined;

  constructor(source: ByteSource) {
    this.source = source;
  }

  /** The ending of the line that holds a place; where that ends far away, of the line before. */
  at(place: number): Eol {
    const { known } = this;
    if (known !== undefined && place >= known.from && place <= known.until) return known.eol;
    this.known = this.behind(place) ?? this.before(place);
    return this.known.eol;
  }

  private behind(place: number): NonNullable<NearEndings['known']> | undefined {
    for (const step of STEPS) {
      // One byte more in front: a place can lie between CR and LF.
      const from = Math.max(0, place - 1);
      const bytes = readRange(this.source, from, place + step);
      const newline = bytes.indexOf(LF, place - from);
      if (newline >= 0) return { from: place, until: from + newline, eol: bytes[newline - 1] === CR ? '\r\n' : '\n' };
    }
    return undefined;
  }

  private before(place: number): NonNullable<NearEndings['known']> {
    const [, far] = STEPS;
    const bytes = readRange(this.source, Math.max(0, place - far), place);
    const newline = bytes.lastIndexOf(LF);
    // Half of the way is known to hold no ending, which saves very long lines a look at every place.
    return { from: place, until: place + far / 2, eol: bytes[newline - 1] === CR ? '\r\n' : '\n' };
  }
}
