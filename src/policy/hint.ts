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
