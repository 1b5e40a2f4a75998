/** Converts sessions to tool results. */
import type { Methods } from '../../wire/methods.ts';
import type { InputAnswer, LogPage, PollAnswer, Screen, SessionInfo } from '../../wire/session.ts';
import { failureText } from '../exec/outcome-result.ts';
import { textResult } from '../tool.ts';
import type { ToolResult } from '../../wire/tool.ts';

export function listResult(sessions: readonly SessionInfo[]): ToolResult {
  if (sessions.length === 0) return textResult('No running or recent sessions.', { status: 'completed', sessions: [] });
  const rows = sessions.map(
    (session) =>
      `${session.id} ${stateOf(session)} ${runtimeOf(session)}${session.node === undefined ? '' : ` on ${session.node.name}`} :: ${session.name}`,
  );
  return textResult(rows.join('\n'), { status: 'completed', sessions: sessions.map(rowOf) });
}

export function pollResult({ session, output, retryInMs }: PollAnswer): ToolResult {
  const body = output.text.replace(/\n+$/u, '');
  const left = output.omitted === 0 ? '' : `[${output.omitted} bytes of output omitted; process log shows them]\n`;
  const state = session.status === 'running' ? 'Process still running.' : `Process ${exitText(session)}.`;
  return textResult(`${left}${body === '' ? '(no new output)' : body}\n\n${state}`, {
    status: session.status,
    sessionId: session.id,
    ...exitOf(session),
    aggregated: output.text,
    name: session.name,
    ...(session.waitingForInput ? { waitingForInput: true } : {}),
    ...(retryInMs === undefined ? {} : { retryInMs }),
    ...(output.omitted === 0 ? {} : { truncated: true, omittedBytes: output.omitted }),
  });
}

export function logResult({ session, text, offset, lines, totalLines, totalBytes, truncated }: LogPage): ToolResult {
  const next = offset + lines;
  const shown = `offset ${offset}: ${lines} ${lines === 1 ? 'line' : 'lines'} of ${totalLines}`;
  const hint = lines === totalLines ? '' : `\n\n[${shown}${next < totalLines ? `; continue with offset ${next}` : ''}]`;
  const gap = truncated ? '\n[the middle of this log was dropped]' : '';
  const none = totalLines === 0 ? '(no output)' : `(no more lines: the log has ${totalLines})`;
  return textResult(`${lines === 0 ? none : `${text.replace(/\n$/u, '')}${hint}`}${gap}`, {
    status: session.status,
    sessionId: session.id,
    ...exitOf(session),
    total: totalLines,
    totalLines,
    totalBytes,
    offset,
    lines,
    truncated,
    name: session.name,
  });
}

const DONE = { write: 'Wrote', 'send-keys': 'Sent', submit: 'Submitted', paste: 'Pasted' } as const;

export function inputResult(action: keyof typeof DONE, { session, bytes, warnings }: InputAnswer): ToolResult {
  const text = `${DONE[action]} ${bytes} ${bytes === 1 ? 'byte' : 'bytes'} to session ${session.id}.`;
  return textResult([...warnings.map((warning) => `Warning: ${warning}`), text].join('\n'), {
    status: session.status,
    sessionId: session.id,
    bytes,
    name: session.name,
    ...(warnings.length === 0 ? {} : { warnings }),
  });
}

export function endedResult(
  what: 'killed' | 'cleared' | 'removed' | 'had already ended',
  session: Methods['session.kill']['result'],
): ToolResult {
  const { endedLeftovers } = session;
  const left = endedLeftovers === undefined ? '' : ` Killed ${processes(endedLeftovers)} that it left behind.`;
  return textResult(`Session ${session.id} ${what}.${left}`, {
    status: session.status,
    sessionId: session.id,
    ...exitOf(session),
    name: session.name,
    ...(endedLeftovers === undefined ? {} : { endedLeftovers }),
  });
}

export function screenResult({ session, lines, cursor, size, title, alternate }: Screen): ToolResult {
  return textResult(lines.join('\n').trimEnd(), {
    status: session.status,
    sessionId: session.id,
    lines,
    cursor,
    cols: size.cols,
    rows: size.rows,
    title,
    alternate,
  });
}

function rowOf(session: SessionInfo) {
  const {
    id,
    status,
    pid,
    startedAt,
    endedAt,
    cwd,
    command,
    name,
    tail,
    truncated,
    stdinOpen,
    waitingForInput,
    lastOutputAt,
  } = session;
  return {
    sessionId: id,
    status,
    pid,
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    runtimeMs: (endedAt ?? Date.now()) - startedAt,
    cwd,
    ...whereOf(session),
    command,
    name,
    tail,
    truncated,
    ...exitOf(session),
    stdinWritable: stdinOpen,
    waitingForInput,
    ...(session.leftovers === undefined ? {} : { leftovers: session.leftovers }),
    ...(lastOutputAt === undefined ? {} : { lastOutputAt, idleMs: Math.max(Date.now() - lastOutputAt, 0) }),
  };
}

/** Absent for this machine. */
function whereOf({ host, node, unreachableSince }: SessionInfo) {
  return {
    ...(node === undefined ? {} : { host, node }),
    ...(unreachableSince === undefined ? {} : { unreachableSince }),
  };
}

function exitOf({ exitCode, exitSignal, failure }: SessionInfo) {
  return {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(exitSignal === undefined ? {} : { exitSignal }),
    ...(failure === undefined ? {} : { failure }),
  };
}

function exitText(session: SessionInfo): string {
  if (session.failure !== undefined) return `failed: ${failureText(session)}`;
  return session.exitSignal === undefined
    ? `exited with code ${session.exitCode ?? 0}`
    : `exited with signal ${session.exitSignal}`;
}

function processes(count: number): string {
  return `${count} ${count === 1 ? 'process' : 'processes'}`;
}

function stateOf(session: SessionInfo): string {
  const { leftovers } = session;
  if (leftovers !== undefined)
    return `${session.status} (${processes(leftovers.length)} left: pid ${leftovers.map(({ pid }) => pid).join(', ')})`;
  if (session.unreachableSince !== undefined) return `running (node ${session.node?.name ?? ''} is not connected)`;
  return session.status === 'running' && session.waitingForInput ? 'running (waiting for input?)' : session.status;
}

function runtimeOf({ startedAt, endedAt }: SessionInfo): string {
  const seconds = Math.max(((endedAt ?? Date.now()) - startedAt) / 1_000, 0);
  return seconds < 60
    ? `${seconds.toFixed(seconds < 10 ? 1 : 0)}s`
    : `${Math.floor(seconds / 60)}m${Math.floor(seconds % 60)}s`;
}
