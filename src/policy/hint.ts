/** What to do about a judgement, and who can do it. */
import type { HintFor } from '../wire/policy.ts';

export interface Hint {
  readonly hint: string;
  readonly hintFor: HintFor;
}

/** The agent can change its command. */
export function forAgent(hint: string): Hint {
  return { hint, hintFor: 'agent' };
}

/** Only a person can do it. */
export function forOperator(hint: string): Hint {
  return { hint, hintFor: 'operator' };
}

/** What to do about a program that does not exist. */
export function notFoundHint(word: string): string {
  if (/\s/.test(word)) return 'the command is one word: pass the program and its arguments as separate words';
  return word.includes('/') ? 'check the path' : 'check the name and PATH';
}
