/**
 * A decision with a deadline. Clients allow a call when their hook exceeds its time limit, and the duration of a decision
 * depends on files of the agent. So a child process decides, and this process can block the call in time. A thread does not
 * suffice: a process cannot exit while one of its threads is in an uninterruptible system call, as on a hung file system.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Fault } from '../../base/fault.ts';

/** Far below the time limit of 600 s that `pincer init --hook` configures in the client. */
const DEADLINE_MS = 20_000;

/** A client that gives up must not leave a process behind. */
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** Output and exit status of the process that decides. */
export interface DeciderExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: Buffer;
  readonly err: Buffer;
}

/**
 * Runs Node with these arguments, with this process's stdin or another descriptor. Throws if the child has not exited by
 * the deadline, or if this process receives a signal.
 */
export async function decideInTime(
  args: readonly string[],
  { deadlineMs = DEADLINE_MS, stdin = 0 }: { readonly deadlineMs?: number; readonly stdin?: number } = {},
): Promise<DeciderExit> {
  let cancel: (why: Fault) => void = () => {};
  const cancelled = new Promise<Fault>((resolve) => {
    cancel = resolve;
  });
  const onSignal = (signal: NodeJS.Signals): void => cancel(interrupted(signal));
  for (const signal of SIGNALS) process.once(signal, onSignal);
  const timer = setTimeout(() => cancel(tooSlow(deadlineMs)), deadlineMs);
  try {
    // Its output goes through this process: a hung child must not keep the client's pipes open.
    // No memory limit: with that flag V8 rejects the compiled code, which costs 35 ms, and the input is bounded.
    const child = spawn(process.execPath, args, { stdio: [stdin, 'pipe', 'pipe'] });
    const ended = await Promise.race([exitOf(child), cancelled]);
    if (!(ended instanceof Fault)) return ended;
    await abandon(child);
    throw ended;
  } finally {
    clearTimeout(timer);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

function exitOf(child: ChildProcess): Promise<DeciderExit> {
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

/** Kills the child, without waiting: the kernel may not let it exit. */
async function abandon(child: ChildProcess): Promise<void> {
  child.stdout!.destroy();
  child.stderr!.destroy();
  child.unref();
  const { endChild } = await import('../../hosts/process/kill.ts');
  endChild(child);
}

function tooSlow(deadlineMs: number): Fault {
  return new Fault('TOOL_TIMEOUT', `the call was not judged within ${deadlineMs / 1000} s, so it is blocked`, {
    hint: 'name fewer or smaller files, or run fewer commands at the same time',
    details: { deadlineMs },
  });
}

function interrupted(signal: NodeJS.Signals): Fault {
  return new Fault('TOOL_ABORTED', `received ${signal} before the call was judged, so it is blocked`, {
    hint: 'call again',
  });
}
