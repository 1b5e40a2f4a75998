/** Finds runs of lines in one file, at any level; the index of a level is built at its first use. */
import { foldLine, isAscii, isBlank, type FuzzLevel } from './fold.ts';
import { LineIndex, type LineSpans } from './line-index.ts';
import { lineAt, lineContaining, lineTableOf, type LineTable } from './line-table.ts';

/** Further matches are ignored. */
export const MOST_PLACES = 100_000;

/** After this many matches inside lines, an index is used instead of the joined text. */
const MOST_MISSES = 1000;

/** Up to this many searches of the text cost less than an index of its lines. */
const JOINED_SEEKS = 16;
const LF = 10;

export class Seeker {
  readonly table: LineTable;
  private readonly indexes: (LineIndex | undefined)[] = [];
  private ascii: boolean | undefined;
  private readonly joined: boolean;

  /** `seeks` is the approximate number of searches. */
  constructor(table: LineTable, seeks: number) {
    this.table = table;
    this.joined = seeks <= JOINED_SEEKS && table.plain;
  }

  /** The start lines of the run, ascending, at line `from` or later. */
  find(run: readonly string[], level: FuzzLevel, from: number): readonly number[] {
    if (run.length === 0 || from + run.length > this.table.count) return [];
    if (level === 0 && this.joined && this.indexes[0] === undefined) {
      const found = this.findJoined(run.join('\n'), run.length, from);
      if (found !== undefined) return found;
    }
    const folded = level === 0 ? run : run.map((line) => foldLine(line, level));
    return this.index(level).find(folded, from, MOST_PLACES);
  }

  matchesAt(run: readonly string[], level: FuzzLevel, start: number): boolean {
    if (start < 0 || start + run.length > this.table.count) return false;
    return run.every((line, i) => foldLine(line, level) === foldLine(lineAt(this.table, start + i), level));
  }

  /** The lines that are equal at a level. */
  linesWith(line: string, level: FuzzLevel, limit: number): readonly number[] {
    return this.index(level).find([foldLine(line, level)], 0, limit);
  }

  /** The lines that contain a piece of text, at `from` or later. */
  linesContaining(piece: string, from: number): readonly number[] {
    const found: number[] = [];
    const { text, starts, ends, count } = this.table;
    if (piece === '' || from >= count) return found;
    for (let at = text.indexOf(piece, starts[from]); at >= 0 && found.length < MOST_PLACES; ) {
      const line = lineContaining(this.table, at);
      if (at + piece.length <= ends[line]!) found.push(line);
      at = text.indexOf(piece, starts[line + 1]);
    }
    return found;
  }

  private index(level: FuzzLevel): LineIndex {
    const known = this.indexes[level];
    if (known !== undefined) return known;
    // The levels above 2 differ only for characters beyond ASCII.
    const built = level > 2 && this.isAscii() ? this.index(2) : new LineIndex(foldedSpans(this.table, level));
    this.indexes[level] = built;
    return built;
  }

  private isAscii(): boolean {
    this.ascii ??= isAscii(this.table.text);
    return this.ascii;
  }

  /** Searches the text itself; undefined when too many matches are not whole lines, so that an index is better. */
  private findJoined(run: string, size: number, from: number): readonly number[] | undefined {
    if (run === '') return undefined;
    const { text, starts, count } = this.table;
    const found: number[] = [];
    let misses = 0;
    for (let at = text.indexOf(run, starts[from]); at >= 0; at = text.indexOf(run, at + 1)) {
      const end = at + run.length;
      const line = lineContaining(this.table, at);
      const whole = starts[line] === at && (end === text.length || text.charCodeAt(end) === LF);
      if (whole && line + size <= count) found.push(line);
      else if (++misses > MOST_MISSES) return undefined;
      if (found.length === MOST_PLACES) break;
    }
    return found;
  }
}

/** The folded lines: blanks are removed by moving offsets; only the levels above 2 need new text. */
function foldedSpans(table: LineTable, level: FuzzLevel): LineSpans {
  if (level === 0) return table;
  if (level <= 2) return trimmedSpans(table, level === 2);
  const lines: string[] = [];
  for (let i = 0; i < table.count; i++) lines.push(foldLine(lineAt(table, i), level));
  return lineTableOf(lines.map((line) => `${line}\n`).join(''), false);
}

function trimmedSpans({ text, count, ...table }: LineTable, bothSides: boolean): LineSpans {
  const starts = table.starts.slice();
  const ends = table.ends.slice();
  for (let i = 0; i < count; i++) {
    let start = starts[i]!;
    let end = ends[i]!;
    while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
    while (bothSides && start < end && isBlank(text.charCodeAt(start))) start++;
    starts[i] = start;
    ends[i] = end;
  }
  return { text, count, starts, ends };
}
