/** Commands with a terminal: whoever types into one can give orders to the program. */
import type { Binary, Judgement, Rules } from '../wire/policy.ts';
import { isPlainProgram } from './programs/plain.ts';

/** Asks for what would run with a terminal, unless none of its programs takes orders from one. */
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
    hint: 'run it without pty, or have it approved',
    explicit: true,
  };
}

/** A question about a command with a terminal says what an approval includes. */
export function askedWithTerminal(judgement: Judgement, rules: Rules): Judgement {
  const isPlain = judgement.plan !== undefined && startedBy(judgement).every((binary) => isPlainProgram(binary, rules));
  if (judgement.verdict !== 'ask' || judgement.code === 'interactive' || isPlain) return judgement;
  return { ...judgement, reason: `${judgement.reason}; in its terminal the agent can then type anything into it` };
}

/** The programs of a plan, those that wrappers start included. */
function startedBy({ plan }: Judgement): readonly Binary[] {
  return (plan?.stages ?? []).flatMap(({ binary, starts = [] }) => [binary, ...starts]);
}
