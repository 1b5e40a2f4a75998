/** Reports a pending approval, and waits for its answer. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { Output } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import type { Gateway } from '../../../wire/methods.ts';

const POLL_MS = 200;

export function reportPending({ slug, expiresAt, binding, judgement, node }: ApprovalInfo, output: Output): void {
  const where = node === undefined ? '' : `on node ${visibleLine(node.name)}: `;
  const seconds = Math.max(0, Math.ceil((expiresAt - Date.now()) / 1_000));
  output.err(
    `pincer: approval ${slug} is required for ${visibleLine(binding.command)} (${visibleLine(judgement.reason)})\n` +
      `hint: ${where}pincer approvals allow ${slug}, or pincer approvals deny ${slug}; it expires in ${seconds} s\n`,
  );
}

/** Waits until the approval is answered or expired, and its command started or dropped. */
export async function waitForAnswer(gateway: Gateway, id: string, signal: AbortSignal): Promise<ApprovalInfo> {
  for (;;) {
    const approval = await gateway.call('approval.show', { id }, signal);
    // Not when it expires: `askFallback` may still start the command.
    if (approval.sessionId !== undefined || approval.outcome !== undefined) return approval;
    await pause(POLL_MS, undefined, { signal });
  }
}
