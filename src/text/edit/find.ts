/** Where a text stands in another one, level by level, each level asked only when the one before it found nothing. */
import { lineEnd, lineStart, linesOf } from '../lines/position.ts';
import { type Edges, fold, type Folded } from './fold.ts';
import { Folds } from './folds.ts';
import { type Indents, indentsOf } from './indent.ts';
import { type Level, LEVELS, reaches } from './levels.ts';

/** One place of the source that the old text names. */
export interface Match {
  readonly level: Level;
  readonly start: number;
  readonly end: number;
  /** How the match came about; undefined for an exact one. */
  readonly folding?: Folding;
  /** The old text ends its last line, and the source, which ends here, does not. */
  readonly open?: true;
}

export interface Folding {
  readonly source: Folded;
  readonly old: Folded;
  /** Where the match begins in the folded source. */
  readonly at: number;
  /** What became of the old text's indentation; empty below the level that folds it. */
  readonly indents: Indents;
}

/** More places than these are not told apart: whoever asks wants one, and a hostile text can have millions. */
export const MOST_MATCHES = 1000;
/** Judging a folded match costs more than finding it. */
const MOST_FOLDED = 200;
const NO_INDENTS: Indents = new Map();

/** Finds texts in one source; what it folds, it folds once. */
export class Finder {
  readonly text: string;
  private readonly folds: Folds;
  private last: { readonly old: string; readonly matches: readonly Match[] } | undefined;

  constructor(text: string) {
    this.text = text;
    this.folds = new Folds(text);
  }

  /** The places at the first level that has any, at most `MOST_MATCHES`; overlapping ones count, too. */
  find(old: string): readonly Match[] {
    if (this.last?.old !== old) {
      const matches = this.climb(old);
      this.last = { old, matches: matches.length > 0 ? matches : this.atOpenEnd(old) };
    }
    return this.last.matches;
  }

  /** Every place for `replaceAll`, none overlapping; only where nothing but line endings is folded. */
  findAll(old: string, most: number): readonly Match[] {
    const exact = occurrences(this.text, old, old.length, most);
    if (exact.length > 0 || old.trim() === '')
      return exact.map((at) => ({ level: 'exact', start: at, end: at + old.length }));
    const source = this.folds.at('line-endings');
    const folded = fold(old, 'line-endings', 'inside');
    if (source === undefined || folded === undefined) return [];
    return occurrences(source.text, folded.text, folded.text.length, most).flatMap((at) => {
      const match = this.judge(source, folded, old, 'line-endings', at, 'inside');
      return match === undefined ? [] : [match];
    });
  }

  /** Where the old text would stand if the source had a newline at its end. */
  private atOpenEnd(old: string): readonly Match[] {
    const { text } = this;
    const bare = withoutFinalNewline(old);
    if (bare === old || text.endsWith('\n') || bare.endsWith('\n')) return [];
    return this.climb(bare)
      .filter(({ end }) => text.slice(end).trim() === '')
      .map((match) => ({ ...match, level: match.level === 'exact' ? 'line-endings' : match.level, open: true }));
  }

  private climb(old: string): readonly Match[] {
    const exact = occurrences(this.text, old, 1).map((at) => ({
      level: 'exact' as const,
      start: at,
      end: at + old.length,
    }));
    if (exact.length > 0 || old.trim() === '') return exact;
    /** What was looked for without success, and in which fold. */
    const tried: { readonly source: Folded; readonly text: string }[] = [];
    for (const level of LEVELS.slice(1)) {
      if (!this.isHopeful(old, level)) continue;
      const source = this.folds.at(level);
      if (source === undefined) continue;
      for (const edges of ['inside', 'lines'] satisfies Edges[]) {
        const folded = fold(old, level, edges);
        if (folded === undefined || folded.text.trim() === '') continue;
        if (tried.some((other) => other.source === source && other.text === folded.text)) continue;
        tried.push({ source, text: folded.text });
        const found = occurrences(source.text, folded.text, 1, MOST_FOLDED).flatMap((at) => {
          const match = this.judge(source, folded, old, level, at, edges);
          return match === undefined ? [] : [match];
        });
        if (found.length > 0) return found;
      }
    }
    return [];
  }

  /**
   * Whether a level that folds much can find anything: its folds cost more than looking for some lines or words of
   * the old text, which must stand in the source as the level before shows it.
   */
  private isHopeful(old: string, level: Level): boolean {
    if (!reaches(level, 'indentation')) return true;
    const source = this.folds.at('punctuation');
    const folded = fold(old, 'punctuation', 'lines');
    if (source === undefined || folded === undefined) return false;
    const lines = folded.text.split('\n').filter((line) => line.trim() !== '');
    const samples = [longest(lines), lines[0] ?? '', lines.at(-1) ?? ''];
    const wanted =
      level === 'indentation'
        ? samples.map((line) => line.trim())
        : samples.map((line) => longest(line.split(/[ \t]+/u)));
    return wanted.every((piece) => source.text.includes(piece));
  }

  /** The match at a place of the folded source, unless its ends do not stand where the old text's do. */
  private judge(
    source: Folded,
    old: Folded,
    oldText: string,
    level: Level,
    at: number,
    edges: Edges,
  ): Match | undefined {
    const { text } = this;
    let start = source.sourceStart(at);
    let end = source.sourceEnd(at + old.text.length);
    if (start === undefined || end === undefined) return undefined;
    if (!reaches(level, 'trailing-blanks'))
      return { level, start, end, folding: { source, old, at, indents: NO_INDENTS } };
    // Blanks that the old text ends with are the end of a line, and stand for those of the source.
    if (edges === 'lines' && /[ \t]$/u.test(oldText)) {
      const rest = text.slice(end, lineEnd(text, end)).replace(/\r?\n?$/u, '');
      if (rest.trim() !== '') return undefined;
      end += rest.length;
    }
    if (!reaches(level, 'indentation')) return { level, start, end, folding: { source, old, at, indents: NO_INDENTS } };
    const begin = lineStart(text, start);
    const atLineStart = text.slice(begin, start).trim() === '';
    if (atLineStart) start = begin;
    else if (edges === 'lines' && /^[ \t]/u.test(oldText)) return undefined;
    const indents = this.indents(oldText, start, end, atLineStart);
    return indents === undefined ? undefined : { level, start, end, folding: { source, old, at, indents } };
  }

  private indents(oldText: string, start: number, end: number, withFirst: boolean): Indents | undefined {
    const theirs = linesOf(this.text.slice(start, end).replaceAll(/\r\n?/gu, '\n'));
    const ours = linesOf(oldText.replaceAll(/\r\n?/gu, '\n'));
    const pairs = ours.map((line, i) => [line, theirs[i] ?? ''] as const);
    return indentsOf(withFirst ? pairs : pairs.slice(1));
  }
}

/** The places of a needle, each at least `step` behind the one before. */
export function occurrences(text: string, needle: string, step: number, most = MOST_MATCHES): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(needle); at >= 0 && found.length < most; at = text.indexOf(needle, at + step))
    found.push(at);
  return found;
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '');
}

/** A text whose last line is not ended. */
export function withoutFinalNewline(text: string): string {
  return text.replace(/\r?\n$/u, '');
}
