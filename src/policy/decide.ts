/** Turns a judgement into a decision: run, ask a person, or refuse. */
import type { Ask, Judgement, Security } from '../wire/policy.ts';
import { forAgent, forOperator } from './hint.ts';

/** Applies the effective policy to a judgement. The verdict of the result is final. */
export function decide(
  { security, ask }: { readonly security: Security; readonly ask: Ask },
  judgement: Judgement | undefined,
): Judgement {
  if (security === 'deny')
    return {
      ...bare(judgement),
      verdict: 'deny',
      code: 'security-deny',
      reason: 'security is deny: nothing may run',
      ...forOperator('the operator chooses security in the configuration or the approvals file'),
    };
  if (judgement?.code === 'deny-rule') return judgement;
  return security === 'full' ? decideFull(ask, judgement) : decideAllowlist(ask, judgement);
}

function decideAllowlist(ask: Ask, judgement: Judgement | undefined): Judgement {
  if (judgement === undefined)
    return { verdict: 'deny', code: 'not-judged', reason: 'the command was not judged', stages: [] };
  if (judgement.verdict === 'allow') return ask === 'always' ? asked(judgement) : judgement;
  // A person cannot approve a program that does not exist.
  if (judgement.code === 'not-found' && judgement.verdict === 'deny') return judgement;
  return { ...judgement, verdict: ask === 'off' ? 'deny' : 'ask' };
}

/** security=full: everything may run except what deny rules forbid and what they cannot analyse. */
function decideFull(ask: Ask, judgement: Judgement | undefined): Judgement {
  if (judgement?.unknownNames !== undefined)
    return {
      ...judgement,
      verdict: 'deny',
      code: 'unknown-names',
      reason: `deny rules exist and cannot be checked for this command: ${judgement.unknownNames}`,
      ...forAgent('start the programs directly, one command each; with security=allowlist a person can allow more'),
    };
  const { proposal: _, at: __, hint: ___, hintFor: ____, explicit, ...rest } = judgement ?? { stages: [] };
  const full: Judgement = {
    ...rest,
    verdict: 'allow',
    code: 'security-full',
    reason: 'security is full: no deny rule forbids the command',
  };
  if (ask !== 'always') return full;
  return explicit === undefined ? asked(full) : { ...asked(full), explicit };
}

/** Asks also for an allowed command. Nothing is stored, because ask=always would ask again. */
function asked(judgement: Judgement): Judgement {
  return {
    ...judgement,
    verdict: 'ask',
    code: 'ask-always',
    reason: 'ask is always: every command needs approval',
    ...forOperator('a person answers with pincer approvals'),
  };
}

function bare(judgement: Judgement | undefined): Pick<Judgement, 'stages'> {
  return { stages: judgement?.stages ?? [] };
}

/**
 * Whether `askFallback` may approve a request that no person answered. A command without a plan could contain any shell code,
 * so only a person may approve it.
 */
export function allowedWithoutAnswer(askFallback: Security, judgement: Judgement): boolean {
  const { plan, explicit, code, unknownNames, stages } = judgement;
  if (plan === undefined || explicit === true || code === 'deny-rule' || unknownNames !== undefined) return false;
  return askFallback === 'full' || (askFallback === 'allowlist' && stages.every(({ verdict }) => verdict === 'allow'));
}
