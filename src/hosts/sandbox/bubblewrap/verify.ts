/**
 * Looks at a sandbox that has just started, before anything runs in it: is each thing inside the one that was held by a
 * descriptor, and is there a mount wherever one protects something? Whoever swapped folders between our look and
 * bubblewrap's is found out here at the latest.
 */
import { readFileSync, statSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { unavailable } from '../probe.ts';
import { identity } from '../../obeyed/file-stamp.ts';

/** What has to stand at a path inside. */
export interface Expected {
  readonly target: string;
  /** `dev:ino`; undefined where only a mount counts. */
  readonly identity: string | undefined;
}

/** Throws SANDBOX_WORKSPACE_REFUSED for the first thing that is not as it should be. */
export function verify(agent: number, expected: readonly Expected[]): void {
  const mounts = mountsOf(agent);
  for (const { target, identity: wanted } of expected) {
    const stats = statSync(`/proc/${agent}/root${target}`, { bigint: true, throwIfNoEntry: false });
    const isSame = wanted === undefined || (stats !== undefined && identity(stats) === wanted);
    if (mounts.has(target) && isSame) continue;
    throw new Fault('SANDBOX_WORKSPACE_REFUSED', `${target} was swapped while the sandbox started`, {
      hint: 'find out what moves folders in the workspace, then try again',
    });
  }
}

/** The places inside that something is mounted on; a fault where nothing runs there any more. */
export function mountsOf(agent: number): ReadonlySet<string> {
  try {
    const lines = readFileSync(`/proc/${agent}/mountinfo`, 'utf8').split('\n');
    return new Set(lines.map((line) => unescaped(line.split(' ')[4] ?? '')));
  } catch (error) {
    throw unavailable(
      {
        message: 'what runs in the sandbox ended as soon as it started',
        hint: 'run "pincer sandbox explain" to see what this system allows',
      },
      error,
    );
  }
}

/** The kernel writes blanks and backslashes of a path as three octal digits. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/gu, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
