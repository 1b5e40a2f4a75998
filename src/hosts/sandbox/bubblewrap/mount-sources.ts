/** Checks the workspace and the operator's binds and opens handles on them, so that they cannot be swapped afterwards. */
import { realpathSync } from 'node:fs';
import { isInside } from '../../../base/inside.ts';
import { Fault } from '../../../base/fault.ts';
import { INSIDE, type SandboxSpec } from '../backend.ts';
import { checkBinds, reasonAgainst } from '../container/binds.ts';
import type { Mount } from '../profile.ts';
import type { PathHandle, PathHandles } from '../profile/path-handles.ts';
import { homesOfUser } from '../../obeyed/home.ts';
import { readSmallFile } from '../../obeyed/reading.ts';

/** Folders of the operating system: no sandbox may write below them. */
const SYSTEM = ['/bin', '/boot', '/lib', '/lib64', '/sbin', '/usr', '/var/spool'];
/** Folders that the sandbox itself needs and that a bind would cover. */
const NEEDED_INSIDE = ['/bin', '/lib', '/lib64', '/sbin', '/usr', '/var/run', '/var/tmp'];

export interface OwnFolders {
  /** Folders of pincer that no sandbox may see. */
  readonly hidden: readonly string[];
  /** The home of the user that started the gateway, where it differs from the one in /etc/passwd. */
  readonly home?: string;
}

/** Throws SANDBOX_WORKSPACE_REFUSED where the folder does not exist or must not be visible or writable in a sandbox. */
export function openWorkspace(
  { workspace, workspaceAccess }: SandboxSpec,
  handles: PathHandles,
  { hidden, home }: OwnFolders,
): PathHandle {
  const handle = handles.open(workspace);
  if (handle?.kind !== 'folder' || handle.path() !== workspace)
    throw new Fault('SANDBOX_WORKSPACE_REFUSED', `${workspace} is not the real path of a folder`, {
      hint: 'name a folder that exists; symlinks in its path are resolved before a sandbox is created',
    });
  if (workspaceAccess === 'none') return handle; // a private folder in the state folder
  const owner = Number(handle.stats.uid);
  const why =
    reasonAgainstHomes(workspace, [
      ...(home === undefined ? [] : [home]),
      ...homesOfUser(),
      ...homesOfUid(readSmallFile('/etc/passwd') ?? '', owner),
    ]) ??
    (hidden.some((folder) => isInside(workspace, realOf(folder) ?? folder)) ? 'contains files of pincer' : undefined);
  if (why !== undefined)
    throw refused(workspace, why, 'choose a project folder, or set sandbox.workspaceAccess to "none"');
  if (workspaceAccess === 'ro') return handle;
  if (SYSTEM.some((folder) => isInside(workspace, folder) || isInside(folder, workspace)))
    throw refused(workspace, 'belongs to the operating system, so no sandbox may write to it', OTHER_WORKSPACE);
  if (workspace.split('/').includes('.git'))
    throw refused(workspace, 'is inside a .git folder, and git obeys the files in it', OTHER_WORKSPACE);
  return handle;
}

const OTHER_WORKSPACE = 'choose another workspace, or set sandbox.workspaceAccess to "ro" or "none"';

function refused(workspace: string, why: string, hint: string): Fault {
  return new Fault('SANDBOX_WORKSPACE_REFUSED', `${workspace} ${why}`, { hint });
}

function reasonAgainstHomes(workspace: string, homes: readonly string[]): string | undefined {
  for (const home of new Set(homes)) {
    const why = reasonAgainst(workspace, { home, hidden: [], sockets: [] });
    if (why !== undefined) return why;
  }
  return undefined;
}

/**
 * The homes of a uid in the text of /etc/passwd. A gateway that is root runs commands as the owner of the workspace, and the
 * home of that user must not be a workspace either.
 */
export function homesOfUid(passwd: string, uid: number): string[] {
  const lines = passwd.split('\n').map((line) => line.split(':'));
  return lines.flatMap(([, , id, , , home = '']) => (id === `${uid}` && /^\/./u.test(home) ? [home] : []));
}

export function openBinds(
  { binds, workspace }: SandboxSpec,
  workspaceHandle: PathHandle,
  handles: PathHandles,
  { hidden, home = homesOfUser()[0] ?? '/root' }: OwnFolders,
): Mount[] {
  const checked = checkBinds(binds, { home, hidden, sockets: [] });
  return checked.map(({ source, target, access }) => {
    const bound = handles.open(source);
    if (bound?.kind !== 'folder' && bound?.kind !== 'file')
      throw bindRefused(`${source} was replaced while pincer checked it`, 'bind a folder that only you can write to');
    if (access === 'rw' && isInside(workspace, source))
      throw bindRefused(
        `${source} contains the workspace, so the bind would bypass its guards`,
        'bind it with access "ro", or bind a folder outside the workspace',
      );
    if (target === '/opt' || target === '/var' || NEEDED_INSIDE.some((folder) => isInside(target, folder)))
      throw bindRefused(`${source} cannot be bound at ${target}`, 'choose another target, such as /data');
    refuseLinks(target, workspaceHandle, handles);
    return { source: { fd: bound.fd }, target, access };
  });
}

/** Bubblewrap creates missing folders of a target: a symlink in the target's path would make it create them outside the workspace. */
function refuseLinks(target: string, workspace: PathHandle, handles: PathHandles): void {
  const names = isInside(target, INSIDE) ? target.slice(INSIDE.length + 1).split('/') : [];
  for (const [i] of names.entries()) {
    const path = names.slice(0, i + 1).join('/');
    if (handles.open(workspace.below(path))?.kind === 'link')
      throw bindRefused(
        `${path} in ${workspace.path()} is a symlink, so nothing can be bound at ${target}`,
        'replace it with a folder',
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
    return undefined; // it does not exist, or this user may not see it
  }
}
