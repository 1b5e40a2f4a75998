import { actorOf } from '../../../wire/actor.ts';
import type { ApprovalInfo, Narrowing } from '../../../wire/approval.ts';
import { maskedEntry } from '../../approvals/history.ts';
import type { ApprovalStore } from '../../approvals/shape.ts';
import { entriesOf } from './answered-entries.ts';

/** Part of the transaction of the answer: an answer that was acknowledged has its row and its notice. */
export function recordAnswer(
  store: Pick<ApprovalStore, 'audit' | 'notice'>,
  approval: ApprovalInfo,
  by: string,
  narrow?: Narrowing,
): void {
  const { id, slug, decision, binding } = approval;
  const stored = decision === 'allow-always' ? entriesOf(approval, narrow) : [];
  store.audit({
    event: 'answered',
    ...actorOf(binding),
    approvalId: id,
    command: binding.command,
    by,
    details: { decision, stored: stored.map(maskedEntry) },
  });
  store.notice({
    kind: 'approval-resolved',
    ...actorOf(binding),
    text: `Approval ${slug}: ${decision} by ${by}`,
    wake: false,
    contextKey: `exec:${id}`,
    approvalId: id,
  });
}
