/**
 * After it drops root, bubblewrap cannot reach mount sources in folders that only root may enter, such as a program in
 * /root. So root first bind-mounts them in a stage: a tmpfs in a private mount namespace.
 */
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import type { UserIds } from '../profile/root.ts';

export interface StagedSource {
  readonly source: string;
  readonly folder: boolean;
}

export interface Stage {
  /** The command that builds the stage and executes the rest of its arguments. */
  readonly prefix: readonly string[];
  /** The path of a source on the stage. */
  at(source: string): string;
}

/** Folders that every system has and that bubblewrap does not need. */
const STAGE_FOLDERS = ['/mnt', '/media', '/srv'];

const BUILD = `set -e
stage=$1; shift
mount -n -t tmpfs -o mode=0711,size=64k,nosuid,nodev pincer "$stage"
count=0
while [ "$1" != -- ]; do
  if [ "$1" = d ]; then mkdir "$stage/$count"; else : > "$stage/$count"; fi
  mount -n --bind "$2" "$stage/$count"
  count=$((count + 1)); shift 2
done
shift
exec "$@"`;

/** Whether a user has search permission on all folders above a path. ACLs are ignored, so the answer may be a false "no". */
export function isReachable(path: string, { uid, gid }: UserIds): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) return false;
    const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0;
    if (((stats.mode >> shift) & 0o1) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Undefined where no folder is free for a stage. */
export function buildStage(staged: readonly StagedSource[], unshare: string): Stage | undefined {
  const stage = STAGE_FOLDERS.find(
    (folder) => existsSync(folder) && !staged.some(({ source }) => isInside(source, folder)),
  );
  if (stage === undefined) return undefined;
  const pairs = staged.flatMap(({ source, folder }) => [folder ? 'd' : 'f', source]);
  return {
    prefix: [unshare, '--mount', '--propagation', 'private', '/bin/sh', '-c', BUILD, 'stage', stage, ...pairs, '--'],
    at: (source) => `${stage}/${staged.findIndex((each) => each.source === source)}`,
  };
}
