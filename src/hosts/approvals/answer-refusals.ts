/** Why an answer to an approval request had no effect. */
import type { ApprovalInfo, Decision, ExtendAnswer, Narrowing, ResolveAnswer } from '../../wire/approval.ts';

type Refused = Extract<ResolveAnswer, { readonly ok: false }>;
/** A refusal that `approval.extend` returns too. */
type Closed = Refused & Extract<ExtendAnswer, { readonly ok: false }>;

const LIST = 'pincer approvals list shows the pending ones';

export function unknown(id: string): Closed {
  return { ok: false, reason: 'unknown', message: `unknown approval ${JSON.stringify(id)}`, hint: LIST };
}

export function ambiguous(id: string): Closed {
  return {
    ok: false,
    reason: 'ambiguous',
    message: `several approvals begin with ${JSON.stringify(id)}`,
    hint: 'pass more characters of the id',
  };
}

export function alreadyResolved(approval: ApprovalInfo): Closed {
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

export function expired(approval: ApprovalInfo): Closed {
  return {
    ok: false,
    reason: 'expired',
    message: `approval ${approval.slug} has expired`,
    hint: 'run the command again to get a new approval request',
    approval,
  };
}

export function changed(approval: ApprovalInfo): Refused {
  return {
    ok: false,
    reason: 'changed',
    message: `approval ${approval.slug} has changed since it was shown; it is still pending`,
    hint: 'read it again, and answer with its new digest',
    approval,
  };
}

/** `narrow` limits an entry that is stored: with another answer it would have no effect. */
export function refusedNarrowing(decision: Decision, narrow: Narrowing | undefined, now: number): Refused | undefined {
  const isOver = narrow?.expiresAt !== undefined && narrow.expiresAt <= now;
  if (narrow === undefined || (decision === 'allow-always' && !isOver)) return undefined;
  return {
    ok: false,
    reason: 'not-storable',
    message: isOver ? 'narrow.expiresAt is in the past' : `narrow limits what allow-always stores, not ${decision}`,
    hint: isOver ? 'pass a later time, or allow the command once' : `omit narrow with ${decision}`,
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
