/** What a person who reads a pending request needs to know about earlier ones of the agent. */
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { EarlierRequests } from '../../approvals/question-groups.ts';

export function withEarlier(approval: ApprovalInfo, earlier: EarlierRequests): ApprovalInfo {
  const { id, state, binding } = approval;
  if (state !== 'pending') return approval;
  const allowedBefore = earlier.allowedBefore(id);
  const previous = earlier.previous(id);
  const words = previous === undefined ? undefined : differingWord(previous.command, binding.command);
  return {
    ...approval,
    ...(allowedBefore === 0 ? {} : { allowedBefore }),
    ...(previous === undefined || words === undefined ? {} : { differs: { from: previous.slug, ...words } }),
  };
}

/** The only word in which two commands differ; undefined for equal ones and for those that differ more. */
export function differingWord(
  before: string,
  now: string,
): { readonly word: string; readonly before: string } | undefined {
  const [old, own] = [before, now].map((text) => text.split(/\s+/u).filter(Boolean)) as [string[], string[]];
  if (old.length !== own.length) return undefined;
  const [at, second] = own.flatMap((word, i) => (word === old[i] ? [] : [i]));
  return at === undefined || second !== undefined ? undefined : { word: own[at]!, before: old[at]! };
}
