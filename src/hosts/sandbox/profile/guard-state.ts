/**
 * Whether the guards of a sandbox still hold. A guard is a mount, and the kernel takes a mount away when somebody outside
 * replaces, removes or moves what it was put on: then the path can be written from inside.
 */
import { fstatSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow, isInside } from '../../../base/inside.ts';
import { identity } from '../../obeyed/file-stamp.ts';
import { mountsOf } from '../bubblewrap/verify.ts';
import { INSIDE, type GuardState } from '../backend.ts';
import type { Guard } from '../profile.ts';

interface Watched {
  /** From the workspace down. */
  readonly path: string;
  readonly target: string;
  readonly how: Guard['how'];
  readonly identity: string | undefined;
}

/** Watches guards, whose sources are still held; `pid` is a process inside, by its number on this machine. */
export function guardState(pid: number, workspace: string, guards: readonly Guard[]): GuardState {
  const watched = guards.map(({ target, how, source }): Watched => {
    const wanted = how === 'hidden' || !('fd' in source) ? undefined : identity(fstatSync(source.fd, { bigint: true }));
    return { path: target.slice(INSIDE.length + 1), target, how, identity: wanted };
  });
  const isLost = ({ path, target, identity: wanted }: Watched, mounts: ReadonlySet<string> | undefined): boolean =>
    mounts?.has(target) === false || (wanted !== undefined && identityAt(join(workspace, path)) !== wanted);
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

/** Undefined where the sandbox has ended: what was replaced on the host is still known then. */
function mountsNow(pid: number): ReadonlySet<string> | undefined {
  try {
    return mountsOf(pid);
  } catch (error) {
    // A table that cannot be read for another reason shows no mount, so no guard counts as held.
    return isGone(error) ? undefined : new Set();
  }
}

function isGone(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ESRCH' || code === 'EINVAL'; // the last one: it has ended and was not waited for
}

function identityAt(path: string): string | undefined {
  try {
    return identity(lstatSync(path, { bigint: true }));
  } catch {
    return undefined; // it is gone, or was moved to where nobody may look
  }
}
