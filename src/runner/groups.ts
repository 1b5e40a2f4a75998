/**
 * Moves each session that lasts into its own control group. Moving a process synchronises all CPUs and takes ten milliseconds or
 * more, so it happens in the background, and not for short commands. A child that cleared its environment and left its parents
 * before that is not found by its group.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findCgroupRoot, removeCgroup, sweepCgroups } from '../hosts/process/cgroup.ts';
import { groupName, groupPrefix } from '../hosts/process/mark.ts';
import { listProcesses } from '../hosts/process/processes.ts';

export interface Groups {
  /** The folder of a session's group; undefined where there are no groups. */
  folderFor(session: string): string | undefined;
  /** Moves these processes and their descendants, after a delay. */
  fill(folder: string, pids: readonly number[]): void;
  /** The session of this group has ended; removes the folder when it is empty. */
  release(folder: string): void;
}

const WORTH_MS = 15;
const SWEEP_MS = 200;

/** Removes empty groups of an earlier runner of this owner, if this is the only one now. */
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
        move(folder, pids).catch(() => {}); // not permitted, or all of them have ended: groups are optional
      }, WORTH_MS);
      waiting.set(folder, timer);
    },
    release(folder) {
      clearTimeout(waiting.get(folder));
      if (waiting.delete(folder)) return; // it was not created
      over.add(folder);
      sweep();
      if (over.size > 0) setTimeout(sweep, SWEEP_MS).unref(); // a process that is ending still counts
    },
  };
}

async function move(folder: string, pids: readonly number[]): Promise<void> {
  await mkdir(folder, { recursive: true }); // another command of the session may have made it
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
