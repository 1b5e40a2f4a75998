/** Processes that sessions left behind when they ended: found by the mark of their session, or by its control group. */
import { join } from 'node:path';
import type { Leftover } from '../../wire/session.ts';
import type { SessionProcess } from '../../wire/sessions/processes.ts';
import { findCgroupRoot, membersOf } from './cgroup.ts';
import { findTree, killTree } from './kill.ts';
import { groupName, markLines, ownerOf } from './mark.ts';
import { nextScan } from './process-table.ts';
import { commandLineOf, processAt } from './processes.ts';

export interface Leftovers {
  /** The processes that are left, by session, found in one scan. Sessions without any are not in the map. */
  find(sessions: readonly string[]): Promise<ReadonlyMap<string, readonly Leftover[]>>;
  /** The processes that the end of a session would end; `roots`: the pids of its programs. */
  tree(session: string, roots: readonly number[]): Promise<readonly SessionProcess[]>;
  /** Ends the processes of a session: TERM, the grace time, KILL. */
  end(session: string): Promise<void>;
}

/** Between TERM and KILL. */
const GRACE_MS = 3_000;

/** For the sessions of the launcher that marks its processes with this folder. */
export function createLeftovers(ownerFolder: string): Leftovers {
  const owner = ownerOf(ownerFolder);
  let root: string | undefined;
  let isRootKnown = false;
  const groupOf = (session: string): string | undefined => {
    if (!isRootKnown) root = findCgroupRoot();
    isRootKnown = true;
    return root === undefined ? undefined : join(root, groupName(owner, session));
  };

  return {
    async find(sessions) {
      const scan = await nextScan();
      const byMark = new Map<string, number[]>();
      for (const { first, marks } of scan.values()) {
        if (marks.length === 0) continue;
        const key = [...marks].sort().join('\0');
        byMark.set(key, [...(byMark.get(key) ?? []), first.pid]);
      }
      const found = new Map<string, readonly Leftover[]>();
      for (const session of sessions) {
        const group = groupOf(session);
        const marked = byMark.get(markLines(owner, session).sort().join('\0')) ?? [];
        const pids = new Set([...marked, ...(group === undefined ? [] : membersOf(group))]);
        const left = [...pids].filter((pid) => processAt(pid)?.ended === false);
        if (left.length > 0) found.set(session, left.map(leftover));
      }
      return found;
    },
    async tree(session, roots) {
      const cgroup = groupOf(session);
      const tree = { roots: roots.flatMap((pid) => processAt(pid) ?? []), mark: markLines(owner, session) };
      const found = await findTree(cgroup === undefined ? tree : { ...tree, cgroup });
      return found.map(({ pid, parent }) => ({ pid, ppid: parent, command: commandLineOf(pid).join(' ') }));
    },
    end(session) {
      const cgroup = groupOf(session);
      return killTree(
        { roots: [], mark: markLines(owner, session), ...(cgroup === undefined ? {} : { cgroup }) },
        GRACE_MS,
      );
    },
  };
}

function leftover(pid: number): Leftover {
  return { pid, command: commandLineOf(pid).join(' ') };
}
