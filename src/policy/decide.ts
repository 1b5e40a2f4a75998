/** From what was judged to what happens: run, ask a person, or refuse. */
import type { Ask, Judgement, Security } from '../wire/policy.ts';

/** What the policy in force makes of a judgement; its verdict is final, and the rest says why. */
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
      hint: 'the operator chooses security in the configuration or the approvals file',
    };
  if (judgement?.code === 'deny-rule') return judgement;
  return security === 'full' ? decideFull(ask, judgement) : decideAllowlist(ask, judgement);
}

function decideAllowlist(ask: Ask, judgement: Judgement | undefined): Judgement {
  if (judgement === undefined)
    return { verdict: 'deny', code: 'not-judged', reason: 'the command was not judged', stages: [] };
  if (judgement.verdict === 'allow') return ask === 'always' ? asked(judgement) : judgement;
  // There is nothing that a person could allow.
  if (judgement.code === 'not-found' && judgement.verdict === 'deny') return judgement;
  return { ...judgement, verdict: ask === 'off' ? 'deny' : 'ask' };
}

/** Everything may run but what deny rules forbid, and what they cannot see through. */
function decideFull(ask: Ask, judgement: Judgement | undefined): Judgement {
  if (judgement?.unknownNames !== undefined)
    return {
      ...judgement,
      verdict: 'deny',
      code: 'unknown-names',
      reason: `there are deny rules, and they cannot see through this: ${judgement.unknownNames}`,
      hint: 'start the programs directly, one command each; with security=allowlist a person can allow more',
    };
  const { proposal: _, at: __, hint: ___, explicit, ...rest } = judgement ?? { stages: [] };
  const full: Judgement = {
    ...rest,
    verdict: 'allow',
    code: 'security-full',
    reason: 'security is full: no deny rule forbids the command',
  };
  if (ask !== 'always') return full;
  return explicit === undefined ? asked(full) : { ...asked(full), explicit };
}

/** Also what is allowed is asked for; there is nothing to keep, since it would not spare the next question. */
function asked(judgement: Judgement): Judgement {
  return {
    ...judgement,
    verdict: 'ask',
    code: 'ask-always',
    reason: 'ask is always: every command is asked for',
    hint: 'a person answers with pincer approvals',
  };
}

function bare(judgement: Judgement | undefined): Pick<Judgement, 'stages'> {
  return { stages: judgement?.stages ?? [] };
}

/**
 * Whether a question that nobody answered may be taken for a yes. A text without a plan could hold any shell or code, so
 * that only a person may allow it, too.
 */
export function allowedWithoutAnswer(askFallback: Security, judgement: Judgement): boolean {
  const { plan, explicit, code, unknownNames, stages } = judgement;
  if (plan === undefined || explicit === true || code === 'deny-rule' || unknownNames !== undefined) return false;
  return askFallback === 'full' || (askFallback === 'allowlist' && stages.every(({ verdict }) => verdict === 'allow'));
}
