/** The shape of a call: its words with numbers free and options in any order. What a person has not seen is a new shape. */
import type { Lookup } from '../../wire/policy.ts';
import type { Shape, ShapePart } from '../../wire/rules/shape.ts';
import { resolveWithoutLinks } from '../programs/resolve-without-links.ts';

const NUMBER = /^\d{1,9}(?:\.\d{1,9})?$/u;
/** `--depth=3`, `-j8`, `-20`: the text before the number. */
const NUMBER_AFTER = /^(--[A-Za-z][\w-]*=|-[A-Za-z]?)(\d{1,9}(?:\.\d{1,9})?)$/u;

export function shapeOf(args: readonly string[]): Shape {
  return args.map((text) => {
    if (NUMBER.test(text)) return { kind: 'number', after: '' };
    const [, after] = NUMBER_AFTER.exec(text) ?? [];
    return after === undefined ? { kind: 'word', text } : { kind: 'number', after };
  });
}

/** The same shape for any file of the folder in place of the operand at this index; undefined where that is no file. */
export function withAnyFile(args: readonly string[], at: number, place: Place): Shape | undefined {
  const word = args[at];
  if (word === undefined || !isFileHere(word, place)) return undefined;
  return shapeOf(args).map((part, i) => (i === at ? { kind: 'file' } : part));
}

export interface Place {
  readonly cwd: string;
  readonly lookup: Lookup;
}

/** Whether a call has a shape. */
export function hasShape(args: readonly string[], shape: Shape, place: Place): boolean {
  if (args.length !== shape.length) return false;
  const called = inOrder(args.map((text, i) => ({ text, part: shapeOf(args)[i]! })));
  const allowed = inOrder(shape.map((part) => ({ part })));
  return allowed.every(({ part }, i) => isCovered(called[i]!, part, place));
}

interface Word {
  readonly part: ShapePart;
  /** Only of a call. */
  readonly text?: string;
}

function isCovered({ part, text = '' }: Word, allowed: ShapePart, place: Place): boolean {
  if (allowed.kind === 'file') return isFileHere(text, place);
  if (allowed.kind === 'number') return part.kind === 'number' && part.after === allowed.after;
  return part.kind === 'word' && part.text === allowed.text;
}

/**
 * The words with their options in a fixed order. Each option keeps the words that follow it, so no word becomes the value of
 * another option. Words before the first option, and all after `--`, keep their place.
 */
function inOrder(words: readonly Word[]): readonly Word[] {
  const end = words.findIndex(({ part }) => part.kind === 'word' && part.text === '--');
  const before = end < 0 ? words : words.slice(0, end);
  const groups: Word[][] = [[]];
  for (const word of before) {
    if (optionOf(word) === undefined) groups.at(-1)?.push(word);
    else groups.push([word]);
  }
  const [first = [], ...options] = groups;
  options.sort((a, b) => compare(optionOf(a[0]!)!, optionOf(b[0]!)!));
  return [...first, ...options.flat(), ...(end < 0 ? [] : words.slice(end))];
}

/** The text by which an option is sorted; undefined for other words. */
function optionOf({ part }: Word): string | undefined {
  if (part.kind === 'file') return undefined;
  const text = part.kind === 'number' ? `${part.after}\0` : part.text;
  return text.startsWith('-') && text !== '-' ? text : undefined;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A file of this folder or below: by its plain path, without symlinks, and none that git obeys. */
function isFileHere(word: string, { cwd, lookup }: Place): boolean {
  if (word === '' || /^[-/~]|[:=@]/u.test(word) || word.split('/').includes('.git')) return false;
  return resolveWithoutLinks(word, cwd, lookup)?.exists === true;
}
