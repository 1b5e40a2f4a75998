import { actorOf } from '../../../wire/actor.ts';
import type { ApprovalInfo, ExtendAnswer } from '../../../wire/approval.ts';
import { LONGEST_WAIT_MS } from '../../../wire/methods/approval-methods.ts';
import type { ApprovalStore } from '../../approvals/shape.ts';

/** Lets a pending request of this machine wait longer, and records who wanted that. At its longest wait, nothing is recorded. */
export function extendApproval(
  store: Pick<ApprovalStore, 'extend' | 'audit' | 'notice'>,
  id: string,
  byMs: number,
  by: string,
): ExtendAnswer {
  const record = (approval: ApprovalInfo): void => {
    const expiresAt = new Date(approval.expiresAt).toISOString();
    const about = { ...actorOf(approval.binding), approvalId: approval.id };
    store.audit({ event: 'extended', ...about, command: approval.binding.command, by, details: { expiresAt } });
    store.notice({
      kind: 'approval-extended',
      ...about,
      text: `Approval ${approval.slug} waits until ${expiresAt} (${by})`,
      wake: false,
      contextKey: `exec:${approval.id}`,
    });
  };
  return store.extend(id, byMs, LONGEST_WAIT_MS, record);
}
