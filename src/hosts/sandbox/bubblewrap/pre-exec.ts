/** The commands that run before bubblewrap: they join cgroups, stage unreachable folders and drop root. */
import { fstatSync, readlinkSync, statSync } from 'node:fs';
import { fdPath } from '../../files/gate/pin.ts';
import type { LimitPlan } from '../limits.ts';
import { unavailable, type Programs } from '../probe.ts';
import type { Guard, Mount, ProfileParts, MountSource } from '../profile.ts';
import { identity } from '../../obeyed/file-stamp.ts';
import type { SandboxUser } from './sandbox-user.ts';
import { buildStage, isReachable, type StagedSource } from './stage.ts';
import type { ExpectedMount } from './verify-mounts.ts';

/** Joins the cgroups, then executes the rest of its arguments. */
const JOIN = 'while [ "$1" != -- ]; do echo 0 > "$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"';

export function joinCommand({ groups }: LimitPlan): string[] {
  if (groups.length === 0) return [];
  return ['/bin/sh', '-c', JOIN, 'join', ...groups.map(({ folder }) => folder), '--'];
}

export function dropCommand({ dropsRoot, uid, gid }: SandboxUser, { setpriv }: Programs): string[] {
  if (!dropsRoot) return [];
  if (setpriv === undefined)
    throw unavailable({
      message: 'the gateway runs as root and cannot drop root, because setpriv is not installed',
      hint: 'run the gateway as another user, or install util-linux',
    });
  return [setpriv, `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}

/** Moves mount sources that the sandbox user cannot reach to a stage; `prefix` is the command that builds it. */
export function stageUnreachable(
  parts: ProfileParts,
  user: SandboxUser,
  { unshare }: Programs,
): { readonly prefix: readonly string[]; readonly parts: ProfileParts } {
  if (!user.dropsRoot) return { prefix: [], parts };
  const unreachable = new Map<string, StagedSource>();
  for (const { source } of sourcesOf(parts)) {
    const path = pathOf(source);
    if (!isReachable(path, user)) unreachable.set(path, { source: path, folder: statSync(path).isDirectory() });
  }
  if (unreachable.size === 0) return { prefix: [], parts };
  const stage = unshare === undefined ? undefined : buildStage([...unreachable.values()], unshare);
  if (stage === undefined)
    throw unavailable({
      message: `${[...unreachable.keys()][0]} is in a folder that only root can enter`,
      hint: 'run the gateway as another user, or move it to a folder that all users can enter',
    });
  const staged = <T extends { readonly source: MountSource }>(thing: T): T => {
    const path = pathOf(thing.source);
    return unreachable.has(path) ? { ...thing, source: { path: stage.at(path) } } : thing;
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

function pathOf(source: MountSource): string {
  return 'fd' in source ? readlinkSync(fdPath(source.fd)) : source.path;
}

/** The mounts that `verifyMounts` looks for inside. Where two have the same target, the later one counts. */
export function expectedMounts(parts: ProfileParts): ExpectedMount[] {
  const expected = new Map<string, ExpectedMount>();
  for (const each of [parts.workspace, ...parts.guards, ...parts.binds, ...parts.lastGuards]) {
    const isHidden = 'how' in each && each.how === 'hidden';
    const { source, target } = each;
    const sourceIdentity = isHidden || !('fd' in source) ? undefined : identity(fstatSync(source.fd, { bigint: true }));
    expected.set(target, { target, identity: sourceIdentity });
  }
  return [...expected.values()];
}
