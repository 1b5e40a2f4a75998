/**
 * Ends a session's processes, also those that left its process group. They are found by parent, by group, by the mark in their
 * environment, and by their control group where there is one.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { killGroup, membersOf } from './cgroup.ts';
import { nextScan, scanNow, type SeenProcess } from './process-table.ts';
import { childrenOf, listsChildren, processAt, startedBefore, type ProcessEntry, type ProcessId } from './processes.ts';

export interface Tree {
  /** The programs that were started; empty when only the mark is known. */
  readonly roots: readonly ProcessId[];
  /** Assignments in the initial environment of every process of the tree. */
  readonly mark: readonly string[];
  /** The folder of its control group. */
  readonly cgroup?: string;
}

/** How long processes may take to end after KILL. */
const KILL_MS = 10_000;
const LONGEST_WAIT_MS = 50;

/**
 * Sends TERM to all processes, and KILL to those that are left after the grace time. Resolves when none is left.
 * Refuses pid 1, this process and its ancestors with EXEC_KILL_REFUSED.
 */
export async function killTree(tree: Tree, graceMs: number): Promise<void> {
  const protectedPids = ownAncestors();
  for (const { pid } of tree.roots) {
    if (!Number.isSafeInteger(pid) || pid <= 1 || protectedPids.has(pid))
      throw new Fault('EXEC_KILL_REFUSED', `process ${pid} is not ended, because it is not a command of a session`, {
        hint: 'only processes that a session started can be ended',
      });
  }
  const search = createTreeSearch(tree, protectedPids);
  if (await terminate(search, graceMs)) return;
  await killRemaining(search, tree);
}

/** The processes that `killTree` would end now. */
export async function findTree(tree: Tree): Promise<readonly ProcessEntry[]> {
  return createTreeSearch(tree, ownAncestors()).find(await nextScan());
}

/** Signals a process, if its pid was not reused. */
export function signalProcess(id: ProcessId, name: NodeJS.Signals): void {
  if (isStillSame(id)) signal(id.pid, name);
}

/** Sends SIGINT to the process groups of these programs that have not ended. */
export function interruptGroups(roots: readonly ProcessId[]): void {
  for (const root of roots) if (isStillSame(root)) signal(-root.pid, 'SIGINT');
}

interface TreeSearch {
  /** Descendants and members of the control group, without a scan of all processes; empty where the kernel does not list children. */
  near(): readonly ProcessEntry[];
  /** All processes of the tree that have not ended. A process that was found once is remembered when it loses its parent. */
  find(scan: ReadonlyMap<number, SeenProcess>): readonly ProcessEntry[];
  /** The process groups that are certainly the tree's own. */
  groups(): readonly number[];
}

function createTreeSearch({ roots, mark, cgroup }: Tree, protectedPids: ReadonlySet<number>): TreeSearch {
  const known = new Map<number, string>();
  for (const { pid, startTime } of roots) if (startTime !== '') known.set(pid, startTime);
  const isKnown = ({ pid, startTime }: ProcessId) => known.get(pid) === startTime;
  const oldest = roots.reduce<ProcessId | undefined>(
    (a, b) => (a === undefined || startedBefore(b, a) ? b : a),
    undefined,
  );
  // A group or session has the pid of its first process as its number, which is not reused while that process exists.
  const groups = () => roots.filter((root) => isKnown(root) && isStillSame(root)).map(({ pid }) => pid);

  /** Remembers a process of the tree, and returns it unless it has ended. */
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
        if (found.has(entry.pid) || isProtected(entry, protectedPids)) continue;
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
        // Parents first, in a loop: a chain of parents may be too long for recursion.
        const chain: SeenProcess[] = [];
        for (let at: SeenProcess | undefined = process; at !== undefined && !verdicts.has(at); at = at.parent) {
          verdicts.set(at, false); // ends the loop on a cycle of parents
          chain.push(at);
        }
        for (let i = chain.length - 1; i >= 0; i--) {
          const at = chain[i]!;
          const isChild = at.parent !== undefined && verdicts.get(at.parent) === true;
          verdicts.set(at, !isProtected(at.first, protectedPids) && (isChild || isOurs(at)));
        }
        return verdicts.get(process) === true;
      };
      const found: ProcessEntry[] = [];
      for (const process of scan.values()) if (belongs(process)) found.push(...ours(sameAs(process.first)));
      return found;
    },
  };
}

