/** Converts the outcome of a command to a tool result. */
import type { ExecOutcome } from '../../wire/exec.ts';
import type { LogSlice, SessionInfo } from '../../wire/session.ts';
import { textResult } from '../tool.ts';
import type { ToolResult } from '../../wire/tool.ts';

type Ran = Extract<ExecOutcome, { readonly session: SessionInfo }>;
type Pending = Extract<ExecOutcome, { readonly status: 'approval-pending' }>;
type Denied = Extract<ExecOutcome, { readonly status: 'denied' }>;

export function outcomeResult(outcome: ExecOutcome, signal: AbortSignal | undefined): ToolResult {
  switch (outcome.status) {
    case 'running':
      return runningResult(outcome);
    case 'completed':
      return completedResult(outcome);
    case 'failed':
      if (signal?.aborted === true && outcome.session.failure === 'aborted') return failedResult(outcome, 'Aborted');
      return failedResult(outcome);
    case 'approval-pending':
      return pendingResult(outcome);
    case 'denied':
      return deniedResult(outcome);
  }
}

function runningResult({ session, warnings }: Ran): ToolResult {
  const { id, pid, node, startedAt, cwd, tail, timeoutSec = 0 } = session;
  const sandbox = session.sandbox === true;
  const limit = timeoutSec === 0 ? '' : ` Its time limit is ${timeoutSec} s; timeout 0 sets none.`;
  const text = `Command still running (session ${id}, ${node === undefined ? '' : `node ${node.name}, `}pid ${pid ?? 'n/a'}). Use process (list/poll/log/write/send-keys/kill/clear/remove) for follow-up.${limit}`;
  return result(text, warnings, {
    status: 'running',
    sessionId: id,
    pid,
    startedAt,
    timeoutSec,
    cwd,
    tail,
    sandbox,
    ...nodeOf(session),
  });
}

function completedResult({ session, output, warnings }: Ran): ToolResult {
  const { exitCode = 0, cwd } = session;
  const body = withOmission(output, session);
  const code = exitCode === 0 ? '' : `${body === '' ? '' : '\n\n'}(Command exited with code ${exitCode})`;
  return result(`${body === '' && code === '' ? '(no output)' : body}${code}`, warnings, {
    status: 'completed',
    exitCode,
    durationMs: durationOf(session),
    aggregated: output.text,
    cwd,
    sandbox: session.sandbox === true,
    ...nodeOf(session),
    ...(session.obeyed === undefined ? {} : { obeyed: session.obeyed }),
    ...omission(output, session),
  });
}

function failedResult({ session, output, warnings }: Ran, reason = failureText(session)): ToolResult {
  const body = withOmission(output, session);
  const { cwd, failure, exitCode, exitSignal } = session;
  return {
    ...result(`${body === '' ? '' : `${body}\n\n`}${reason}`, warnings, {
      status: 'failed',
      code: failure === 'timeout' ? 'EXEC_TIMEOUT' : failure === 'aborted' ? 'TOOL_ABORTED' : 'EXEC_FAILED',
      failure,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(exitSignal === undefined ? {} : { exitSignal }),
      durationMs: durationOf(session),
      aggregated: output.text,
      cwd,
      sandbox: session.sandbox === true,
      ...nodeOf(session),
      ...(session.obeyed === undefined ? {} : { obeyed: session.obeyed }),
      ...omission(output, session),
      ...(failure === 'aborted' ? { name: 'AbortError' } : {}),
    }),
    isError: true,
    error: reason,
  };
}

function pendingResult({ approval, warnings }: Pending): ToolResult {
  const { id, slug, expiresAt, binding, node } = approval;
  const { reason } = approval.judgement;
  const where =
    node?.answers === 'none'
      ? `on node ${node.name} with pincer approvals allow ${node.approvalId ?? slug}`
      : `with pincer approvals allow ${slug} or /approve ${slug} allow-once`;
  const text = [
    approvalRequired(slug, reason, node),
    `The command has not started. It runs when a person allows it ${where}; then process list shows its session, and a notice reports its end.`,
  ].join('\n');
  return result(text, warnings, {
    status: 'approval-pending',
    approvalId: id,
    approvalSlug: slug,
    expiresAtMs: expiresAt,
    host: binding.host,
    ...(node === undefined ? {} : { node }),
    command: binding.command,
    cwd: binding.cwd,
    sandbox: false,
    // Variables can change what the command does, so the person must see them.
    ...(Object.keys(binding.env).length === 0 ? {} : { env: binding.env }),
    reason,
  });
}

/** The first line that the agent reads about an approval request. */
export function approvalRequired(slug: string, reason: string, node: { readonly name: string } | undefined): string {
  return `Approval required (id ${slug}${node === undefined ? '' : `, node=${node.name}`}): ${reason}.`;
}

function deniedResult({ reason, message, hint, judgement, warnings }: Denied): ToolResult {
  const text = hint === undefined ? message : `${message}\n${hint}`;
  return {
    ...result(text, warnings, {
      status: 'denied',
      code: 'EXEC_DENIED',
      reason,
      sandbox: false,
      ...(hint === undefined ? {} : { hint }),
      ...(judgement === undefined
        ? {}
        : { rule: judgement.code, ...(judgement.at === undefined ? {} : { at: judgement.at }) }),
    }),
    isError: true,
    error: message,
  };
}

export function failureText({ failure, failureNote, exitSignal }: SessionInfo): string {
  switch (failure) {
    case 'timeout':
      return `Command timed out after ${failureNote ?? '?'} ${failureNote === '1' ? 'second' : 'seconds'}`;
    case 'aborted':
      return 'Command aborted';
    case 'killed':
      return 'Command was killed';
    case 'spawn-failed':
      return `Command could not be started: ${failureNote ?? 'unknown reason'}`;
    case 'lost':
      return `Command was lost: ${failureNote ?? 'its supervisor died, and the command was killed'}`;
    default:
      return `Command aborted by signal ${exitSignal ?? 'unknown'}`;
  }
}

function result(text: string, warnings: readonly string[], details: Readonly<Record<string, unknown>>): ToolResult {
  const notes = warnings.map((warning) => `Warning: ${warning}\n`).join('');
  return textResult(`${notes}${notes === '' ? '' : '\n'}${text}`, {
    ...details,
    ...(warnings.length === 0 ? {} : { warnings }),
  });
}

function withOmission({ text, omitted }: LogSlice, { id }: SessionInfo): string {
  const body = text.replace(/\n+$/u, '');
  return omitted === 0
    ? body
    : `${body}\n\n[${omitted} bytes of output omitted; process log with sessionId ${id} shows them]`;
}

function omission({ omitted }: LogSlice, { id }: SessionInfo) {
  return omitted === 0 ? {} : { truncated: true, omittedBytes: omitted, sessionId: id };
}

function nodeOf({ node }: SessionInfo) {
  return node === undefined ? {} : { node };
}

function durationOf({ startedAt, endedAt }: SessionInfo): number | undefined {
  return endedAt === undefined ? undefined : Math.max(endedAt - startedAt, 0);
}
