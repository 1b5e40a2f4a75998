import { fold, type Folded, unfolded } from './fold.ts';
import type { Level } from './levels.ts';

/** Up to this length all folds of a source are kept, above it only the last one. */
const MOST_KEPT = 16 << 20;

/** The folds of one source. Each is computed once, and only if it differs from the level below. */
export class Folds {
  private readonly text: string;
  private readonly made = new Map<Level, Folded | undefined>();
  private readonly plain: Folded;
  private ascii: boolean | undefined;
  private blanksAtEnds: boolean | undefined;
  private returns: boolean | undefined;

  constructor(text: string) {
    this.text = text;
    this.plain = unfolded(text);
  }

  /** The same object for two levels that fold this source equally. */
  at(asked: Level): Folded | undefined {
    const level = this.needed(asked);
    if (level === 'exact') return this.plain;
    if (!this.made.has(level)) {
      if (this.text.length > MOST_KEPT) this.made.clear();
      this.made.set(level, fold(this.text, level, 'lines'));
    }
    return this.made.get(level);
  }

  /** The lowest level that folds this source equally. */
  private needed(level: Level): Level {
    if (level === 'punctuation') {
      this.ascii ??= !/[\u0080-\uFFFF]/.test(this.text);
      return this.ascii ? this.needed('trailing-blanks') : level;
    }
    if (level === 'trailing-blanks') {
      this.blanksAtEnds ??= /[ \t](?:[\r\n]|$)/u.test(this.text);
      return this.blanksAtEnds ? level : this.needed('line-endings');
    }
    if (level === 'line-endings') {
      this.returns ??= this.text.includes('\r');
      return this.returns ? level : 'exact';
    }
    return level;
  }
}