/** Never signalled: pid 1, kernel threads, this process and its ancestors. */
function isProtected({ pid, parent, group }: ProcessEntry, protectedPids: ReadonlySet<number>): boolean {
  return pid <= 1 || (parent === 2 && group === 0) || protectedPids.has(pid);
}

function isStillSame(id: ProcessId): boolean {
  return sameAs(id) !== undefined;
}

/** The current state; undefined when the process is gone or its pid was reused. */
function sameAs({ pid, startTime }: ProcessId): ProcessEntry | undefined {
  const now = processAt(pid);
  return now?.startTime === startTime ? now : undefined;
}

/**
 * Whether all ended within the grace time. Checks only known processes at first. When these are gone, or it takes long, scans all
 * processes to find those that left their parent.
 */
async function terminate(search: TreeSearch, graceMs: number): Promise<boolean> {
  const signalled = new Set<string>();
  const end = performance.now() + graceMs;
  let left = search.near();
  for (let wait = 1; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    if (left.length === 0 || wait === LONGEST_WAIT_MS) left = search.find(await nextScan());
    if (left.length === 0) return true;
    const now = performance.now();
    if (now >= end) return false;
    sendTerm(search, left, signalled);
    await sleep(Math.min(wait, end - now));
    left = left.filter(hasNotEnded);
  }
}

/** Process groups first, then each process that left them. */
function sendTerm(search: TreeSearch, left: readonly ProcessEntry[], signalled: Set<string>): void {
  const fresh = left.filter(({ pid, startTime }) => !signalled.has(`${pid} ${startTime}`));
  if (fresh.length === 0) return;
  for (const { pid, startTime } of fresh) signalled.add(`${pid} ${startTime}`);
  const groups = search.groups().filter((group) => fresh.some((entry) => entry.group === group));
  const alone = fresh.filter(({ group }) => !groups.includes(group)).map(({ pid }) => pid);
  for (const target of [...groups.map((group) => -group), ...alone]) {
    signal(target, 'SIGTERM');
    signal(target, 'SIGCONT'); // a stopped process does not receive TERM
  }
}

function hasNotEnded(id: ProcessId): boolean {
  return sameAs(id)?.ended === false;
}

/** Stops processes before it kills them, so that one that forks all the time cannot escape. */
async function killRemaining(search: TreeSearch, tree: Tree): Promise<void> {
  const end = performance.now() + KILL_MS;
  for (let wait = 1; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    const stopped = new Set<number>();
    for (let fresh = true; fresh; ) {
      fresh = false;
      for (const { pid } of search.find(scanNow())) {
        if (stopped.has(pid)) continue;
        stopped.add(pid);
        fresh = true;
        signal(pid, 'SIGSTOP');
      }
      for (const group of search.groups()) signal(-group, 'SIGSTOP');
      if (performance.now() > end) break;
    }
    if (tree.cgroup !== undefined) killGroup(tree.cgroup);
    for (const group of search.groups()) signal(-group, 'SIGKILL');
    for (const pid of stopped) signal(pid, 'SIGKILL');
    await sleep(wait);
    const left = search.find(await nextScan());
    if (left.length === 0) return;
    if (performance.now() > end) {
      const pids = left.map(({ pid }) => pid).join(', ');
      throw new Fault('EXEC_KILL_FAILED', `the processes ${pids} did not end`, {
        hint: 'they run as another user or hang in the kernel; end them by hand',
      });
    }
  }
}

/** This process and its ancestors; read at most once per second. */
function ownAncestors(): ReadonlySet<number> {
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
  if (Math.abs(target) <= 1) throw new Error(`refusing to signal ${target}`);
  try {
    process.kill(target, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error; // gone, or another user's: the search finds what is left
  }
}

/** Kills a program that this process has just started as the leader of a process group, and its group. */
export function endStarted(
  started: Pick<ChildProcess, 'pid'> & Partial<Pick<ChildProcess, 'exitCode' | 'signalCode'>>,
): void {
  const { pid, exitCode = null, signalCode = null } = started;
  if (pid === undefined || pid <= 1 || exitCode !== null || signalCode !== null) return;
  for (const target of [-pid, pid]) signal(target, 'SIGKILL'); // it may not lead its group yet
}

/** Kills a child of this process. Its pid cannot be reused before Node has waited for it. */
export function endChild(child: ChildProcess): void {
  if (child.pid === undefined || child.pid <= 1 || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
}
