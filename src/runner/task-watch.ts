/**
 * Keeps room for the runner below the limit of processes: near the limit, the session with the most processes is ended. Without
 * that, a fork bomb blocks its sandbox until the sandbox is ended.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { killTree } from '../hosts/process/kill.ts';
import { listProcesses, processAt, type ProcessEntry } from '../hosts/process/processes.ts';
import { endSession } from './killing.ts';

const LOOK_MS = 250;
const DEEPEST = 1000;

export interface TaskWatchOptions {
  /** Is in the environment of every command. */
  readonly owner: string;
  /** Processes and threads, the runner's own included. */
  readonly most: number;
  /** A session is about to be ended. */
  readonly limited: (session: string) => void;
  /** Helper processes of the runner. */
  readonly own: () => readonly number[];
}

/** Clock ticks between the start of a sandbox and that of its runner, at most; a setup command may take long. */
const MOST_TICKS = 3600 * 100;

/**
 * Whether all visible processes belong to the sandbox: pid 1 is the runner, or its parent that started just before it. Otherwise
 * processes are neither counted nor ended.
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
    // Makes Node start its thread pool now: later there may be no room for threads, and Node would abort.
    void stat('/proc/self').catch(() => {});
  }

  get isOver(): boolean {
    return this.#ending !== undefined || this.#count() >= this.#options.most;
  }

  /** Ends the largest session if there are too many processes. Where it fails, the next check tries again. */
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
    /** The mark of the process, or of its nearest ancestor that has one. */
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

/** Processes that cleared their environment have no session. */
async function endUnmarked(numbers: readonly number[]): Promise<void> {
  const roots = numbers.map((pid) => processAt(pid)).filter((entry): entry is ProcessEntry => entry !== undefined);
  await killTree({ roots, mark: [] }, 0).catch(() => {}); // the next check tries again
}

function pids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/u.test(name))
      .map(Number);
  } catch {
    return []; // no free descriptor or memory; the next check tries again
  }
}

/** The link count of a folder is that of its subfolders plus two. */
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
    return ''; // it is gone, or not readable
  }
}
