/**
 * Turns a match and the new text into splices. Folds serve only to find a place: lines that the old and the new text share
 * keep the blanks, quotes, indentation and endings of the source.
 */
import { linesOf } from '../lines/position.ts';
import type { Splice } from '../lines/splice.ts';
import type { Edit } from './clean-edit.ts';
import { isBlank } from './characters.ts';
import { startsOf } from './diff.ts';
import type { Ending, Endings } from './endings.ts';
import { type Folding, type Match, withoutFinalNewline } from './find.ts';
import { isBlankLine, reindent } from './indent.ts';
import { lineHunks } from './lcs.ts';

/** A piece of the old text and the piece of the new text that replaces it. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Empty when nothing would change. */
export function renderEdit(text: string, match: Match, edit: Edit, endings: Endings): Splice[] {
  const { oldText, newText } = edit;
  const { folding } = match;
  if (match.open) {
    const { open: _, ...closed } = match;
    const open = { oldText: withoutFinalNewline(oldText), newText: withoutFinalNewline(newText) };
    return renderEdit(text, closed, open, endings);
  }
  if (folding === undefined) return renderExact(match, edit, endings);
  const place = new AlignedMatch(text, match, folding, oldText, endings);
  return differences(oldText, newText)
    .map((piece) => place.snap(trim(oldText, newText, piece), newText))
    .map((piece) => place.splice(piece, newText))
    .filter(({ start, end, text: put }) => text.slice(start, end) !== put);
}

