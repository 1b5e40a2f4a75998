/**
 * From a match and the new text to splices. What the old and the new text share stays as the source has it: a fold
 * serves to find, and lines that nobody wanted to change keep their blanks, quotes, indentation and endings.
 */
import { type Eol, eolAt } from '../lines/eol.ts';
import { linesOf } from '../lines/position.ts';
import type { Splice } from '../lines/splice.ts';
import { startsOf } from './diff.ts';
import { type Folding, type Match, withoutFinalNewline } from './find.ts';
import { indentOf, isBlankLine, reindent } from './indent.ts';
import { lineHunks } from './lcs.ts';
import { reaches } from './levels.ts';

/** A piece of the old text and the piece of the new one that takes its place. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** The splices that put the new text where the old one was found; none when nothing would change. */
export function renderEdit(text: string, match: Match, oldText: string, newText: string): Splice[] {
  const { folding } = match;
  if (match.open) {
    const { open: _, ...closed } = match;
    return renderEdit(text, closed, withoutFinalNewline(oldText), withoutFinalNewline(newText));
  }
  if (folding === undefined) return renderExact(text, match, oldText, newText);
  const place = new Placed(text, match, folding, oldText);
  return differences(oldText, newText)
    .map((piece) => place.snap(trim(oldText, newText, piece)))
    .map((piece) => place.splice(piece, newText))
    .filter(({ start, end, text: put }) => text.slice(start, end) !== put);
}

function renderExact(text: string, match: Match, oldText: string, newText: string): Splice[] {
  // A model that names no line ending in the old text has not seen those of the file.
  const unaware = !oldText.includes('\n') && newText.includes('\n') && !newText.includes('\r');
  const put = unaware ? newText.replaceAll('\n', eolAt(text, match.start)) : newText;
  return put === oldText ? [] : [{ start: match.start, end: match.end, text: put }];
}

/** The runs of whole lines that differ. */
function differences(oldText: string, newText: string): Piece[] {
  const before = linesOf(oldText);
  const after = linesOf(newText);
  const starts = startsOf(before);
  const newStarts = startsOf(after);
  const plain = (line: string): string => line.replace(/\r?\n$/u, '\n');
  return lineHunks(before.map(plain), after.map(plain)).map((hunk) => ({
    start: starts[hunk.start]!,
    end: starts[hunk.end]!,
    newStart: newStarts[hunk.newStart]!,
    newEnd: newStarts[hunk.newEnd]!,
  }));
}

/** Takes off what both pieces begin and end with; pairs of surrogates and line endings stay together. */
function trim(oldText: string, newText: string, { start, end, newStart, newEnd }: Piece): Piece {
  const shorter = Math.min(end - start, newEnd - newStart);
  let head = 0;
  while (head < shorter && oldText.charCodeAt(start + head) === newText.charCodeAt(newStart + head)) head++;
  while (head > 0 && joins(oldText, start + head)) head--;
  let tail = 0;
  while (tail < shorter - head && oldText.charCodeAt(end - 1 - tail) === newText.charCodeAt(newEnd - 1 - tail)) tail++;
  while (tail > 0 && (joins(oldText, end - tail) || joins(newText, newEnd - tail))) tail--;
  // Blanks folded away before this line ending are those of an old line, not of the last of several new ones.
  if (newText.slice(newStart + head, newEnd - tail).includes('\n')) {
    if (newText[newEnd - tail] === '\r') tail--;
    if (tail > 0 && newText[newEnd - tail] === '\n') tail--;
  }
  // A line that only lends its indentation to what stays could not be indented anew.
  const cut = newEnd - tail;
  const begun = newText.slice(Math.max(newStart + head, newText.lastIndexOf('\n', cut - 1) + 1), cut);
  if (begun !== '' && isBlankLine(begun)) {
    const ending = newText.indexOf('\n', cut);
    tail = ending < 0 || ending >= newEnd ? 0 : newEnd - ending - 1;
  }
  return { start: start + head, end: end - tail, newStart: newStart + head, newEnd: newEnd - tail };
}

