/** Finds a text in another one, level by level; each level runs only when the one before found nothing. */
import { linesOf } from '../lines/position.ts';
import { isBlank } from './characters.ts';
import { type Edges, fold, type Folded } from './fold.ts';
import { Folds } from './folds.ts';
import { type Indents, indentsOf } from './indent.ts';
import { type Level, LEVELS, reaches } from './levels.ts';

/** One place of the source that matches the old text. */
export interface Match {
  readonly level: Level;
  readonly start: number;
  readonly end: number;
  /** Undefined for an exact match. */
  readonly folding?: Folding;
  /** The old text ends with a newline, and the source ends here without one. */
  readonly open?: true;
}

export interface Folding {
  readonly source: Folded;
  readonly old: Folded;
  /** The start of the match in the folded source. */
  readonly at: number;
  /** The indentation of the old text mapped to the source's; empty below the level that folds indentation. */
  readonly indents: Indents;
}

/** Further matches are ignored: an edit needs one, and a hostile text can have millions. */
export const MOST_MATCHES = 1000;
/** Checking a folded match costs more than finding it. */
const MOST_FOLDED = 200;
/** The most candidates to check; fewer where the text is long. */
const MOST_JUDGED = 20_000;
const MOST_JUDGED_CHARACTERS = 4 << 20;
const NO_INDENTS: Indents = new Map();

interface Found {
  readonly matches: readonly Match[];
  /** There may be others, which were not checked. */
  readonly more: boolean;
}

/** Finds texts in one source; each fold is computed once. */
export class Finder {
  readonly text: string;
  private readonly folds: Folds;
  private last: (Found & { readonly old: string }) | undefined;

  constructor(text: string) {
    this.text = text;
    this.folds = new Folds(text);
  }

  /** The matches of the first level that has any, at most `MOST_MATCHES`, including overlapping ones. */
  find(old: string): readonly Match[] {
    return this.found(old).matches;
  }

  /** Whether there may be more matches than `find` returns. */
  hasMore(old: string): boolean {
    return this.found(old).more;
  }

  private found(old: string): Found {
    if (this.last?.old !== old) {
      const found = this.findByLevel(old);
      this.last = { old, ...(found.matches.length > 0 ? found : { ...found, matches: this.atOpenEnd(old) }) };
    }
    return this.last;
  }

  /** All matches for `replaceAll`, without overlaps; folds line endings only. */
  findAll(old: string, most: number): readonly Match[] {
    const exact = occurrences(this.text, old, old.length, most).map((at) => ({
      level: 'exact' as const,
      start: at,
      end: at + old.length,
    }));
    if (old.trim() === '' || (exact.length > 0 && !/[\r\n]/u.test(old))) return exact;
    // In a file with mixed line endings some places are exact and others are not.
    const folded = this.findAllFolded(old, most);
    return folded.length > exact.length ? folded : exact;
  }

  private findAllFolded(old: string, most: number): readonly Match[] {
    const source = this.folds.at('line-endings');
    const folded = fold(old, 'line-endings', 'inside');
    if (source === undefined || folded === undefined) return [];
    return occurrences(source.text, folded.text, folded.text.length, most).flatMap((at) => {
      const match = this.judge(source, folded, old, 'line-endings', at, 'inside');
      if (match === undefined) return [];
      const { start, end } = match;
      return [this.text.slice(start, end) === old ? { level: 'exact', start, end } : match];
    });
  }

  /** The match of an old text that would be there if the source ended with a newline. */
  private atOpenEnd(old: string): readonly Match[] {
    const { text } = this;
    const bare = withoutFinalNewline(old);
    if (bare === old || text.endsWith('\n') || bare.endsWith('\n')) return [];
    // Only the last place can be at the end.
    const last = text.lastIndexOf(bare);
    const exact: Match[] = last < 0 ? [] : [{ level: 'exact', start: last, end: last + bare.length }];
    return (exact.length > 0 ? exact : this.findByLevel(bare).matches)
      .filter(({ end }) => text.slice(end).trim() === '')
      .map((match) => ({ ...match, level: match.level === 'exact' ? 'line-endings' : match.level, open: true }));
  }

