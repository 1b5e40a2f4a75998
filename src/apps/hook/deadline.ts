/**
 * A decision with a deadline. Clients let a call through when their hook exceeds its time limit, and how long a decision takes
 * depends on files of the agent. So another process decides, and this one is free to block the call in time. A thread would not
 * do: a process with a thread that the kernel holds, on a file system that does not answer, cannot end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Fault } from '../../base/fault.ts';

/** Far below the time limit that `pincer init --hook` gives the client (600 s). */
const DEADLINE_MS = 20_000;

/** A client that gives up must leave no process behind. */
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** What the process that decides printed, and how it ended. */
export interface Decided {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: Buffer;
  readonly err: Buffer;
}

/**
 * Runs Node with these arguments, on the standard input of this process or another descriptor. Throws where it has not ended
 * at the deadline, whatever keeps it, and where a signal asks this process to end.
 */
export async function decideInTime(
  args: readonly string[],
  { deadlineMs = DEADLINE_MS, stdin = 0 }: { readonly deadlineMs?: number; readonly stdin?: number } = {},
): Promise<Decided> {
  let cancel: (why: Fault) => void = () => {};
  const cancelled = new Promise<Fault>((resolve) => {
    cancel = resolve;
  });
  const onSignal = (signal: NodeJS.Signals): void => cancel(interrupted(signal));
  for (const signal of SIGNALS) process.once(signal, onSignal);
  const timer = setTimeout(() => cancel(tooSlow(deadlineMs)), deadlineMs);
  try {
    // Its output ends here and not at the client: a process that hangs must not keep the client's pipes open.
    // No limit of memory: with such a flag V8 refuses the compiled code, which costs 35 ms, and what is read is bounded.
    const child = spawn(process.execPath, args, { stdio: [stdin, 'pipe', 'pipe'] });
    const ended = await Promise.race([endOf(child), cancelled]);
    if (!(ended instanceof Fault)) return ended;
    await abandon(child);
    throw ended;
  } finally {
    clearTimeout(timer);
    for (const signal of SIGNALS) process.off(signal, onSignal);
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

function interrupted(signal: NodeJS.Signals): Fault {
  return new Fault('TOOL_ABORTED', `${signal} came before the call was judged, so it is blocked`, {
    hint: 'call again',
  });
}