/** Whether a cut before `at` would part a pair of surrogates or CR and LF. */
function joins(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return ((before & 0xfc00) === 0xd800 && (after & 0xfc00) === 0xdc00) || (before === 13 && after === 10);
}

/** The old text laid on the source. */
class Placed {
  private readonly text: string;
  private readonly match: Match;
  private readonly folding: Folding;
  private readonly oldText: string;

  constructor(text: string, match: Match, folding: Folding, oldText: string) {
    this.text = text;
    this.match = match;
    this.folding = folding;
    this.oldText = oldText;
  }

  /** Widens a piece until both its ends can be told in the source. */
  snap(piece: Piece): Piece {
    let { start, end, newStart, newEnd } = piece;
    while (start > 0 && this.before(start) === undefined) {
      start--;
      newStart--;
    }
    while (end < this.oldText.length && this.behind(end) === undefined) {
      end++;
      newEnd++;
    }
    return { start, end, newStart, newEnd };
  }

  splice({ start, end, newStart, newEnd }: Piece, newText: string): Splice {
    const from = this.before(start) ?? this.match.start;
    const until = Math.max(from, end === start ? from : (this.behind(end) ?? this.match.end));
    const lines = linesOf(newText.slice(newStart, newEnd));
    const { indents } = this.folding;
    const whole = newStart === 0 ? this.atLineStart(from) : newText[newStart - 1] === '\n';
    const indented = lines.map((line, i) => (i === 0 && !whole ? line : reindent(line, indents)));
    return { start: from, end: until, text: this.withEndings(indented, from, until) };
  }

  /** The place of the source where a piece that begins at `offset` of the old text begins. */
  private before(offset: number): number | undefined {
    if (offset === 0) return this.match.start;
    const { source, old, at, indents } = this.folding;
    const folded = old.foldedAt(offset);
    if (folded === undefined) return undefined;
    // Behind indentation that was folded away, the source's own indentation stays.
    if (indents.size > 0 && this.isBehindIndent(offset)) {
      const start = source.sourceStart(at + folded);
      return start === undefined ? undefined : Math.min(start, this.match.end);
    }
    return folded === 0 ? this.match.start : source.sourceEnd(at + folded);
  }

  /** The place of the source where a piece that ends at `offset` of the old text ends. */
  private behind(offset: number): number | undefined {
    if (offset === this.oldText.length) return this.match.end;
    const { source, old, at } = this.folding;
    const folded = old.foldedAt(offset);
    if (folded === undefined) return undefined;
    return folded === 0 ? this.match.start : source.sourceEnd(at + folded);
  }

  private isBehindIndent(offset: number): boolean {
    if (!reaches(this.match.level, 'indentation')) return false;
    const begin = this.oldText.lastIndexOf('\n', offset - 1) + 1;
    return begin < offset && indentOf(this.oldText.slice(begin, offset)).length === offset - begin;
  }

  private atLineStart(place: number): boolean {
    return place === 0 || this.text[place - 1] === '\n';
  }

  /** Each line with the ending of the line that it takes the place of, those beyond with the last one's. */
  private withEndings(lines: readonly string[], from: number, until: number): string {
    const endings = endingsIn(this.text, from, until);
    let ending: Eol | '\r' = endings[0] ?? endingNear(this.text, from, this.match);
    return lines
      .map((line, i) => {
        if (!line.endsWith('\n')) return line;
        ending = endings[i] ?? ending;
        return line.replace(/\r?\n$/u, '') + ending;
      })
      .join('');
  }
}

function endingsIn(text: string, from: number, until: number): (Eol | '\r')[] {
  return Array.from(text.slice(from, until).matchAll(/\r\n|\n|\r/gu), ([ending]) => ending as Eol | '\r');
}

/** The ending of the line at a place; in a file of lone carriage returns, that. */
function endingNear(text: string, from: number, match: Match): Eol | '\r' {
  const [inside] = endingsIn(text, match.start, match.end);
  if (inside === '\r') return inside;
  return eolAt(text, from);
}
