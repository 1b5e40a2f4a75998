/**
 * Puts each session that lasts into a control group of its own. Moving a process waits for all processors, ten
 * milliseconds and more, so it happens beside the work and never for a command that is over by then; a child that wiped
 * its environment and left its parents before that is not found by its group.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findCgroupRoot, removeCgroup, sweepCgroups } from '../hosts/process/cgroup.ts';
import { groupName, groupPrefix } from '../hosts/process/mark.ts';
import { listProcesses } from '../hosts/process/processes.ts';

export interface Groups {
  /** Where the group of a session will be; undefined where there are none. */
  folderFor(session: string): string | undefined;
  /** Moves these processes and what they started, as soon as it is worth it. */
  fill(folder: string, pids: readonly number[]): void;
  /** The session of this group is over; the folder is removed as soon as nothing is in it. */
  release(folder: string): void;
}

const WORTH_MS = 15;
const SWEEP_MS = 200;

/** Groups that an earlier spawner of this owner left empty are removed, if this is the only one now. */
export function createGroups(owner: string, isOnly: boolean): Groups {
  const root = findCgroupRoot();
  if (root !== undefined && isOnly) sweepCgroups(root, groupPrefix(owner));
  const waiting = new Map<string, NodeJS.Timeout>();
  const over = new Set<string>();
  const sweep = () => {
    for (const folder of over) if (removeCgroup(folder)) over.delete(folder);
  };

  return {
    folderFor: (session) => (root === undefined ? undefined : join(root, groupName(owner, session))),
    fill(folder, pids) {
      const timer = setTimeout(() => {
        waiting.delete(folder);
        move(folder, pids).catch(() => {}); // the system refuses, or all of them have ended: groups are never needed
      }, WORTH_MS);
      waiting.set(folder, timer);
    },
    release(folder) {
      clearTimeout(waiting.get(folder));
      if (waiting.delete(folder)) return; // it was never made
      over.add(folder);
      sweep();
      if (over.size > 0) setTimeout(sweep, SWEEP_MS).unref(); // what ends at this moment is still counted
    },
  };
}

async function move(folder: string, pids: readonly number[]): Promise<void> {
  await mkdir(folder);
  const enter = (pid: number) => writeFile(join(folder, 'cgroup.procs'), `${pid}`);
  for (const pid of pids) await enter(pid);
  const inside = new Set(pids);
  for (let before = 0; before < inside.size; ) {
    before = inside.size;
    for (const { pid, parent, session } of listProcesses().values()) {
      if (inside.has(pid) || !(inside.has(parent) || pids.includes(session))) continue;
      inside.add(pid);
      await enter(pid).catch(() => {}); // it has ended
    }
  }
}
