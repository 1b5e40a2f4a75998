/** Ends processes that an earlier daemon left behind when it died together with its runner. */
import { join } from 'node:path';
import { findCgroupRoot, sweepCgroups } from './cgroup.ts';
import { killTree } from './kill.ts';
import { groupName, groupPrefix, markLines, ownerOf } from './mark.ts';
import { hasEnvironment, processAt, type ProcessId } from './processes.ts';

/** A session that was running when its daemon died. */
export interface Stray {
  readonly id: string;
  readonly pid: number;
  /** From `startTimeOf`. A later process with the same number is not signalled. */
  readonly startTime: string;
}

/**
 * Ends the processes of these sessions. Sessions whose first process is gone need the owner's folder of their launcher: the name
 * of a session alone is ambiguous, because another program may use it.
 */
export async function endStrays(strays: readonly Stray[], ownerFolder?: string): Promise<void> {
  if (strays.length === 0) return;
  const owner = ownerFolder === undefined ? undefined : ownerOf(ownerFolder);
  const groups = owner === undefined ? undefined : findCgroupRoot();
  await Promise.all(
    strays.map(async (stray) => {
      const roots = rootsOf(stray);
      if (owner !== undefined) {
        const group = groups === undefined ? {} : { cgroup: join(groups, groupName(owner, stray.id)) };
        await killTree({ roots, mark: markLines(owner, stray.id), ...group }, 0);
      } else if (roots.length > 0) await killTree({ roots, mark: [] }, 0);
    }),
  );
  if (groups !== undefined && owner !== undefined) sweepCgroups(groups, groupPrefix(owner));
}

/** The first process, if it is still the same one and belongs to the session. */
function rootsOf({ id, pid, startTime }: Stray): ProcessId[] {
  if (pid <= 1 || startTime === '' || processAt(pid)?.startTime !== startTime) return [];
  return hasEnvironment(pid, [`PINCER_SESSION=${id}`]) ? [{ pid, startTime }] : [];
}
