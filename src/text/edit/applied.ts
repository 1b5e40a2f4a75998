/** Whether an edit looks as if it had been made before. */
import { linesOf, positionAt } from '../lines/position.ts';
import type { Edit } from './asked.ts';
import type { Finder } from './find.ts';

/** Where the new text of an edit stands already. */
export interface Applied {
  readonly line: number;
  /** The text alone says that this edit was made; otherwise only a record of it can. */
  readonly evident: boolean;
}

const WORD = /[\p{L}\p{N}_]/u;
const WORDS = /[\p{L}\p{N}_]+/gu;

/**
 * The one place where the new text stands while the old one stands nowhere. A new text that says nothing (empty, a mere
 * piece of the old text, a part of a longer word) stands nowhere in this sense.
 */
export function appliedAt(finder: Finder, edit: Edit): Applied | undefined {
  const { oldText, newText } = edit;
  if (newText.trim() === '' || oldText.includes(newText.trim())) return undefined;
  if (finder.find(oldText).length > 0) return undefined;
  const [match, second] = finder.findAll(newText, 2);
  if (match === undefined || second !== undefined) return undefined;
  const { text } = finder;
  const { start, end } = match;
  if (partsWord(text, start) || partsWord(text, end)) return undefined;
  return { line: positionAt(text, start).line, evident: isWholeLines(text, start, end) && isRelated(edit) };
}

function partsWord(text: string, at: number): boolean {
  return at > 0 && at < text.length && WORD.test(text[at - 1]!) && WORD.test(text[at]!);
}

/** Whether nothing but blanks stands beside a piece in its first and its last line. */
function isWholeLines(text: string, start: number, end: number): boolean {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const ending = text.indexOf('\n', end);
  const behind = text.slice(end, ending < 0 ? text.length : ending);
  const isEnded = end > start && text[end - 1] === '\n';
  return (start === 0 || before.trim() === '') && (isEnded || behind.trim() === '');
}

/** Whether the new text is a form of the old one, with something of its own: a line in common, or most of the words. */
function isRelated({ oldText, newText }: Edit): boolean {
  const before = tellingLines(oldText);
  const after = tellingLines(newText);
  const shared = [...after].filter((line) => before.has(line)).length;
  if (shared === after.size) return false;
  if (shared > 0) return true;
  const words = new Set(oldText.match(WORDS));
  const others = new Set(newText.match(WORDS));
  return 2 * [...words].filter((word) => others.has(word)).length > words.size;
}

/** The lines that have words in them, without their blanks. */
function tellingLines(text: string): Set<string> {
  const lines = linesOf(text).map((line) => line.trim());
  return new Set(lines.filter((line) => WORD.test(line)));
}
