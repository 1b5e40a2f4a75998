/** Tells what a command has written so far while its call waits for the end. */
import type { Caller } from '../../wire/exec.ts';
import type { Gateway } from '../../wire/methods.ts';
import type { SessionInfo } from '../../wire/session.ts';
import { textResult, type ToolContext } from '../tool.ts';
import type { ToolResult } from '../../wire/tool.ts';

/** How often there is news at most. */
const EVERY_MS = 250;

interface Watched {
  readonly gateway: Gateway;
  readonly caller: Caller;
  readonly onUpdate: NonNullable<ToolContext['onUpdate']>;
  /** Finds the session, and waits for its start where it has not begun. */
  readonly session: (signal: AbortSignal) => Promise<SessionInfo>;
}

/** Does the work, and tells of the session that belongs to it until the work is done. */
export async function withUpdates<T>(watched: Watched, work: () => Promise<T>): Promise<T> {
  const done = new AbortController();
  // What the watching fails with, the work fails with as well, or it does not matter for the answer.
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
  for (let info = started, told = -1; !done.aborted && info.status === 'running'; ) {
    if (info.bytes !== told) onUpdate(partial(info));
    told = info.bytes;
    info = await gateway.call('session.wait', { caller, sessionId: started.id, waitMs: EVERY_MS }, done);
  }
}

function partial({ id, pid, startedAt, cwd, tail, sandbox }: SessionInfo): ToolResult {
  return textResult(tail, { status: 'running', sessionId: id, pid, startedAt, cwd, tail, sandbox: sandbox === true });
}
