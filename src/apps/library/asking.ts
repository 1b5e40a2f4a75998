/** A command that needs a person, put to the person whom the program can reach. */
import type { ToolResult } from '../../wire/tool.ts';
import type { Decision } from '../../wire/approval.ts';
import type { CallOptions, Toolbox } from '../assemble.ts';
import { waitsForPerson } from '../pending.ts';

/** What a person is asked. */
export interface ApprovalQuestion {
  /** The call that waits for the answer. */
  readonly toolCallId: string;
  readonly approvalId: string;
  /** The short name of the question, for `pincer approvals`. */
  readonly approvalSlug: string;
  readonly command: string;
  readonly cwd: string;
  /** The variables that the call itself sets: the agent chose them, and the command may mean something else with them. */
  readonly env?: Readonly<Record<string, string>>;
  /** Why the command needs a person. */
  readonly reason: string;
  readonly expiresAtMs: number;
}

/** The answer and, for the audit log, who gave it. */
export interface ApprovalReply {
  readonly decision: Decision;
  readonly by?: string;
  /** For a denial: what the agent should know. */
  readonly reason?: string;
}

/** Asks a person; undefined leaves the question in the inbox of approvals, and the call answers `approval-pending`. */
export type AskPerson = (
  question: ApprovalQuestion,
  signal: AbortSignal | undefined,
) => Promise<ApprovalReply | Decision | undefined> | ApprovalReply | Decision | undefined;

interface Asking extends CallOptions {
  readonly tool: string;
  readonly toolCallId: string;
  readonly approve: AskPerson | undefined;
}

const DECISIONS: readonly unknown[] = ['allow-once', 'allow-always', 'deny'];

/** Who answers where the program does not say it. */
const PROGRAM = 'the program that runs the agent';

/** The result of a call; where it waits for a person and one can be asked, what became of the answer. */
export async function settled(toolbox: Toolbox, result: ToolResult, asking: Asking): Promise<ToolResult> {
  const { tool, toolCallId, approve, signal, onUpdate } = asking;
  const { details } = result;
  if (!waitsForPerson(tool, result) || approve === undefined) return result;
  const approvalId = details['approvalId'] as string;
  const reply = await replied({ ...(details as unknown as ApprovalQuestion), toolCallId }, approve, signal);
  // What nobody waits for any more must not run when somebody finds the question later.
  if (signal?.aborted === true) {
    await toolbox.decide({ approvalId, decision: 'deny', by: `${PROGRAM}, which stopped waiting` });
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

/** What a person answered. An answer that is none leaves the question open: only a clear yes is one. */
async function replied(
  { toolCallId, approvalId, approvalSlug, command, cwd, env, reason, expiresAtMs }: ApprovalQuestion,
  approve: AskPerson,
  signal: AbortSignal | undefined,
): Promise<ApprovalReply | undefined> {
  const set = env === undefined ? {} : { env };
  const question = { toolCallId, approvalId, approvalSlug, command, cwd, ...set, reason, expiresAtMs };
  const answer = await unlessStopped(() => approve(question, signal), signal);
  const reply = typeof answer === 'string' ? { decision: answer } : answer;
  return reply !== undefined && DECISIONS.includes(reply.decision) ? reply : undefined;
}

/** Whoever is asked may think for hours; a call that is stopped ends at once, without an answer. */
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
