/** Whether an edit looks as if it had been made before. */
import { positionAt } from '../lines/position.ts';
import type { Edit } from './asked.ts';
import type { Finder } from './find.ts';

/** Where the new text of an edit stands already. */
export interface Applied {
  readonly line: number;
}

const WORD = /[\p{L}\p{N}_]/u;

/**
 * The one place where the new text stands while the old one stands nowhere. Short of a record nothing proves that
 * this edit put it there, so a new text that is weak evidence (empty, a mere piece of the old text, a part
 * of a longer word) proves nothing.
 */
export function appliedAt(finder: Finder, { oldText, newText }: Edit): Applied | undefined {
  if (newText.trim() === '' || oldText.includes(newText.trim())) return undefined;
  if (finder.find(oldText).length > 0) return undefined;
  const [match, second] = finder.findAll(newText, 2);
  if (match === undefined || second !== undefined) return undefined;
  const { text } = finder;
  const { start, end } = match;
  if (partsWord(text, start) || partsWord(text, end)) return undefined;
  return { line: positionAt(text, start).line };
}

function partsWord(text: string, at: number): boolean {
  return at > 0 && at < text.length && WORD.test(text[at - 1]!) && WORD.test(text[at]!);
}
