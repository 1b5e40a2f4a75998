/** The digest of an approval request: an answer that carries it is an answer to exactly what was shown. */
import { createHash } from 'node:crypto';
import type { ApprovalInfo } from '../../wire/approval.ts';

type Shown = Pick<ApprovalInfo, 'id' | 'binding' | 'judgement' | 'wouldStore' | 'node'>;

export function digestOf(approval: Shown): string {
  return createHash('sha256').update(canonicalText(approval)).digest('hex');
}

/**
 * Everything that a person is shown and that will run, as canonical JSON. Not the expiry and the number of calls that wait, which may
 * change while the person reads.
 */
export function canonicalText({ id, binding, judgement, wouldStore, node }: Shown): string {
  const { verdict, code, reason, at, explicit, stages } = judgement;
  const shown = { id, binding, judgement: { verdict, code, reason, at, explicit, stages }, wouldStore, node };
  return canonicalJson(shown);
}

/** The approval with its digest, where it can be answered. */
export function withDigest<T extends ApprovalInfo>(approval: T): T {
  return approval.state === 'pending' ? { ...approval, digest: digestOf(approval) } : approval;
}

/** The order in which members were written does not matter. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, withSortedMembers);
}

function withSortedMembers(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
