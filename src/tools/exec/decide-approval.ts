import { Fault } from '../../base/fault.ts';
import type { ApprovalInfo, Decision, ResolveAnswer } from '../../wire/approval.ts';
import type { Gateway } from '../../wire/methods.ts';
import type { ToolContext } from '../tool.ts';
import { withFailedStatus, noGateway } from './failed-status.ts';
import { outcomeResult } from './outcome-result.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { withUpdates } from './updates.ts';

export interface Answer {
  readonly approvalId: string;
  readonly decision: Decision;
  readonly by: string;
  /** A message to the agent about a denial. */
  readonly reason?: string;
  /** Calls that wait for the same answer go on waiting. */
  readonly onlyThis?: true;
  /** How long to wait for the end of the command. */
  readonly yieldMs?: number;
}

/** Answers an approval request of `exec`, and returns the result that the original call would have returned. */
export function decideApproval(answer: Answer, context: ToolContext): Promise<ToolResult> {
  return withFailedStatus(async () => {
    const { running, onUpdate, signal } = context;
    if (running === undefined) throw noGateway();
    const { caller } = running;
    const gateway = await running.gateway();
    const { id, binding } = await gateway.call('approval.show', { id: answer.approvalId }, signal);
    if (binding.agent !== caller.agent)
      throw new Fault('APPROVAL_UNKNOWN', `${JSON.stringify(answer.approvalId)} is not an approval of this agent`);
    const { decision, by, reason, onlyThis } = answer;
    const given = {
      id,
      decision,
      by,
      ...(reason === undefined ? {} : { reason }),
      ...(onlyThis === undefined ? {} : { onlyThis }),
    };
    const resolved = await gateway.call('approval.resolve', given, signal);
    if (!resolved.ok && resolved.reason !== 'already-resolved') throw refused(resolved);
    const { yieldMs } = answer;
    const wait = () =>
      gateway.call('approval.outcome', { id, caller, ...(yieldMs === undefined ? {} : { yieldMs }) }, signal);
    const { approval } = resolved;
    const outcome =
      onUpdate === undefined || approval?.sessionId === undefined
        ? await wait()
        : await withUpdates({ gateway, caller, onUpdate, session: () => sessionOf(gateway, caller, approval) }, wait);
    return withNote(outcomeResult(outcome, signal), resolved);
  });
}

async function sessionOf(gateway: Gateway, caller: { readonly agent: string }, { sessionId }: ApprovalInfo) {
  return gateway.call('session.wait', { caller, sessionId: sessionId ?? '', waitMs: 0 });
}

function refused({ reason, message, hint }: Extract<ResolveAnswer, { ok: false }>): Fault {
  return new Fault('APPROVAL_REFUSED', message, { ...(hint === undefined ? {} : { hint }), details: { reason } });
}

/** Adds what the answer changed for later commands, so that the model and the person both see it. */
function withNote(result: ToolResult, resolved: ResolveAnswer): ToolResult {
  if (!resolved.ok) {
    const note = `[Note: ${resolved.message}]`;
    return { ...result, content: [...result.content, { type: 'text', text: note }] };
  }
  const { stored, notStored } = resolved;
  if (stored.length === 0 && notStored === undefined) return result;
  const patterns = stored.map(({ pattern }) => pattern);
  const note =
    notStored === undefined
      ? `[Note: added to the allowlist: ${patterns.join(', ')}]`
      : `[Note: allowed once, not added to the allowlist: ${notStored}]`;
  return {
    ...result,
    content: [...result.content, { type: 'text', text: note }],
    details: { ...result.details, stored: patterns, ...(notStored === undefined ? {} : { notStored }) },
  };
}
