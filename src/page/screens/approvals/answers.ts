/** Sends the answers of the person. Each carries the full id and the digest of what was shown; the server decides. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ApprovalInfo, Decision, Narrowing, ResolveAnswer } from '../../../wire/approval.ts';
import { CallError } from '../../socket/calls.ts';
import { approvals, withApproval } from '../../state/approvals.ts';
import { call } from '../../state/server.ts';
import { toast } from '../../state/toasts.ts';
import { leave } from './selection.ts';

export const EXTENSION_MS = 30 * 60_000;

export const ON_ITS_WAY = 'An answer is on its way.';
/** The request whose answer is on its way. */
export const answering = signal<string | undefined>(undefined);
/** Why the last answer to a request had no effect. */
export const problem = signal<{ readonly id: string; readonly error: unknown } | undefined>(undefined);

export interface AnswerExtras {
  readonly reason?: string;
  readonly narrow?: Narrowing;
}

/** What a dialog about one request gets. */
export interface AnswerDialogProps {
  readonly approval: ApprovalInfo;
  /** Why the answer cannot be sent now. */
  readonly blocked: string | undefined;
  readonly onAnswer: (extras: AnswerExtras) => void;
  readonly onClose: () => void;
  /** What happened to the request or to the answer meanwhile. */
  readonly children: ComponentChildren;
}

const DONE: Readonly<Record<Decision, string>> = {
  'allow-once': 'Allowed once. It runs now.',
  'allow-always': 'Stored, and running now.',
  deny: 'Denied. The agent gets the answer.',
};

/** Whether the answer counted. */
export async function answer(shown: ApprovalInfo, decision: Decision, extras: AnswerExtras = {}): Promise<boolean> {
  if (answering.peek() !== undefined) return false;
  const { id, digest } = shown;
  answering.value = id;
  problem.value = undefined;
  try {
    const result = await call('approval.resolve', {
      id,
      decision,
      ...(digest === undefined ? {} : { digest }),
      ...extras,
    });
    return applyResult(shown, decision, result);
  } catch (error) {
    problem.value = { id, error };
    return false;
  } finally {
    answering.value = undefined;
  }
}

function applyResult(shown: ApprovalInfo, decision: Decision, result: ResolveAnswer): boolean {
  if (!result.ok) {
    const { approval, message, hint } = result;
    // What waits now is shown. Where it is not what the person saw, the selection makes further answers wait.
    if (approval !== undefined) approvals.value = withApproval(approvals.peek(), approval);
    if (result.reason !== 'already-resolved' || approval === undefined)
      problem.value = {
        id: shown.id,
        error: new CallError({ code: result.reason, message, ...(hint === undefined ? {} : { hint }) }),
      };
    return false;
  }
  const { approval, notRun, notStored } = result;
  // The person must read why it does not run, so that it stays in view; the other answers make room for the next request.
  if (notRun === undefined) leave(approval);
  else problem.value = { id: shown.id, error: new CallError({ code: 'not-run', message: `not run: ${notRun}` }) };
  approvals.value = withApproval(approvals.peek(), approval);
  if (notRun === undefined)
    toast(notStored === undefined ? DONE[decision] : `Allowed once, and not stored: ${notStored}`);
  return true;
}

export async function extend({ id }: ApprovalInfo): Promise<void> {
  problem.value = undefined;
  try {
    const result = await call('approval.extend', { id, byMs: EXTENSION_MS });
    if (result.approval !== undefined) approvals.value = withApproval(approvals.peek(), result.approval);
    if (result.ok) toast('30 more minutes');
    else problem.value = { id, error: new CallError({ code: result.reason, message: result.message }) };
  } catch (error) {
    problem.value = { id, error };
  }
}