function renderExact(match: Match, { oldText, newText }: Edit, endings: Endings): Splice[] {
  // An old text without a line ending does not show that the model knows those of the file.
  const unaware = !oldText.includes('\n') && newText.includes('\n') && !newText.includes('\r');
  const put = unaware ? newText.replaceAll('\n', endings.at(match.start)) : newText;
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

/** Removes the common prefix and suffix of both pieces, without splitting surrogate pairs and line endings. */
function trim(oldText: string, newText: string, { start, end, newStart, newEnd }: Piece): Piece {
  const shorter = Math.min(end - start, newEnd - newStart);
  let head = 0;
  while (head < shorter && oldText.charCodeAt(start + head) === newText.charCodeAt(newStart + head)) head++;
  while (head > 0 && joins(oldText, start + head)) head--;
  let tail = 0;
  while (tail < shorter - head && oldText.charCodeAt(end - 1 - tail) === newText.charCodeAt(newEnd - 1 - tail)) tail++;
  while (tail > 0 && (joins(oldText, end - tail) || joins(newText, newEnd - tail))) tail--;
  // Folded blanks before this line ending belong to an old line, not to the last of several new ones.
  if (newText.slice(newStart + head, newEnd - tail).includes('\n')) {
    if (newText[newEnd - tail] === '\r') tail--;
    if (tail > 0 && newText[newEnd - tail] === '\n') tail--;
  }
  // If only the indentation of a line is new, the whole line must be part of the piece, so that it can be reindented.
  const cut = newEnd - tail;
  const begun = newText.slice(Math.max(newStart + head, newText.lastIndexOf('\n', cut - 1) + 1), cut);
  if (begun !== '' && isBlankLine(begun)) {
    const ending = newText.indexOf('\n', cut);
    tail = ending < 0 || ending >= newEnd ? 0 : newEnd - ending - 1;
  }
  return { start: start + head, end: end - tail, newStart: newStart + head, newEnd: newEnd - tail };
}

/** Whether a cut before `at` would split a surrogate pair or CRLF. */
function joins(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return ((before & 0xfc00) === 0xd800 && (after & 0xfc00) === 0xdc00) || (before === 13 && after === 10);
}

/** The old text aligned with the source. */
class AlignedMatch {
  private readonly text: string;
  private readonly match: Match;
  private readonly folding: Folding;
  private readonly oldText: string;
  private readonly endings: Endings;

  constructor(text: string, match: Match, folding: Folding, oldText: string, endings: Endings) {
    this.text = text;
    this.match = match;
    this.folding = folding;
    this.oldText = oldText;
    this.endings = endings;
  }

  /** Widens a piece until both ends correspond to places of the source. */
  snap(piece: Piece, newText: string): Piece {
    let { start, end, newStart, newEnd } = this.withVanished(piece, newText);
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

  /**
   * Widens a piece that begins or ends inside removed blanks over all of them, so that the source's blanks there are replaced
   * too. Indentation that the new text keeps stays as in the source.
   */
  private withVanished(piece: Piece, newText: string): Piece {
    let { start, end, newStart, newEnd } = piece;
    const first = this.vanishedAt(start);
    if (
      first !== undefined &&
      !(first.isIndent && start === first.end && !isBlank(newText.charCodeAt(newStart), true))
    ) {
      newStart -= start - first.start;
      start = first.start;
    }
    const last = this.vanishedAt(end);
    if (last !== undefined && start <= last.start) {
      // A line is reindented only as a whole.
      const newline = last.isIndent ? this.oldText.indexOf('\n', end) : -1;
      const until = !last.isIndent ? last.end : newline < 0 ? this.oldText.length : newline + 1;
      newEnd += until - end;
      end = until;
    }
    return { start, end, newStart, newEnd };
  }

  /** The removed range of the old text that contains an offset or ends there. */
  private vanishedAt(offset: number): { start: number; end: number; isIndent: boolean } | undefined {
    const vanished = this.folding.old.vanishedAt(offset);
    if (vanished === undefined) return undefined;
    const { start, end } = vanished;
    const leads = start === 0 || this.oldText[start - 1] === '\n';
    return { start, end, isIndent: leads && end < this.oldText.length && !/[\r\n]/u.test(this.oldText[end]!) };
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

  /** The source start of a piece that begins at `offset` of the old text. */
  private before(offset: number): number | undefined {
    if (offset === 0) return this.match.start;
    const { source, old, at, indents } = this.folding;
    const folded = old.foldedAt(offset);
    if (folded === undefined) return undefined;
    // After removed indentation, the source's own indentation stays.
    if (indents.size > 0 && this.vanishedAt(offset)?.isIndent === true) {
      const start = source.sourceStart(at + folded);
      return start === undefined ? undefined : Math.min(start, this.match.end);
    }
    return folded === 0 ? this.match.start : source.sourceEnd(at + folded);
  }

  /** The source end of a piece that ends at `offset` of the old text. */
  private behind(offset: number): number | undefined {
    if (offset === this.oldText.length) return this.match.end;
    const { source, old, at } = this.folding;
    const folded = old.foldedAt(offset);
    if (folded === undefined) return undefined;
    const vanished = this.vanishedAt(offset);
    if (vanished !== undefined && !vanished.isIndent) {
      const beyond = source.sourceStart(at + folded);
      return beyond === undefined ? undefined : Math.min(beyond, this.match.end);
    }
    return folded === 0 ? this.match.start : source.sourceEnd(at + folded);
  }

  private atLineStart(place: number): boolean {
    return place === 0 || /[\r\n]/u.test(this.text[place - 1]!);
  }

  /** Gives each line the ending of the line that it replaces; further lines get the last one's. */
  private withEndings(lines: readonly string[], from: number, until: number): string {
    const endings = endingsIn(this.text, from, until);
    let ending = endings[0] ?? this.endingNear(from);
    return lines
      .map((line, i) => {
        if (!line.endsWith('\n')) return line;
        ending = endings[i] ?? ending;
        return line.replace(/\r?\n$/u, '') + ending;
      })
      .join('');
  }

  /** The ending of the line at a place; a lone CR if the match uses those. */
  private endingNear(from: number): Ending {
    const [inside] = endingsIn(this.text, this.match.start, this.match.end);
    return inside === '\r' ? inside : this.endings.at(from);
  }
}

function endingsIn(text: string, from: number, until: number): Ending[] {
  return Array.from(text.slice(from, until).matchAll(/\r\n|\n|\r/gu), ([ending]) => ending as Ending);
}