  private findByLevel(old: string): Found {
    const exact = occurrences(this.text, old, 1).map((at) => ({
      level: 'exact' as const,
      start: at,
      end: at + old.length,
    }));
    if (exact.length > 0 || old.trim() === '') return { matches: exact, more: exact.length >= MOST_MATCHES };
    /** Searches without success, by fold. */
    const tried: { readonly source: Folded; readonly text: string }[] = [];
    let more = false;
    for (const level of LEVELS.slice(1)) {
      if (!this.mayMatch(old, level)) continue;
      const source = this.folds.at(level);
      if (source === undefined) continue;
      const found: Match[] = [];
      for (const edges of ['inside', 'lines'] satisfies Edges[]) {
        const folded = fold(old, level, edges);
        if (folded === undefined || folded.text.trim() === '') continue;
        if (tried.some((other) => other.source === source && other.text === folded.text)) continue;
        tried.push({ source, text: folded.text });
        const judged = this.judgeAll(source, folded, old, level, edges);
        more ||= judged.more;
        const before = [...found];
        found.push(...judged.matches.filter((match) => !before.some((other) => isSamePlace(match, other))));
      }
      if (found.length > 0) return { matches: found.sort((a, b) => a.start - b.start), more };
    }
    return { matches: [], more };
  }

  /**
   * Whether an expensive level can find anything: some lines or words of the old text must occur in the source as the level
   * before folds it. This check is cheaper than the folds.
   */
  private mayMatch(old: string, level: Level): boolean {
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

  /** The matches of a folded text, up to a limit of work. */
  private judgeAll(source: Folded, old: Folded, oldText: string, level: Level, edges: Edges): Found {
    const affordable = Math.floor(MOST_JUDGED_CHARACTERS / old.text.length);
    const mostJudged = Math.min(MOST_JUDGED, Math.max(MOST_FOLDED, affordable));
    const matches: Match[] = [];
    let judged = 0;
    for (let at = source.text.indexOf(old.text); at >= 0; at = source.text.indexOf(old.text, at + 1)) {
      if (matches.length >= MOST_FOLDED || judged >= mostJudged) return { matches, more: true };
      judged++;
      const match = this.judge(source, old, oldText, level, at, edges);
      if (match !== undefined) matches.push(match);
    }
    return { matches, more: false };
  }

  /** The match at a place of the folded source; undefined if its ends do not correspond to those of the old text. */
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
    // If the old text begins with the end of a line, the match includes the source's blanks before it.
    if (old.vanishedAt(1) !== undefined || old.text.startsWith('\n')) start = source.sourceEnd(at) ?? start;
    // Blanks at the end of the old text are the end of a line, and match those of the source.
    if (edges === 'lines' && /[ \t]$/u.test(oldText)) {
      while (isBlank(text.charCodeAt(end), true)) end++;
      if (end < text.length && !isEnding(text[end])) return undefined;
    }
    if (!reaches(level, 'indentation')) return { level, start, end, folding: { source, old, at, indents: NO_INDENTS } };
    let begin = start;
    while (begin > 0 && isBlank(text.charCodeAt(begin - 1), true)) begin--;
    const atLineStart = begin === 0 || isEnding(text[begin - 1]);
    if (atLineStart) start = begin;
    else if (edges === 'lines' && /^[ \t]/u.test(oldText)) return undefined;
    const indents = this.indents(oldText, start, end, atLineStart);
    return indents === undefined ? undefined : { level, start, end, folding: { source, old, at, indents } };
  }

  private indents(oldText: string, start: number, end: number, withFirst: boolean): Indents | undefined {
    const sourceLines = linesOf(this.text.slice(start, end).replaceAll(/\r\n?/gu, '\n'));
    const oldLines = linesOf(oldText.replaceAll(/\r\n?/gu, '\n'));
    const pairs = oldLines.map((line, i) => [line, sourceLines[i] ?? ''] as const);
    return indentsOf(withFirst ? pairs : pairs.slice(1));
  }
}

/** The occurrences of a needle, each at least `step` after the one before. */
export function occurrences(text: string, needle: string, step: number, most = MOST_MATCHES): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(needle); at >= 0 && found.length < most; at = text.indexOf(needle, at + step))
    found.push(at);
  return found;
}

/** Whether two matches are the same place, with more or fewer blanks around it. */
function isSamePlace(a: Match, b: Match): boolean {
  return (a.start <= b.start && a.end >= b.end) || (b.start <= a.start && b.end >= a.end);
}

function isEnding(character: string | undefined): boolean {
  return character === '\n' || character === '\r';
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '');
}

export function withoutFinalNewline(text: string): string {
  return text.replace(/\r?\n$/u, '');
}
