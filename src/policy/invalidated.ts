import type { Rules } from '../wire/policy.ts';
import { forAgent } from './hint.ts';
import type { StageDecision } from './stage.ts';

/** Asks a person where other commands may change the files that this judgement depends on. */
export function invalidated(decided: StageDecision, { deny }: Rules): StageDecision {
  const reason = `other commands of the pipeline may change the files that ${decided.argv[0]} depends on`;
  const unknown = deny.length === 0 ? {} : { unknownNames: reason };
  if (decided.verdict !== 'allow') return { ...decided, ...unknown };
  const { proposal: _, ...rest } = decided;
  return {
    ...rest,
    ...unknown,
    verdict: 'ask',
    code: 'project-code',
    reason,
    ...forAgent('run it as a separate command'),
    explicit: true,
  };
}
