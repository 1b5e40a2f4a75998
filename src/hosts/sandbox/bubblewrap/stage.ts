/**
 * A gateway that gives up root's rights can no longer reach what stands in folders that only root may enter, such as a
 * program in root's home. So those things are put on a stage first: a folder in a mount namespace of its own.
 */
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import type { Inhabitant } from '../profile/root.ts';

/** One thing on the stage. */
export interface Prop {
  readonly source: string;
  readonly folder: boolean;
}

/** A stage for these things: the command that builds it and goes on, and where each of them stands then. */
export interface Stage {
  readonly prefix: readonly string[];
  at(source: string): string;
}

/** Folders that every system has, and that may be hidden from bubblewrap. */
const PLACES = ['/mnt', '/media', '/srv'];

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

/** Whether a user may walk to a path; access lists are not looked at, and count as a no. */
export function isReachable(path: string, { uid, gid }: Inhabitant): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) return false;
    const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0;
    if (((stats.mode >> shift) & 0o1) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Puts things on a stage; undefined where this system has no place for one. */
export function buildStage(props: readonly Prop[], unshare: string): Stage | undefined {
  const place = PLACES.find((folder) => existsSync(folder) && !props.some(({ source }) => isInside(source, folder)));
  if (place === undefined) return undefined;
  const pairs = props.flatMap(({ source, folder }) => [folder ? 'd' : 'f', source]);
  return {
    prefix: [unshare, '--mount', '--propagation', 'private', '/bin/sh', '-c', BUILD, 'stage', place, ...pairs, '--'],
    at: (source) => `${place}/${props.findIndex((prop) => prop.source === source)}`,
  };
}
