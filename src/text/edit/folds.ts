/** The folds of one source, each made once, and none that could not show anything new. */
import { fold, type Folded, unfolded } from './fold.ts';
import type { Level } from './levels.ts';

/** Up to this length every fold of a source is kept, above it only the last one. */
const MOST_KEPT = 16 << 20;

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

  /** The source folded for a level; the same object for two levels that see no difference in it. */
  at(asked: Level): Folded | undefined {
    const level = this.needed(asked);
    if (level === 'exact') return this.plain;
    if (!this.made.has(level)) {
      if (this.text.length > MOST_KEPT) this.made.clear();
      this.made.set(level, fold(this.text, level, 'lines'));
    }
    return this.made.get(level);
  }

  /** The lowest level that folds this source in the same way. */
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
