import type { StageDecision } from './stage.ts';

/** The index of the first of the strictest decisions; -1 where all allow. */
export function worstDecision(decided: readonly StageDecision[]): number {
  const highest = Math.max(0, ...decided.map(rankOf));
  return highest === 0 ? -1 : decided.findIndex((one) => rankOf(one) === highest);
}

/** Order: deny rules, programs that do not exist, what cannot be stored, what can be stored. */
function rankOf({ verdict, code }: StageDecision): number {
  return code === 'deny-rule' ? 4 : code === 'not-found' ? 3 : verdict === 'deny' ? 2 : verdict === 'ask' ? 1 : 0;
}
