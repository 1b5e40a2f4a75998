import type { ApprovalInfo } from '../../wire/approval.ts';
import type { DenialReason } from '../../wire/exec.ts';

/** Outcomes of an allowed request whose command did not run. */
const NOT_RUN: readonly string[] = [
  'security=deny',
  'allowlist-miss',
  'deny-rule',
  'approval-changed',
  'spawn-failed',
  'tool-denied',
] satisfies DenialReason[];

/** Whether it is certain that the command of a closed approval request did not run. An allowed one may have run before a crash. */
export function neverRan({ state, outcome }: Pick<ApprovalInfo, 'state' | 'outcome'>): boolean {
  return outcome !== undefined && (state !== 'allowed' || NOT_RUN.includes(outcome));
}
