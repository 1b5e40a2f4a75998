import type { Predicate } from '../../address/predicate.ts';
import type { Step } from '../../address/steps.ts';
import { isComparableKey } from '../../scan/fields.ts';
import { type Needle, needleOf } from '../../scan/needle.ts';
import type { Name } from '../../walk/walk.ts';

/** How to read the lines that `*` or a predicate selects: which lines to skip, and what the field scan can answer. */
export interface Plan {
  readonly predicate: Predicate | undefined;
  /** Lines that do not contain it cannot match. */
  readonly needle: Needle | undefined;
  /** Top-level keys that a valid object needs to match. */
  readonly keys: readonly string[];
  /** The index of the key that the predicate tests; -1 without a predicate, or if it does not test a top-level key. */
  readonly tested: number;
  /** The path to the value that the predicate tests, if its key has dots. */
  readonly testedPath: readonly string[] | undefined;
  /** The index of the key whose value is the match; -1 if the match is not a top-level value. */
  readonly answer: number;
  /** The paths to the matches, in order, if they have several keys or alternatives. */
  readonly answerPaths: readonly AnswerPath[];
}

/** The keys from a line to one match, and their printed names. */
export interface AnswerPath {
  readonly keys: readonly string[];
  readonly names: readonly Name[];
}

export function planFor(predicate: Predicate | undefined, rest: readonly Step[]): Plan {
  const keys: string[] = [];
  const place = (key: string): number => {
    if (!isComparableKey(key)) return -1;
    if (!keys.includes(key)) keys.push(key);
    return keys.indexOf(key);
  };
  // A key with dots may also be a path into the record.
  const hasDots = predicate?.key.includes('.') === true;
  const tested = predicate === undefined || hasDots ? -1 : place(predicate.key);
  const testedPath =
    predicate !== undefined && hasDots ? comparable([predicate.key, ...predicate.key.split('.')]) : undefined;
  const names = rest.map(({ sub }) => (sub.type === 'literal' ? sub.text : undefined));
  const first = names[0] === undefined ? -1 : place(names[0]);
  const answer = names.length === 1 ? first : -1;
  const answerPaths = answer < 0 ? pathsOf(rest) : [];
  const needle =
    (predicate === undefined ? undefined : valueNeedle(predicate)) ??
    keyNeedle(hasDots ? names : [...names, predicate?.key]);
  return { predicate, needle, keys, tested, testedPath: testedPath?.slice(1), answer, answerPaths };
}

/** All paths of literal names and unions of them; empty if a step is something else. */
function pathsOf(rest: readonly Step[]): AnswerPath[] {
  let paths: AnswerPath[] = [{ keys: [], names: [] }];
  for (const { slot, sub, spelling } of rest) {
    const choices: { key: string; text: string }[] = [];
    if (sub.type === 'literal') choices.push({ key: sub.text, text: spelling });
    else if (sub.type === 'union') {
      for (const each of sub.alternatives) {
        // Only plain words are printed unchanged, and a repeated word is one match.
        if (each.type !== 'literal' || !/^\w+$/.test(each.text) || choices.some(({ key }) => key === each.text))
          return [];
        choices.push({ key: each.text, text: each.text });
      }
    } else return [];
    paths = paths.flatMap(({ keys, names }) =>
      choices.map(({ key, text }) => ({ keys: [...keys, key], names: [...names, { slot, text }] })),
    );
  }
  const isUsable = rest.length > 0 && comparable(paths.flatMap(({ keys }) => keys)) !== undefined;
  return isUsable ? paths : [];
}

const MOST_NAMES = 32;

/** The names if all of them can be compared with the bytes of a line. */
function comparable(names: readonly (string | undefined)[]): string[] | undefined {
  const found = names.filter((name) => name !== undefined && isComparableKey(name));
  return found.length === names.length && found.length <= MOST_NAMES ? (found as string[]) : undefined;
}

/** A needle for a predicate that only a string with exactly this text satisfies. */
function valueNeedle({ op, value }: Predicate): Needle | undefined {
  if (op !== '=' || value === 'true' || value === 'false' || value === 'null') return undefined;
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value));
  return isNumber ? undefined : needleOf(value);
}

/** A name that is a key, not an index, is a string in the line. The longest one is the rarest. */
function keyNeedle(names: readonly (string | undefined)[]): Needle | undefined {
  const keys = names.filter((name): name is string => name !== undefined && !/^\d+$/.test(name));
  const [longest] = keys.sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : needleOf(longest);
}
