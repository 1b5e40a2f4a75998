/**
 * Whether the guards of a sandbox are still in effect. A guard is a mount, and the kernel removes a mount when a process on the
 * host replaces, removes or moves its target: from then on the path is writable from inside.
 */
import { fstatSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow, isInside } from '../../../base/inside.ts';
import { identity } from '../../obeyed/file-stamp.ts';
import { mountPointsOf } from '../bubblewrap/verify-mounts.ts';
import { INSIDE, type GuardState } from '../backend.ts';
import type { Guard } from '../profile.ts';

interface Watched {
  /** Relative to the workspace. */
  readonly path: string;
  readonly target: string;
  readonly how: Guard['how'];
  readonly identity: string | undefined;
}

/** The handles of the guards must still be open; `pid` is the host PID of a process inside. */
export function guardState(pid: number, workspace: string, guards: readonly Guard[]): GuardState {
  const watched = guards.map(({ target, how, source }): Watched => {
    const expected =
      how === 'hidden' || !('fd' in source) ? undefined : identity(fstatSync(source.fd, { bigint: true }));
    return { path: target.slice(INSIDE.length + 1), target, how, identity: expected };
  });
  const isLost = ({ path, target, identity: expected }: Watched, mounts: ReadonlySet<string> | undefined): boolean =>
    mounts?.has(target) === false || (expected !== undefined && identityAt(join(workspace, path)) !== expected);
  return {
    paths: watched.filter(({ how }) => how === 'ro').map(({ path }) => path),
    lost() {
      const mounts = mountsNow(pid);
      return watched.filter((each) => isLost(each, mounts)).map(({ path }) => path);
    },
    covers: (path) => watched.some((each) => each.how !== 'pin' && isInside(path, each.path)),
    isBelow: (path) => watched.some((each) => each.how !== 'pin' && isBelow(each.path, path)),
  };
}

/** Undefined where the sandbox has ended; replaced files on the host are still detected then. */
function mountsNow(pid: number): ReadonlySet<string> | undefined {
  try {
    return mountPointsOf(pid);
  } catch (error) {
    // If the table cannot be read for another reason, every guard counts as lost.
    return isGone(error) ? undefined : new Set();
  }
}

function isGone(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ESRCH' || code === 'EINVAL'; // EINVAL: a zombie
}

function identityAt(path: string): string | undefined {
  try {
    return identity(lstatSync(path, { bigint: true }));
  } catch {
    return undefined; // it was removed, or is in a folder that this user may not enter
  }
}
