import type { ApprovalInfo } from '../approval.ts';

/** Times that a person has allowed it once, after which the next question offers to keep the answer. */
const ONCE_BEFORE = 2;

/** Whether this is the third time, and the answer can be kept. */
export function isKeepOffered({ allowedBefore = 0, wouldStore }: ApprovalInfo): boolean {
  return allowedBefore >= ONCE_BEFORE && wouldStore.length > 0;
}
