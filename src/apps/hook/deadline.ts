/**
 * A decision with a deadline. Clients let a call through when their hook exceeds its time limit, and how long a decision takes
 * depends on files of the agent. So another process decides, and this one is free to block the call in time. A thread would not
 * do: a process with a thread that the kernel holds, on a file system that does not answer, cannot end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Fault } from '../../base/fault.ts';

/** Far below the time limit that `pincer init --hook` gives the client (600 s). */
const DEADLINE_MS = 20_000;

/** What the process that decides printed, and how it ended. */
export interface Decided {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: Buffer;
  readonly err: Buffer;
}

/**
 * Runs Node with these arguments, on the standard input of this process or another descriptor. Throws where it has not ended
 * at the deadline, whatever keeps it.
 */
export async function decideInTime(
  args: readonly string[],
  { deadlineMs = DEADLINE_MS, stdin = 0 }: { readonly deadlineMs?: number; readonly stdin?: number } = {},
): Promise<Decided> {
  // Its output ends here and not at the client: a process that hangs must not keep the client's pipes open.
  // No limit of memory: with such a flag V8 refuses the compiled code, which costs 35 ms, and what is read is bounded.
  const child = spawn(process.execPath, args, { stdio: [stdin, 'pipe', 'pipe'] });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, 'late');
  });
  try {
    const decided = await Promise.race([endOf(child), late]);
    if (decided !== 'late') return decided;
    await abandon(child);
    throw tooSlow(deadlineMs);
  } finally {
    clearTimeout(timer);
  }
}

function endOf(child: ChildProcess): Promise<Decided> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout!.on('data', (piece: Buffer) => out.push(piece));
  child.stderr!.on('data', (piece: Buffer) => err.push(piece));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code, signal, out: Buffer.concat(out), err: Buffer.concat(err) });
    });
  });
}

/** Ends it if the kernel lets it end, and waits for it no longer. */
async function abandon(child: ChildProcess): Promise<void> {
  child.stdout!.destroy();
  child.stderr!.destroy();
  child.unref();
  const { endChild } = await import('../../hosts/process/kill.ts');
  endChild(child);
}

function tooSlow(deadlineMs: number): Fault {
  return new Fault('TOOL_TIMEOUT', `the call was not judged within ${deadlineMs / 1000} s, so it is blocked`, {
    hint: 'name fewer or smaller files, or run fewer commands at once',
    details: { deadlineMs },
  });
}
