/**
 * Keeps room for the agent below the limit of processes: when all together come too near to it, the session that has the most of
 * them is ended with its whole tree. Without that a fork bomb holds its sandbox until somebody ends that.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { killTree } from '../hosts/process/kill.ts';
import { listProcesses, processAt, type ProcessEntry } from '../hosts/process/processes.ts';
import { endSession } from './killing.ts';

const LOOK_MS = 250;
const DEEPEST = 1000;

export interface TaskWatchOptions {
  /** Stands in the environment of every command. */
  readonly owner: string;
  /** Processes and threads, the agent's own included. */
  readonly most: number;
  /** A session is about to be ended. */
  readonly limited: (session: string) => void;
  /** Processes that the agent itself started for its own work. */
  readonly own: () => readonly number[];
}

/** How many ticks of the clock may be between the start of a sandbox and that of its agent; a setup command may take long. */
const MOST_TICKS = 3600 * 100;

/**
 * Whether all processes that are seen here belong to the sandbox: its first process, which is not of the machine, started just
 * before the agent or is the agent. Where it is not so, nothing is counted and nothing ended.
 */
export function isAloneHere(): boolean {
  if (process.pid === 1) return true;
  const [first, own] = [processAt(1), processAt(process.pid)];
  if (first === undefined || own === undefined || process.ppid !== 1) return false;
  return Number(own.startTime) - Number(first.startTime) < MOST_TICKS;
}

export class TaskWatch {
  readonly #options: TaskWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #ending: Promise<void> | undefined;

  constructor(options: TaskWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.enforce().catch(() => {}), LOOK_MS).unref();
    // Threads that Node makes at their first use: later there may be no room for them, and it would end.
    void stat('/proc/self').catch(() => {});
  }

  /** Whether there are too many by now. */
  get isOver(): boolean {
    return this.#ending !== undefined || this.#count() >= this.#options.most;
  }

  /** Ends sessions until there is room again; resolves at once where there is. Where it fails, the next look tries again. */
  async enforce(): Promise<void> {
    this.#ending ??= this.isOver ? this.#end().finally(() => (this.#ending = undefined)) : undefined;
    await this.#ending;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #count(): number {
    return pids().reduce((sum, pid) => sum + tasksOf(pid), 0);
  }

  async #end(): Promise<void> {
    const { owner, limited } = this.#options;
    const own = new Set([1, process.pid, ...this.#options.own()]);
    const groups = new Map<string, { tasks: number; readonly pids: number[] }>();
    const all = listProcesses();
    const marks = new Map<number, string>();
    /** Its own mark, or that of the nearest process above it that has one. */
    const sessionFor = (pid: number, depth = 0): string => {
      const known = marks.get(pid);
      if (known !== undefined || own.has(pid) || depth > DEEPEST) return known ?? '';
      const mark = sessionOf(pid, owner);
      const session = mark === '' ? sessionFor(all.get(pid)?.parent ?? 1, depth + 1) : mark;
      marks.set(pid, session);
      return session;
    };
    for (const pid of all.keys()) {
      if (own.has(pid)) continue;
      const session = sessionFor(pid);
      const group = groups.get(session) ?? { tasks: 0, pids: [] };
      group.tasks += tasksOf(pid);
      group.pids.push(pid);
      groups.set(session, group);
    }
    const [largest] = [...groups].sort(([, a], [, b]) => b.tasks - a.tasks);
    if (largest === undefined) return;
    const [session, group] = largest;
    if (session === '') await endUnmarked(group.pids);
    else {
      limited(session);
      await endUnmarked(group.pids.filter((pid) => sessionOf(pid, owner) === ''));
      await endSession(owner, session, [], 0);
    }
  }
}

/** Those that wiped their environment belong to no session that could be named. */
async function endUnmarked(numbers: readonly number[]): Promise<void> {
  const roots = numbers.map((pid) => processAt(pid)).filter((entry): entry is ProcessEntry => entry !== undefined);
  await killTree({ roots, mark: [] }, 0).catch(() => {}); // the next look tries again
}

function pids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/u.test(name))
      .map(Number);
  } catch {
    return []; // no descriptor or no memory is left; the next look tries again
  }
}

/** A folder has a link from each folder in it, and two of its own. */
function tasksOf(pid: number): number {
  try {
    return Math.max(1, lstatSync(`/proc/${pid}/task`).nlink - 2);
  } catch {
    return 0; // it is gone
  }
}

function sessionOf(pid: number, owner: string): string {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`;
    const session = /\0PINCER_SESSION=([^\0]+)\0/u.exec(environment)?.[1];
    return session !== undefined && environment.includes(`\0PINCER_OWNER=${owner}\0`) ? session : '';
  } catch {
    return ''; // it is gone, or closed to us
  }
}
