/** Sends the output of a command while its call waits for the end. */
import type { Caller } from '../../wire/exec.ts';
import type { Gateway } from '../../wire/methods.ts';
import type { SessionInfo } from '../../wire/session.ts';
import { textResult, type ToolContext } from '../tool.ts';
import type { ToolResult } from '../../wire/tool.ts';

const INTERVAL_MS = 250;

interface Watched {
  readonly gateway: Gateway;
  readonly caller: Caller;
  readonly onUpdate: NonNullable<ToolContext['onUpdate']>;
  /** Waits for the start of the session. */
  readonly session: (signal: AbortSignal) => Promise<SessionInfo>;
}

/** Sends updates of the session until the work is done. */
export async function withUpdates<T>(watched: Watched, work: () => Promise<T>): Promise<T> {
  const done = new AbortController();
  // If watching fails, either the work fails too, or the failure does not matter for the result.
  const watching = watch(watched, done.signal).catch(() => undefined);
  try {
    return await work();
  } finally {
    done.abort();
    await watching;
  }
}

async function watch({ gateway, caller, onUpdate, session }: Watched, done: AbortSignal): Promise<void> {
  const started = await session(done);
  for (let info = started, sent = -1; !done.aborted && info.status === 'running'; ) {
    if (info.bytes !== sent) onUpdate(partial(info));
    sent = info.bytes;
    info = await gateway.call('session.wait', { caller, sessionId: started.id, waitMs: INTERVAL_MS }, done);
  }
}

function partial({ id, pid, startedAt, cwd, tail, sandbox }: SessionInfo): ToolResult {
  return textResult(tail, { status: 'running', sessionId: id, pid, startedAt, cwd, tail, sandbox: sandbox === true });
}
