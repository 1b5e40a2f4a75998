/** Asks a person of the embedding program about a command that needs approval. */
import type { ToolResult } from '../../wire/tool.ts';
import type { Decision } from '../../wire/approval.ts';
import type { CallOptions, Toolbox } from '../assemble.ts';
import { isApprovalPending, onlyAnsweredOn } from '../approval-pending.ts';

export interface ApprovalQuestion {
  /** The waiting call. */
  readonly toolCallId: string;
  readonly approvalId: string;
  /** The short name of the request, for `pincer approvals`. */
  readonly approvalSlug: string;
  readonly command: string;
  readonly cwd: string;
  /** The paired machine where it would run; absent for this one. */
  readonly node?: { readonly id: string; readonly name: string };
  /** Variables that the agent sets in the call; they can change the meaning of the command. */
  readonly env?: Readonly<Record<string, string>>;
  /** Why the command needs approval. */
  readonly reason: string;
  readonly expiresAtMs: number;
}

export interface ApprovalReply {
  readonly decision: Decision;
  /** The person who answered, for the audit log. */
  readonly by?: string;
  /** For a denial: the explanation for the agent. */
  readonly reason?: string;
}

/** Asks a person. Undefined leaves the request pending, and the call returns `approval-pending`. */
export type AskPerson = (
  question: ApprovalQuestion,
  signal: AbortSignal | undefined,
) => Promise<ApprovalReply | Decision | undefined> | ApprovalReply | Decision | undefined;

interface WaitingCall extends CallOptions {
  readonly tool: string;
  readonly toolCallId: string;
  readonly approve: AskPerson | undefined;
}

const DECISIONS: readonly unknown[] = ['allow-once', 'allow-always', 'deny'];

/** The default of `by`. */
const PROGRAM = 'the program that runs the agent';

/** The result of a call. If it waits for approval and a person can be asked, the result after the answer. */
export async function settleApproval(toolbox: Toolbox, result: ToolResult, call: WaitingCall): Promise<ToolResult> {
  const { tool, toolCallId, approve, signal, onUpdate } = call;
  const { details } = result;
  if (!isApprovalPending(tool, result) || onlyAnsweredOn(result) !== undefined || approve === undefined) return result;
  const approvalId = details['approvalId'] as string;
  const reply = await askPerson({ ...(details as unknown as ApprovalQuestion), toolCallId }, approve, signal);
  // The program no longer waits, so the command must not run if a person answers later.
  if (signal?.aborted === true) {
    await toolbox.decide({ approvalId, decision: 'deny', by: `${PROGRAM}, which stopped waiting`, onlyThis: true });
    return stopped();
  }
  if (reply === undefined) return result;
  return toolbox.decide(
    {
      approvalId,
      decision: reply.decision,
      by: reply.by ?? PROGRAM,
      ...(reply.reason === undefined ? {} : { reason: reply.reason }),
    },
    {
      ...(signal === undefined ? {} : { signal }),
      ...(onUpdate === undefined ? {} : { onUpdate }),
    },
  );
}

/** The person's answer. An invalid answer leaves the request pending. */
async function askPerson(
  { toolCallId, approvalId, approvalSlug, command, cwd, node, env, reason, expiresAtMs }: ApprovalQuestion,
  approve: AskPerson,
  signal: AbortSignal | undefined,
): Promise<ApprovalReply | undefined> {
  const set = env === undefined ? {} : { env };
  const where = node === undefined ? {} : { node: { id: node.id, name: node.name } };
  const question = { toolCallId, approvalId, approvalSlug, command, cwd, ...where, ...set, reason, expiresAtMs };
  const answer = await unlessStopped(() => approve(question, signal), signal);
  const reply = typeof answer === 'string' ? { decision: answer } : answer;
  return reply !== undefined && DECISIONS.includes(reply.decision) ? reply : undefined;
}

/** A person may take hours to answer; an aborted call ends immediately, without an answer. */
async function unlessStopped<T>(ask: () => T | Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (signal === undefined) return ask();
  const { promise, stop } = stopping();
  signal.addEventListener('abort', stop);
  try {
    return signal.aborted ? undefined : await Promise.race([ask(), promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function stopping(): { readonly promise: Promise<undefined>; readonly stop: () => void } {
  let stop = (): void => {};
  const promise = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
  });
  return { promise, stop };
}

function stopped(): ToolResult {
  return {
    content: [{ type: 'text', text: 'Aborted\nthe command was not started' }],
    details: { name: 'AbortError', code: 'TOOL_ABORTED', status: 'failed' },
    isError: true,
    error: 'Aborted',
  };
}
