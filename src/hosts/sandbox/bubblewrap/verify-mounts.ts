/**
 * Checks the mounts of a sandbox that has just started, before a command runs in it: each must exist and be the inode that
 * pincer has a handle on. This detects folders that were swapped between pincer's checks and bubblewrap's mount calls.
 */
import { readFileSync, statSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { unavailable } from '../probe.ts';
import { identity } from '../../obeyed/file-stamp.ts';

export interface ExpectedMount {
  readonly target: string;
  /** `dev:ino`; undefined where any mount at the target is right. */
  readonly identity: string | undefined;
}

/** Throws SANDBOX_WORKSPACE_REFUSED for the first mount that is missing or wrong. */
export function verifyMounts(agent: number, expected: readonly ExpectedMount[]): void {
  const mounts = mountPointsOf(agent);
  for (const { target, identity: wanted } of expected) {
    const stats = statSync(`/proc/${agent}/root${target}`, { bigint: true, throwIfNoEntry: false });
    const isSame = wanted === undefined || (stats !== undefined && identity(stats) === wanted);
    if (mounts.has(target) && isSame) continue;
    throw new Fault('SANDBOX_WORKSPACE_REFUSED', `${target} was replaced while the sandbox started`, {
      hint: 'find out what moves folders in the workspace, then try again',
    });
  }
}

/** Throws a fault where the process has ended. */
export function mountPointsOf(agent: number): ReadonlySet<string> {
  try {
    const lines = readFileSync(`/proc/${agent}/mountinfo`, 'utf8').split('\n');
    return new Set(lines.map((line) => unescaped(line.split(' ')[4] ?? '')));
  } catch (error) {
    throw unavailable(
      {
        message: 'the runner in the sandbox exited right after its start',
        hint: 'run "pincer sandbox explain" to see what this system allows',
      },
      error,
    );
  }
}

/** The kernel escapes blanks and backslashes of a path as three octal digits. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/gu, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
