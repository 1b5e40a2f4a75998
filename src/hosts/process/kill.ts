/**
 * Ends a session's processes, also those that left its process group: by parent, by group, by the mark in their
 * environment and by their control group, where there is one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { killGroup, membersOf } from './cgroup.ts';
import { listProcesses, hasEnvironment, startedBefore, type ProcessEntry, type ProcessId } from './processes.ts';

/** What is to end. */
export interface Tree {
  /** The programs that were started; none when only the mark is known. */
  readonly roots: readonly ProcessId[];
  /** Assignments that every process of the tree was started with. */
  readonly mark: readonly string[];
  /** The folder of its control group. */
  readonly cgroup?: string;
}

/** How long after KILL the processes may take to go. */
const KILL_MS = 10_000;

/**
 * TERM to all, KILL to what is left after the grace time; resolves when nothing is left.
 * Refuses the first process, this process and its ancestors with EXEC_KILL_REFUSED.
 */
export async function killTree(tree: Tree, graceMs: number): Promise<void> {
  const sacred = ourselves(listProcesses());
  for (const { pid } of tree.roots) {
    if (!Number.isSafeInteger(pid) || pid <= 1 || sacred.has(pid))
      throw new Fault('EXEC_KILL_REFUSED', `process ${pid} is not ended, because it is no command of a session`, {
        hint: 'only processes that a session started can be ended',
      });
  }
  const hunt = createHunt(tree);
  if (await politely(hunt, graceMs)) return;
  await byForce(hunt, tree);
}

interface Hunt {
  /** All that belong to the tree and have not ended; those found once stay known when they lose their parent. */
  find(): readonly ProcessEntry[];
  /** The process groups that are certainly the tree's own. */
  groups(): readonly number[];
}

function createHunt({ roots, mark, cgroup }: Tree): Hunt {
  const known = new Map<number, string>();
  for (const { pid, startTime } of roots) if (startTime !== '') known.set(pid, startTime);
  const strangers = new Map<number, string>();
  let groups: number[] = [];
  const isKnown = ({ pid, startTime }: ProcessId) => known.get(pid) === startTime;
  const oldest = roots.reduce<ProcessId | undefined>(
    (a, b) => (a === undefined || startedBefore(b, a) ? b : a),
    undefined,
  );

  const isMarked = (entry: ProcessEntry) => {
    if (mark.length === 0 || strangers.get(entry.pid) === entry.startTime) return false;
    if (hasEnvironment(entry.pid, mark)) return true;
    // Between fork and exec, and at the very start, an environment may read as empty: only old ones are left alone.
    if (oldest !== undefined && startedBefore(entry, oldest)) strangers.set(entry.pid, entry.startTime);
    return false;
  };

  return {
    groups: () => groups,
    find() {
      const all = listProcesses();
      const sacred = ourselves(all);
      const inGroup = new Set(cgroup === undefined ? [] : membersOf(cgroup));
      // A group or session carries the number of its first process; it is ours for sure while that one is there.
      groups = roots.map(({ pid }) => pid).filter((pid) => all.has(pid) && isKnown(all.get(pid)!));
      const isOurs = (entry: ProcessEntry): boolean =>
        isKnown(entry) ||
        inGroup.has(entry.pid) ||
        groups.includes(entry.group) ||
        groups.includes(entry.session) ||
        (oldest !== undefined && startedBefore(entry, oldest) ? false : isMarked(entry));
      const children = new Map<number, ProcessEntry[]>();
      const queue: ProcessEntry[] = [];
      for (const entry of all.values()) {
        if (entry.pid <= 1 || (entry.parent === 2 && entry.group === 0) || sacred.has(entry.pid)) continue;
        if (isOurs(entry)) queue.push(entry);
        const siblings = children.get(entry.parent);
        if (siblings === undefined) children.set(entry.parent, [entry]);
        else siblings.push(entry);
      }
      const found = new Set<ProcessEntry>();
      for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) {
        if (found.has(entry)) continue;
        found.add(entry);
        known.set(entry.pid, entry.startTime);
        queue.push(...(children.get(entry.pid) ?? []));
      }
      return [...found].filter(({ ended }) => !ended);
    },
  };
}

/** Whether all went within the grace time. */
async function politely(hunt: Hunt, graceMs: number): Promise<boolean> {
  const told = new Set<string>();
  const end = performance.now() + graceMs;
  for (let wait = 2; ; wait = Math.min(wait * 2, 50)) {
    const left = hunt.find();
    if (left.length === 0) return true;
    const now = performance.now();
    if (now >= end) return false;
    for (const { pid, startTime } of left) {
      const name = `${pid} ${startTime}`;
      if (told.has(name)) continue;
      told.add(name);
      signal(pid, 'SIGTERM');
      signal(pid, 'SIGCONT'); // a stopped process does not hear TERM
    }
    await sleep(Math.min(wait, end - now));
  }
}

/** A process that forks all the time is stopped first, so that it cannot run ahead. */
async function byForce(hunt: Hunt, tree: Tree): Promise<void> {
  const end = performance.now() + KILL_MS;
  for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
    const stopped = new Set<number>();
    for (let fresh = true; fresh; ) {
      fresh = false;
      for (const { pid } of hunt.find()) {
        if (stopped.has(pid)) continue;
        stopped.add(pid);
        fresh = true;
        signal(pid, 'SIGSTOP');
      }
      for (const group of hunt.groups()) signal(-group, 'SIGSTOP');
      if (performance.now() > end) break;
    }
    if (tree.cgroup !== undefined) killGroup(tree.cgroup);
    for (const group of hunt.groups()) signal(-group, 'SIGKILL');
    for (const pid of stopped) signal(pid, 'SIGKILL');
    await sleep(wait);
    const left = hunt.find();
    if (left.length === 0) return;
    if (performance.now() > end) {
      const pids = left.map(({ pid }) => pid).join(', ');
      throw new Fault('EXEC_KILL_FAILED', `the processes ${pids} did not end`, {
        hint: 'they run as another user or hang in the kernel; end them by hand',
      });
    }
  }
}

/** This process and all that it descends from. */
function ourselves(all: ReadonlyMap<number, ProcessEntry>): Set<number> {
  const found = new Set([0, 1]);
  for (let pid = process.pid; pid > 1 && !found.has(pid); pid = all.get(pid)?.parent ?? 0) found.add(pid);
  return found;
}

function signal(target: number, name: NodeJS.Signals): void {
  if (Math.abs(target) <= 1) throw new Error(`${target} must never be signalled.`);
  try {
    process.kill(target, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error; // gone, or another user's: the hunt reports what is left
  }
}
