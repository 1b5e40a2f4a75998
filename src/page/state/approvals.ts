/** The approvals that the page knows: those that wait, and those that were answered while it was open. */
import { computed, signal } from '@preact/signals';
import type { ApprovalInfo } from '../../wire/approval.ts';

export type Approvals = ReadonlyMap<string, ApprovalInfo>;

export const approvals = signal<Approvals>(new Map());
/** Whether the list was loaded since the page was opened. */
export const approvalsLoaded = signal(false);

/** How many older ones wait at the gateway and have no room in the list. */
export const unlistedApprovals = signal(0);

/** Answered approvals beyond this number are forgotten, the oldest first; history has them all. */
const MOST_ANSWERED = 200;

/** An answered approval never becomes pending again, so events and lists may arrive in any order. */
export function withApproval(known: Approvals, approval: ApprovalInfo): Approvals {
  const before = known.get(approval.id);
  if (before !== undefined && before.state !== 'pending' && approval.state === 'pending') return known;
  const next = new Map(known);
  next.set(approval.id, approval);
  const question = approval.question === undefined ? undefined : known.get(approval.question);
  // A call that joins a question is not shown on its own: the question counts it.
  if (before === undefined && isPending(approval) && question !== undefined && isPending(question))
    next.set(question.id, { ...question, waiting: (question.waiting ?? 1) + 1 });
  return withoutOldAnswers(next);
}

function isPending({ state }: ApprovalInfo): boolean {
  return state === 'pending';
}

/** Whether a person is asked about it; other calls wait for the answer to a question. */
export function isAsked({ state, question }: ApprovalInfo): boolean {
  return state === 'pending' && question === undefined;
}

/**
 * A loaded list replaces what waits; what the list no longer has was answered while the page was away.
 * @param before what was known when the list was asked for: requests that arrived since are not in the list, and stay
 */
export function withList(known: Approvals, list: readonly ApprovalInfo[], before: Approvals = known): Approvals {
  const next = new Map([...known].filter(([id, one]) => one.state !== 'pending' || one !== before.get(id)));
  for (const approval of list)
    if (approval.state !== 'pending' || !next.has(approval.id)) next.set(approval.id, approval);
  return withoutOldAnswers(next);
}

function withoutOldAnswers(known: Map<string, ApprovalInfo>): Approvals {
  const answered = [...known.values()].filter(({ state }) => state !== 'pending');
  if (answered.length <= MOST_ANSWERED) return known;
  const byAge = answered.toSorted((a, b) => (a.resolvedAt ?? 0) - (b.resolvedAt ?? 0));
  for (const { id } of byAge.slice(0, answered.length - MOST_ANSWERED)) known.delete(id);
  return known;
}

/** The first to expire comes first; a new request goes to its place by expiry, in practice to the end. */
export function byExpiry(a: ApprovalInfo, b: ApprovalInfo): number {
  return a.expiresAt - b.expiresAt || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

export const pendingApprovals = computed(() => [...approvals.value.values()].filter(isAsked).toSorted(byExpiry));

/** How many requests wait, with those that have no room in the list. */
export const waitingCount = computed(() => pendingApprovals.value.length + unlistedApprovals.value);
