/**
 * A decision with a deadline. Clients let a call through when their hook exceeds its time limit, and how long a decision takes
 * depends on files of the agent. So another process decides, and this one is free to block the call in time.
 */
import { Fault } from '../../base/fault.ts';
import { POOL_LIMITS, WorkerPool } from '../../hosts/workers/pool.ts';
import { programFile } from '../client/program.ts';
import { HOOK_WORKER_ARGUMENT, type HookTask } from './task.ts';

/** Far below the time limit that `pincer init --hook` gives the client (600 s). */
const DEADLINE_MS = 20_000;
const HEAP_MB = 512;

/** What the client is told; throws where the process that decides takes too long, or ends without an answer. */
export async function answerInTime(task: HookTask, deadlineMs = DEADLINE_MS): Promise<string> {
  const program = programFile();
  if (program === undefined)
    throw new Fault('INTERNAL_ERROR', 'there is no built program that could decide', { hint: 'run npm run build' });
  const env = Object.fromEntries(
    Object.entries(task.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const command = { program: process.execPath, args: [program, HOOK_WORKER_ARGUMENT], env };
  const pool = new WorkerPool(command, { ...POOL_LIMITS, deadlineMs, heapMb: HEAP_MB });
  try {
    return (await pool.run(task, { owner: task })) as string;
  } catch (error) {
    throw error instanceof Fault && error.code === 'TOOL_TIMEOUT' ? tooSlow(deadlineMs) : error;
  } finally {
    pool.close();
  }
}

function tooSlow(deadlineMs: number): Fault {
  return new Fault('TOOL_TIMEOUT', `the call was not judged within ${deadlineMs / 1000} s, so it is blocked`, {
    hint: 'name fewer or smaller files, or run fewer commands at once',
    details: { deadlineMs },
  });
}
