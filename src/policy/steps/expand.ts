/** The words that a step has when it starts: patterns are replaced by names, `$?` and `$PWD` by their values. */
import type { Lookup } from '../../wire/policy.ts';
import type { StepWord } from '../../wire/steps.ts';
import type { WorkBudget } from '../work-budget.ts';
import { matchNames } from './match-names.ts';

export interface Values {
  readonly lookup: Lookup;
  /** The folder of the step. */
  readonly cwd: string;
  /** The status of the last step that ran. */
  readonly status: number;
  /** Shared by the whole judgement. */
  readonly budget: WorkBudget;
}

export type Expanded = { readonly words: readonly string[] } | { readonly problem: string };

/** Characters that would make an unquoted value several words or a pattern. */
export const SPLITTING = /[\s*?[\]\\]/u;

/** Usually one word; as many as a pattern matches, and the pattern itself where nothing matches. */
export function expandWord(word: StepWord, { lookup, cwd, status, budget }: Values): Expanded {
  const isUnsafe = word.some((part) => part.kind === 'folder' && part.unquoted === true) && SPLITTING.test(cwd);
  if (isUnsafe) return { problem: `the folder ${cwd} has blanks or pattern characters: write "$PWD" in quotes` };
  const known = word.map((part) =>
    part.kind === 'status'
      ? ({ kind: 'text', text: `${status}` } as const)
      : part.kind === 'folder'
        ? ({ kind: 'text', text: cwd } as const)
        : part,
  );
  if (known.every(({ kind }) => kind === 'text')) return { words: [textOf(known)] };
  const found = matchNames(known, cwd, lookup, budget);
  if ('problem' in found) return { problem: `the pattern ${textOf(known)} is not expanded: ${found.problem}` };
  if (found.paths.length === 0) return { words: [textOf(known)] };
  // A name that begins with a dash would be an option.
  return { words: found.paths.map((path) => (path.startsWith('-') ? `./${path}` : path)) };
}

/** A word without patterns as one text. */
export function expandText(word: StepWord, values: Values): { readonly text: string } | { readonly problem: string } {
  const expanded = expandWord(word, values);
  if ('problem' in expanded) return expanded;
  const [text = ''] = expanded.words;
  return expanded.words.length === 1 ? { text } : { problem: `${textOf(word)} stands for several names` };
}

function textOf(word: StepWord): string {
  return word.map((part) => ('text' in part ? part.text : part.kind === 'status' ? '$?' : '$PWD')).join('');
}
