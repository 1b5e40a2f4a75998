/**
 * Ends a session's processes, also those that left its process group: by parent, by group, by the mark in their
 * environment and by their control group, where there is one.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { killGroup, membersOf } from './cgroup.ts';
import { nextScan, scanNow, type SeenProcess } from './process-table.ts';
import { childrenOf, listsChildren, processAt, startedBefore, type ProcessEntry, type ProcessId } from './processes.ts';

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
const LONGEST_WAIT_MS = 50;

/**
 * TERM to all, KILL to what is left after the grace time; resolves when nothing is left.
 * Refuses the first process, this process and its ancestors with EXEC_KILL_REFUSED.
 */
export async function killTree(tree: Tree, graceMs: number): Promise<void> {
  const sacred = ourselves();
  for (const { pid } of tree.roots) {
    if (!Number.isSafeInteger(pid) || pid <= 1 || sacred.has(pid))
      throw new Fault('EXEC_KILL_REFUSED', `process ${pid} is not ended, because it is no command of a session`, {
        hint: 'only processes that a session started can be ended',
      });
  }
  const hunt = createHunt(tree, sacred);
  if (await politely(hunt, graceMs)) return;
  await byForce(hunt, tree);
}

/** One signal to one process, if it is still the same. */
export function signalProcess(id: ProcessId, name: NodeJS.Signals): void {
  if (isStillSame(id)) signal(id.pid, name);
}

/** SIGINT to the process groups that these programs lead; what has ended is left alone. */
export function interruptGroups(roots: readonly ProcessId[]): void {
  for (const root of roots) if (isStillSame(root)) signal(-root.pid, 'SIGINT');
}

interface Hunt {
  /** What descends from the programs or is in the control group, without a look at all processes; none where that takes one. */
  near(): readonly ProcessEntry[];
  /** All that belong to the tree and have not ended, as they are now; those found once stay known when they lose their parent. */
  find(scan: ReadonlyMap<number, SeenProcess>): readonly ProcessEntry[];
  /** The process groups that are certainly the tree's own. */
  groups(): readonly number[];
}

function createHunt({ roots, mark, cgroup }: Tree, sacred: ReadonlySet<number>): Hunt {
  const known = new Map<number, string>();
  for (const { pid, startTime } of roots) if (startTime !== '') known.set(pid, startTime);
  const isKnown = ({ pid, startTime }: ProcessId) => known.get(pid) === startTime;
  const oldest = roots.reduce<ProcessId | undefined>(
    (a, b) => (a === undefined || startedBefore(b, a) ? b : a),
    undefined,
  );
  // A group or session carries the number of its first process; it is ours for sure while that one is there.
  const groups = () => roots.filter((root) => isKnown(root) && isStillSame(root)).map(({ pid }) => pid);

  /** It belongs to the tree; given back unless it has ended. */
  const ours = (now: ProcessEntry | undefined): ProcessEntry[] => {
    if (now === undefined) return [];
    known.set(now.pid, now.startTime);
    return now.ended ? [] : [now];
  };

  return {
    groups,
    near() {
      if (!listsChildren()) return [];
      const found = new Map<number, ProcessEntry>();
      const rest = roots.flatMap((root) => ours(sameAs(root)));
      if (cgroup !== undefined) rest.push(...membersOf(cgroup).flatMap((pid) => ours(processAt(pid))));
      for (let entry = rest.pop(); entry !== undefined; entry = rest.pop()) {
        if (found.has(entry.pid) || isSacred(entry, sacred)) continue;
        found.set(entry.pid, entry);
        rest.push(...childrenOf(entry.pid).flatMap(ours));
      }
      return [...found.values()];
    },
    find(scan) {
      const inGroup = new Set(cgroup === undefined ? [] : membersOf(cgroup));
      const leaders = groups();
      const isMarked = ({ first, marks }: SeenProcess) =>
        mark.length > 0 &&
        marks.length > 0 &&
        !(oldest !== undefined && startedBefore(first, oldest)) &&
        mark.every((line) => marks.includes(line));
      const isOurs = (process: SeenProcess): boolean => {
        const { first } = process;
        return (
          isKnown(first) ||
          inGroup.has(first.pid) ||
          leaders.includes(first.group) ||
          leaders.includes(first.session) ||
          isMarked(process)
        );
      };
      const verdicts = new Map<SeenProcess, boolean>();
      const belongs = (process: SeenProcess): boolean => {
        // Parents first, and in a loop: the chain of parents may be longer than a stack.
        const chain: SeenProcess[] = [];
        for (let at: SeenProcess | undefined = process; at !== undefined && !verdicts.has(at); at = at.parent) {
          verdicts.set(at, false); // a ring of parents has no end
          chain.push(at);
        }
        for (let i = chain.length - 1; i >= 0; i--) {
          const at = chain[i]!;
          const isChild = at.parent !== undefined && verdicts.get(at.parent) === true;
          verdicts.set(at, !isSacred(at.first, sacred) && (isChild || isOurs(at)));
        }
        return verdicts.get(process) === true;
      };
      const found: ProcessEntry[] = [];
      for (const process of scan.values()) if (belongs(process)) found.push(...ours(sameAs(process.first)));
      return found;
    },
  };
}

