import { allowedWithoutAnswer } from '../../../policy/decide.ts';
import { askFallbackOf } from '../../../policy/effective.ts';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import { isGuestAgent } from '../../../wire/nodes/guest-agent.ts';
import type { ExecSettings } from '../../../wire/settings.ts';
import type { ApprovalsFile } from '../../approvals/shape.ts';
import { forbiddingSetting } from './guest-runs.ts';

/** States what happens to a pending request that no person answers. A node decides about its own requests. */
export async function withUnanswered(
  approval: ApprovalInfo,
  file: Pick<ApprovalsFile, 'rulesFor'>,
  guests: () => Promise<ExecSettings['guests']>,
): Promise<ApprovalInfo> {
  const { state, node, binding, judgement } = approval;
  if (state !== 'pending' || node !== undefined) return approval;
  const isAllowed = allowedWithoutAnswer(askFallbackOf(file.rulesFor(binding.agent)), judgement);
  const isForbidden =
    isAllowed && isGuestAgent(binding.agent) && forbiddingSetting(approval, await guests()) !== undefined;
  return { ...approval, unanswered: isAllowed && !isForbidden ? 'run' : 'deny' };
}
