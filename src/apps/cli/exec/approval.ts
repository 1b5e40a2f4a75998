/** A command that a person has to approve: how to do it, and waiting for it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { Output } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';
import type { Gateway } from '../../../wire/methods.ts';

const POLL_MS = 200;

/** Says what waits, until when, and what to type. */
export function reportPending({ slug, expiresAt, binding, judgement }: ApprovalInfo, output: Output): void {
  const seconds = Math.max(0, Math.ceil((expiresAt - Date.now()) / 1_000));
  output.err(
    `pincer: approval ${slug} is required for ${visibleLine(binding.command)} (${visibleLine(judgement.reason)})\n` +
      `hint: pincer approvals allow ${slug}, or pincer approvals deny ${slug}; it expires in ${seconds} s\n`,
  );
}

/** The approval once it is answered, by a person or by what holds without an answer, and its command was started or given up. */
export async function waitForAnswer(gateway: Gateway, id: string, signal: AbortSignal): Promise<ApprovalInfo> {
  for (;;) {
    const approval = await gateway.call('approval.show', { id }, signal);
    // Also where its time is over: `askFallback` may run it then.
    if (approval.sessionId !== undefined || approval.outcome !== undefined) return approval;
    await pause(POLL_MS, undefined, { signal });
  }
}
