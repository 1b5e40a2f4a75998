/** The workspace and the operator's binds, looked at once and held from then on. */
import { realpathSync } from 'node:fs';
import { isInside } from '../../../base/inside.ts';
import { Fault } from '../../../base/fault.ts';
import { INSIDE, type SandboxSpec } from '../backend.ts';
import { checkBinds, reasonAgainst } from '../container/binds.ts';
import type { Mount } from '../profile.ts';
import type { Held, Holds } from '../profile/hold.ts';
import { homesOfUser } from '../../obeyed/home.ts';
import { readSmallFile } from '../../obeyed/reading.ts';

/** What this machine is run by: nothing below it is written by a sandbox. */
const SYSTEM = ['/bin', '/boot', '/lib', '/lib64', '/sbin', '/usr', '/var/spool'];
/** Programs and folders of the sandbox itself, which a bind would take away. */
const NEEDED_INSIDE = ['/bin', '/lib', '/lib64', '/sbin', '/usr', '/var/run', '/var/tmp'];

/** What decides beside the paths. */
export interface OwnFolders {
  /** Folders of ours that no sandbox sees. */
  readonly hidden: readonly string[];
  /** The home of whoever started the gateway, where that is not what the system's list of users says. */
  readonly home?: string;
}

/** Holds the workspace; a fault where it is none, or one that must not be seen or written. */
export function holdWorkspace(
  { workspace, workspaceAccess }: SandboxSpec,
  holds: Holds,
  { hidden, home }: OwnFolders,
): Held {
  const held = holds.hold(workspace);
  if (held?.kind !== 'folder' || held.path() !== workspace)
    throw new Fault('SANDBOX_WORKSPACE_REFUSED', `${workspace} is not the real path of a folder`, {
      hint: 'name a folder that exists; a link on the way to it is resolved before a sandbox is made',
    });
  if (workspaceAccess === 'none') return held; // a private one, which stands in the state folder
  const owner = Number(held.stats.uid);
  const why =
    reasonOfHomes(workspace, [
      ...(home === undefined ? [] : [home]),
      ...homesOfUser(),
      ...homesIn(readSmallFile('/etc/passwd') ?? '', owner),
    ]) ??
    (hidden.some((folder) => isInside(workspace, realOf(folder) ?? folder))
      ? 'holds files of Pincer itself'
      : undefined);
  if (why !== undefined)
    throw refused(workspace, why, 'choose a folder of a project, or set sandbox.workspaceAccess to "none"');
  if (workspaceAccess === 'ro') return held;
  if (SYSTEM.some((folder) => isInside(workspace, folder) || isInside(folder, workspace)))
    throw refused(workspace, 'belongs to the system, so no sandbox may write it', ELSEWHERE);
  if (workspace.split('/').includes('.git'))
    throw refused(workspace, 'stands inside of a repository of git, which obeys what is written there', ELSEWHERE);
  return held;
}

const ELSEWHERE = 'choose another workspace, or set sandbox.workspaceAccess to "ro" or "none"';

function refused(workspace: string, why: string, hint: string): Fault {
  return new Fault('SANDBOX_WORKSPACE_REFUSED', `${workspace} ${why}`, { hint });
}

/** Why a folder must not be seen inside: because of what this machine keeps there, or its users. */
function reasonOfHomes(workspace: string, homes: readonly string[]): string | undefined {
  for (const home of new Set(homes)) {
    const why = reasonAgainst(workspace, { home, hidden: [], sockets: [] });
    if (why !== undefined) return why;
  }
  return undefined;
}

/**
 * The homes of a user in a list of users: a gateway that is root gives up its rights to the owner of the workspace, whose home
 * is no workspace either.
 */
export function homesIn(users: string, uid: number): string[] {
  const lines = users.split('\n').map((line) => line.split(':'));
  return lines.flatMap(([, , id, , , home = '']) => (id === `${uid}` && /^\/./u.test(home) ? [home] : []));
}

/** Holds the operator's binds. */
export function holdBinds(
  { binds, workspace }: SandboxSpec,
  held: Held,
  holds: Holds,
  { hidden, home = homesOfUser()[0] ?? '/root' }: OwnFolders,
): Mount[] {
  const checked = checkBinds(binds, { home, hidden, sockets: [] });
  return checked.map(({ source, target, access }) => {
    const bound = holds.hold(source);
    if (bound?.kind !== 'folder' && bound?.kind !== 'file')
      throw bindRefused(`${source} was swapped while it was looked at`, 'bind a folder that only you may write');
    if (access === 'rw' && isInside(workspace, source))
      throw bindRefused(
        `${source} holds the workspace, whose protected files could be written through it`,
        'bind it with access "ro", or a folder beside the workspace',
      );
    if (target === '/opt' || target === '/var' || NEEDED_INSIDE.some((folder) => isInside(target, folder)))
      throw bindRefused(`${source} cannot be bound at ${target}`, 'choose a place such as /data inside');
    refuseLinks(target, held, holds);
    return { source: { fd: bound.fd }, target, access };
  });
}

/** A link on the way to a place in the workspace would lead bubblewrap elsewhere, where it makes the folders that are missing. */
function refuseLinks(target: string, workspace: Held, holds: Holds): void {
  const names = isInside(target, INSIDE) ? target.slice(INSIDE.length + 1).split('/') : [];
  for (const [i] of names.entries()) {
    const path = names.slice(0, i + 1).join('/');
    if (holds.hold(workspace.below(path))?.kind === 'link')
      throw bindRefused(
        `${path} in ${workspace.path()} is a link, so nothing is bound at ${target}`,
        'put a folder in its place',
      );
  }
}

function bindRefused(message: string, hint: string): Fault {
  return new Fault('SANDBOX_BIND_REFUSED', message, { hint });
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // nothing stands there, or nothing that we may see
  }
}
