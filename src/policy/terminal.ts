/** Commands with a terminal: the agent that types into it controls the program. */
import type { Binary, Judgement, Rules } from '../wire/policy.ts';
import { isPlainProgram } from './programs/plain-programs.ts';
import { forAgent } from './hint.ts';

/** Asks for a command with a terminal, unless all its programs ignore what is typed. */
export function withTerminal(judgement: Judgement, rules: Rules): Judgement {
  if (judgement.verdict !== 'allow') return judgement;
  const other = startedBy(judgement).find((binary) => !isPlainProgram(binary, rules));
  if (other === undefined) return judgement;
  const { proposal: _, ...rest } = judgement;
  return {
    ...rest,
    verdict: 'ask',
    code: 'interactive',
    reason: `${other.real} is not known to ignore what is typed into its terminal, and the agent can type anything`,
    ...forAgent('run it without pty, or have it approved'),
    explicit: true,
  };
}

/** Adds to an approval request what approving a terminal includes. */
export function askedWithTerminal(judgement: Judgement, rules: Rules): Judgement {
  const isPlain = judgement.plan !== undefined && startedBy(judgement).every((binary) => isPlainProgram(binary, rules));
  if (judgement.verdict !== 'ask' || judgement.code === 'interactive' || isPlain) return judgement;
  return { ...judgement, reason: `${judgement.reason}; with a terminal, the agent can type anything into it` };
}

/** Including those that wrappers start. */
function startedBy({ plan }: Judgement): readonly Binary[] {
  return (plan?.stages ?? []).flatMap(({ binary, starts = [] }) => [binary, ...starts]);
}
