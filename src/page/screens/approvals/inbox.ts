/** Which requests the inbox shows, and which of them is shown in detail. Pure, so that the rules can be tested. */
import type { ApprovalInfo } from '../../../wire/approval.ts';
import { type Approvals, byExpiry, isAsked } from '../../state/approvals.ts';

export interface Inbox {
  /** The ids that wait. */
  readonly waiting: ReadonlySet<string>;
  /** Requests that were answered elsewhere, or expired, since the selection last moved: they stay in place. */
  readonly lingering: ReadonlySet<string>;
}

export const EMPTY_INBOX: Inbox = { waiting: new Set(), lingering: new Set() };

/** @param answeredHere requests that this page has answered: they leave at once */
export function nextInbox(before: Inbox, known: Approvals, answeredHere: ReadonlySet<string>): Inbox {
  const waiting = new Set<string>();
  const lingering = new Set<string>();
  for (const [id, approval] of known) {
    if (isAsked(approval)) waiting.add(id);
    else if (
      approval.state !== 'pending' &&
      (before.waiting.has(id) || before.lingering.has(id)) &&
      !answeredHere.has(id)
    )
      lingering.add(id);
  }
  return { waiting, lingering };
}

/** The items in order, the first to expire first. */
export function inboxItems({ waiting, lingering }: Inbox, known: Approvals, words: string): readonly ApprovalInfo[] {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  return [...waiting, ...lingering]
    .flatMap((id) => known.get(id) ?? [])
    .filter((approval) => wanted.every((word) => searchText(approval).includes(word)))
    .sort(byExpiry);
}

function searchText({ slug, binding, node, judgement }: ApprovalInfo): string {
  return [slug, binding.command, binding.agent, binding.cwd, node?.name ?? '', judgement.code].join('\n').toLowerCase();
}

/** The item after the one that left, or the last one. */
export function afterRemoval(items: readonly ApprovalInfo[], removed: ApprovalInfo): ApprovalInfo | undefined {
  const others = items.filter(({ id, state }) => id !== removed.id && state === 'pending');
  return others.find((item) => byExpiry(item, removed) > 0) ?? others.at(-1);
}

/** The next or previous item. */
export function neighbour(
  items: readonly ApprovalInfo[],
  shown: ApprovalInfo | undefined,
  step: 1 | -1,
): ApprovalInfo | undefined {
  const at = items.findIndex(({ id }) => id === shown?.id);
  if (at < 0) return items[0];
  return items[Math.min(items.length - 1, Math.max(0, at + step))];
}

/** An id in a path is whole, or its first eight characters. */
export function hasId({ id, slug }: ApprovalInfo, wanted: string): boolean {
  return id === wanted || slug === wanted;
}
