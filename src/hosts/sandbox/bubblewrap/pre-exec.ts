/** What stands in front of bubblewrap: groups are joined, closed folders are staged, rights are given up. */
import { fstatSync, readlinkSync, statSync } from 'node:fs';
import { fdPath } from '../../files/gate/pin.ts';
import type { LimitPlan } from '../limits.ts';
import { unavailable, type Programs } from '../probe.ts';
import type { Guard, Mount, ProfileParts, Source } from '../profile.ts';
import { identity } from '../../obeyed/file-stamp.ts';
import type { Chosen } from './sandbox-user.ts';
import { buildStage, isReachable, type Prop } from './stage.ts';
import type { Expected } from './verify.ts';

/** Joins the groups, then goes on. */
const JOIN = 'while [ "$1" != -- ]; do echo 0 > "$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"';

/** The command that joins the groups of the limits. */
export function joinCommand({ groups }: LimitPlan): string[] {
  if (groups.length === 0) return [];
  return ['/bin/sh', '-c', JOIN, 'join', ...groups.map(({ folder }) => folder), '--'];
}

/** The command that gives up root's rights. */
export function dropCommand({ drops, uid, gid }: Chosen, { setpriv }: Programs): string[] {
  if (!drops) return [];
  if (setpriv === undefined)
    throw unavailable({
      message: 'the gateway runs as root and cannot give up its rights, because setpriv is not installed',
      hint: 'run the gateway as another user, or install util-linux',
    });
  return [setpriv, `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}

/** The parts as they can be reached by who runs inside, and the command that makes it so. */
export function setStage(
  parts: ProfileParts,
  who: Chosen,
  { unshare }: Programs,
): { readonly prefix: readonly string[]; readonly parts: ProfileParts } {
  if (!who.drops) return { prefix: [], parts };
  const props = new Map<string, Prop>();
  for (const { source } of sourcesOf(parts)) {
    const path = pathOf(source);
    if (!isReachable(path, who)) props.set(path, { source: path, folder: statSync(path).isDirectory() });
  }
  if (props.size === 0) return { prefix: [], parts };
  const stage = unshare === undefined ? undefined : buildStage([...props.values()], unshare);
  if (stage === undefined)
    throw unavailable({
      message: `${[...props.keys()][0]} stands in a folder that only root may enter`,
      hint: 'run the gateway as another user, or move it to a folder that all users may enter',
    });
  const staged = <T extends { readonly source: Source }>(thing: T): T => {
    const path = pathOf(thing.source);
    return props.has(path) ? { ...thing, source: { path: stage.at(path) } } : thing;
  };
  return {
    prefix: stage.prefix,
    parts: {
      ...parts,
      provisions: parts.provisions.map((each) => ('source' in each ? staged(each) : each)),
      workspace: staged(parts.workspace),
      guards: parts.guards.map(staged),
      binds: parts.binds.map(staged),
      lastGuards: parts.lastGuards.map(staged),
    },
  };
}

function sourcesOf(parts: ProfileParts): readonly (Mount | Guard)[] {
  const guards = [...parts.guards, ...parts.lastGuards].filter(({ how }) => how !== 'hidden');
  const provisions = parts.provisions.filter((each) => 'source' in each);
  return [...provisions, parts.workspace, ...guards, ...parts.binds];
}

function pathOf(source: Source): string {
  return 'fd' in source ? readlinkSync(fdPath(source.fd)) : source.path;
}

/** What has to stand inside, for all that was held; where one is laid over another, the upper one. */
export function expectedOf(parts: ProfileParts): Expected[] {
  const found = new Map<string, Expected>();
  for (const each of [parts.workspace, ...parts.guards, ...parts.binds, ...parts.lastGuards]) {
    const isHidden = 'how' in each && each.how === 'hidden';
    const { source, target } = each;
    const wanted = isHidden || !('fd' in source) ? undefined : identity(fstatSync(source.fd, { bigint: true }));
    found.set(target, { target, identity: wanted });
  }
  return [...found.values()];
}
