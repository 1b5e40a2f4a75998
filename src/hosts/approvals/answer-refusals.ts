/** Why an answer to an approval request had no effect. */
import type { ApprovalInfo, ResolveAnswer } from '../../wire/approval.ts';

type Refused = Extract<ResolveAnswer, { readonly ok: false }>;

const LIST = 'pincer approvals list shows the pending ones';

export function unknown(id: string): Refused {
  return { ok: false, reason: 'unknown', message: `unknown approval ${JSON.stringify(id)}`, hint: LIST };
}

export function ambiguous(id: string): Refused {
  return {
    ok: false,
    reason: 'ambiguous',
    message: `several approvals begin with ${JSON.stringify(id)}`,
    hint: 'pass more characters of the id',
  };
}

export function alreadyResolved(approval: ApprovalInfo): Refused {
  const by = approval.resolvedBy === undefined ? '' : ` by ${approval.resolvedBy}`;
  const how = approval.decision === undefined ? approval.state : `answered with ${approval.decision}${by}`;
  return {
    ok: false,
    reason: 'already-resolved',
    message: `approval ${approval.slug} was already ${how}`,
    hint: 'only the first answer counts; run the command again to get a new approval request',
    approval,
  };
}

export function expired(approval: ApprovalInfo): Refused {
  return {
    ok: false,
    reason: 'expired',
    message: `approval ${approval.slug} has expired`,
    hint: 'run the command again to get a new approval request',
    approval,
  };
}

export function notStorable(approval: ApprovalInfo): Refused {
  return {
    ok: false,
    reason: 'not-storable',
    message: `approval ${approval.slug} cannot be stored: no allowlist entry covers exactly this command`,
    hint: 'allow it once, or add a rule with pincer approvals allowlist add',
    approval,
  };
}
