import type { Predicate } from '../../address/predicate.ts';
import type { Step } from '../../address/steps.ts';
import { isComparableKey } from '../../scan/fields.ts';
import { type Needle, needleOf } from '../../scan/needle.ts';

/** How the lines are read that `*` or a predicate selects: what may be skipped, and what the field scan answers. */
export interface Plan {
  /** Lines without it cannot match. */
  readonly needle: Needle | undefined;
  /** Top-level keys that a sound object must have to match. */
  readonly keys: readonly string[];
  /** The key (its number) whose value the predicate tests; -1 when the line must be parsed for it, or nothing is tested. */
  readonly tested: number;
  /** The key (its number) whose value is the match; -1 when the line must be parsed for it. */
  readonly answer: number;
  readonly predicate: Predicate | undefined;
}

export function planFor(predicate: Predicate | undefined, rest: readonly Step[]): Plan {
  const keys: string[] = [];
  const place = (key: string): number => {
    if (!isComparableKey(key)) return -1;
    if (!keys.includes(key)) keys.push(key);
    return keys.indexOf(key);
  };
  // A key with dots may also be a way down into the record.
  const tested = predicate === undefined || predicate.key.includes('.') ? -1 : place(predicate.key);
  const [next] = rest;
  const first = next?.sub.type === 'literal' ? place(next.sub.text) : -1;
  const answer = rest.length === 1 ? first : -1;
  return { needle: predicate === undefined ? undefined : needleFor(predicate), keys, tested, answer, predicate };
}

/** A predicate that only a string can satisfy, with exactly this text, has a needle. */
function needleFor({ op, value }: Predicate): Needle | undefined {
  if (op !== '=' || value === 'true' || value === 'false' || value === 'null') return undefined;
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value));
  return isNumber ? undefined : needleOf(value);
}
