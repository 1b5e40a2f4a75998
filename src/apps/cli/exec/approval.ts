/** Reports a pending approval, and waits for its answer. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { Output } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import type { Gateway } from '../../../wire/methods.ts';

const POLL_MS = 200;
/** How long after the end of its time a connected node may take to report what became of its request. */
const REPORT_MS = 60_000;

export function reportPending({ slug, expiresAt, binding, judgement, node }: ApprovalInfo, output: Output): void {
  const isOnlyThere = node?.answers === 'none';
  const id = isOnlyThere ? (node.approvalId ?? slug) : slug;
  const where = isOnlyThere ? `answer it on node ${visibleLine(node.name)}: ` : '';
  const on = node === undefined ? '' : ` on node ${visibleLine(node.name)}`;
  const seconds = Math.max(0, Math.ceil((expiresAt - Date.now()) / 1_000));
  output.err(
    `pincer: approval ${slug} is required for ${visibleLine(binding.command)}${on} (${visibleLine(judgement.reason)})\n` +
      `hint: ${where}pincer approvals allow ${id}, or pincer approvals deny ${id}; it expires in ${seconds} s\n`,
  );
}

/** What became of an approval whose command has no session. */
export function endText({ slug, outcome, state, node }: ApprovalInfo): string {
  const open =
    node === undefined ? state : `its time is over, and node ${visibleLine(node.name)} has reported no answer`;
  return `approval ${slug}: ${outcome ?? (state === 'pending' ? open : state)}`;
}

/** Waits until the approval is answered or expired, and its command started or dropped; for a node, until it cannot be any more. */
export async function waitForAnswer(gateway: Gateway, id: string, signal: AbortSignal): Promise<ApprovalInfo> {
  for (;;) {
    const approval = await gateway.call('approval.show', { id }, signal);
    // Not when it expires: `askFallback` may still start the command.
    if (approval.sessionId !== undefined || approval.outcome !== undefined) return approval;
    const { node, state, expiresAt } = approval;
    if (node !== undefined && state === 'pending' && Date.now() > expiresAt + REPORT_MS) return approval;
    await pause(POLL_MS, undefined, { signal });
  }
}
