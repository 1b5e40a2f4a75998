/** Why an answer to a question did nothing. */
import type { ApprovalInfo, ResolveAnswer } from '../../wire/approval.ts';

type Refused = Extract<ResolveAnswer, { readonly ok: false }>;

const LIST = 'pincer approvals list shows what waits for an answer';

export function unknown(id: string): Refused {
  return { ok: false, reason: 'unknown', message: `there is no approval ${JSON.stringify(id)}`, hint: LIST };
}

export function ambiguous(id: string): Refused {
  return {
    ok: false,
    reason: 'ambiguous',
    message: `several approvals begin with ${JSON.stringify(id)}`,
    hint: 'give more of the id',
  };
}

export function alreadyResolved(approval: ApprovalInfo): Refused {
  const by = approval.resolvedBy === undefined ? '' : ` by ${approval.resolvedBy}`;
  const how = approval.decision === undefined ? approval.state : `answered with ${approval.decision}${by}`;
  return {
    ok: false,
    reason: 'already-resolved',
    message: `approval ${approval.slug} was already ${how}`,
    hint: 'the first answer holds; have the command asked again for another one',
    approval,
  };
}

export function expired(approval: ApprovalInfo): Refused {
  return {
    ok: false,
    reason: 'expired',
    message: `the time of approval ${approval.slug} is over`,
    hint: 'have the command asked again',
    approval,
  };
}

export function notStorable(approval: ApprovalInfo): Refused {
  return {
    ok: false,
    reason: 'not-storable',
    message: `approval ${approval.slug} cannot be kept for always: no entry covers exactly this command`,
    hint: 'allow it once, or add a rule with pincer approvals allowlist add',
    approval,
  };
}
