/** Detects an edit that was probably applied before. */
import { linesOf, positionAt } from '../lines/position.ts';
import type { Edit } from './clean-edit.ts';
import type { Finder } from './find.ts';

/** Where the file already contains the new text of an edit. */
export interface AppliedEdit {
  readonly line: number;
  /** The text alone proves that this edit was applied; otherwise only the record of changes can. */
  readonly evident: boolean;
}

const WORD = /[\p{L}\p{N}_]/u;
const WORDS = /[\p{L}\p{N}_]+/gu;

/**
 * The only place of the new text, provided that the old text does not occur. Undefined for a new text that proves nothing:
 * empty, a piece of the old text, or a part of a longer word.
 */
export function appliedAt(finder: Finder, edit: Edit): AppliedEdit | undefined {
  const { oldText, newText } = edit;
  if (newText.trim() === '' || oldText.includes(newText.trim())) return undefined;
  if (finder.find(oldText).length > 0) return undefined;
  const [match, second] = finder.findAll(newText, 2);
  if (match === undefined || second !== undefined) return undefined;
  const { text } = finder;
  const { start, end } = match;
  if (isInsideWord(text, start) || isInsideWord(text, end)) return undefined;
  return { line: positionAt(text, start).line, evident: isWholeLines(text, start, end) && isRelated(edit) };
}

function isInsideWord(text: string, at: number): boolean {
  return at > 0 && at < text.length && WORD.test(text[at - 1]!) && WORD.test(text[at]!);
}

/** Whether a piece shares its first and last line with blanks only. */
function isWholeLines(text: string, start: number, end: number): boolean {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const ending = text.indexOf('\n', end);
  const after = text.slice(end, ending < 0 ? text.length : ending);
  const isEnded = end > start && text[end - 1] === '\n';
  return (start === 0 || before.trim() === '') && (isEnded || after.trim() === '');
}

/** Whether the new text is a variant of the old one: it shares a line, or most of the words, and also differs. */
function isRelated({ oldText, newText }: Edit): boolean {
  const before = linesWithWords(oldText);
  const after = linesWithWords(newText);
  const shared = [...after].filter((line) => before.has(line)).length;
  if (shared === after.size) return false;
  if (shared > 0) return true;
  const words = new Set(oldText.match(WORDS));
  const others = new Set(newText.match(WORDS));
  return 2 * [...words].filter((word) => others.has(word)).length > words.size;
}

/** Trimmed. */
function linesWithWords(text: string): Set<string> {
  const lines = linesOf(text).map((line) => line.trim());
  return new Set(lines.filter((line) => WORD.test(line)));
}