/** Never signalled: the first process, threads of the kernel, this process and what it descends from. */
function isSacred({ pid, parent, group }: ProcessEntry, sacred: ReadonlySet<number>): boolean {
  return pid <= 1 || (parent === 2 && group === 0) || sacred.has(pid);
}

function isStillSame(id: ProcessId): boolean {
  return sameAs(id) !== undefined;
}

/** The process as it is now; undefined when it is gone, and when another one has its number. */
function sameAs({ pid, startTime }: ProcessId): ProcessEntry | undefined {
  const now = processAt(pid);
  return now?.startTime === startTime ? now : undefined;
}

/**
 * Whether all went within the grace time. Only known processes are looked at until they are gone, or the wait gets longer;
 * then all processes are, so that nothing is left that has left its parent.
 */
async function politely(hunt: Hunt, graceMs: number): Promise<boolean> {
  const told = new Set<string>();
  const end = performance.now() + graceMs;
  let left = hunt.near();
  for (let wait = 1; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    if (left.length === 0 || wait === LONGEST_WAIT_MS) left = hunt.find(await nextScan());
    if (left.length === 0) return true;
    const now = performance.now();
    if (now >= end) return false;
    askToEnd(hunt, left, told);
    await sleep(Math.min(wait, end - now));
    left = left.filter(hasNotEnded);
  }
}

/** Its process groups first, then each process that has left them. */
function askToEnd(hunt: Hunt, left: readonly ProcessEntry[], told: Set<string>): void {
  const fresh = left.filter(({ pid, startTime }) => !told.has(`${pid} ${startTime}`));
  if (fresh.length === 0) return;
  for (const { pid, startTime } of fresh) told.add(`${pid} ${startTime}`);
  const groups = hunt.groups().filter((group) => fresh.some((entry) => entry.group === group));
  const alone = fresh.filter(({ group }) => !groups.includes(group)).map(({ pid }) => pid);
  for (const target of [...groups.map((group) => -group), ...alone]) {
    signal(target, 'SIGTERM');
    signal(target, 'SIGCONT'); // a stopped process does not hear TERM
  }
}

function hasNotEnded(id: ProcessId): boolean {
  return sameAs(id)?.ended === false;
}

/** A process that forks all the time is stopped first, so that it cannot run ahead. */
async function byForce(hunt: Hunt, tree: Tree): Promise<void> {
  const end = performance.now() + KILL_MS;
  for (let wait = 1; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    const stopped = new Set<number>();
    for (let fresh = true; fresh; ) {
      fresh = false;
      for (const { pid } of hunt.find(scanNow())) {
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
    const left = hunt.find(await nextScan());
    if (left.length === 0) return;
    if (performance.now() > end) {
      const pids = left.map(({ pid }) => pid).join(', ');
      throw new Fault('EXEC_KILL_FAILED', `the processes ${pids} did not end`, {
        hint: 'they run as another user or hang in the kernel; end them by hand',
      });
    }
  }
}

/** This process and all that it descends from; looked up once a second at most. */
function ourselves(): ReadonlySet<number> {
  if (performance.now() - ancestors.at < ANCESTORS_MS) return ancestors.pids;
  const found = new Set([0, 1]);
  for (let pid = process.pid; pid > 1 && !found.has(pid); pid = processAt(pid)?.parent ?? 0) found.add(pid);
  ancestors = { at: performance.now(), pids: found };
  return found;
}

const ANCESTORS_MS = 1_000;
let ancestors: { readonly at: number; readonly pids: ReadonlySet<number> } = {
  at: Number.NEGATIVE_INFINITY,
  pids: new Set(),
};

function signal(target: number, name: NodeJS.Signals): void {
  if (Math.abs(target) <= 1) throw new Error(`${target} must never be signalled.`);
  try {
    process.kill(target, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error; // gone, or another user's: the hunt reports what is left
  }
}

/** Ends a program that this process has just started as the leader of a process group, and its group, at once. */
export function endStarted(
  started: Pick<ChildProcess, 'pid'> & Partial<Pick<ChildProcess, 'exitCode' | 'signalCode'>>,
): void {
  const { pid, exitCode = null, signalCode = null } = started;
  if (pid === undefined || pid <= 1 || exitCode !== null || signalCode !== null) return;
  for (const target of [-pid, pid]) signal(target, 'SIGKILL'); // it may not lead its group yet
}

/** Ends a child of this very process at once; Node holds it until it has been waited for, so it can be no other. */
export function endChild(child: ChildProcess): void {
  if (child.pid === undefined || child.pid <= 1 || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
}
