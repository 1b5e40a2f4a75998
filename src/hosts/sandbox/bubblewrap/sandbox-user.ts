/** The user inside a sandbox: never more privileges than the gateway, and the fewest that the workspace allows when the gateway is root. */
import { chownSync } from 'node:fs';
import type { SandboxSpec } from '../backend.ts';
import type { PathHandle } from '../profile/path-handles.ts';
import type { UserIds } from '../profile/root.ts';

const NOBODY = 65534;

/** The host uid and gid of the processes inside. */
export interface SandboxUser extends UserIds {
  /** The gateway is root and changes to this user before it starts bubblewrap. */
  readonly dropsRoot: boolean;
  /** Uid 0 without capabilities: it can still read files that only root may read, so those are masked. */
  readonly keepsRoot: boolean;
}

/** The owner and permissions of the workspace folder. */
export interface WorkspaceOwner extends UserIds {
  readonly mode: number;
}

export function chooseSandboxUser(
  access: SandboxSpec['workspaceAccess'],
  { mode, uid, gid }: WorkspaceOwner,
  gateway: UserIds,
): SandboxUser {
  if (gateway.uid !== 0) return { ...gateway, dropsRoot: false, keepsRoot: false };
  if (access === 'none') return { uid: NOBODY, gid: NOBODY, dropsRoot: true, keepsRoot: false };
  if (uid !== 0) return { uid, gid, dropsRoot: true, keepsRoot: false };
  if (access === 'ro' && (mode & 0o005) === 0o005)
    return { uid: NOBODY, gid: NOBODY, dropsRoot: true, keepsRoot: false };
  return { uid: 0, gid: 0, dropsRoot: false, keepsRoot: true };
}

const FIRST_USER = 1000;

/**
 * The ids that processes inside see. Root is mapped to another uid, because programs that think they are root change owners
 * and drop privileges, which fails without capabilities; some refuse to run at all.
 */
export function idsInside({ uid, gid, keepsRoot }: SandboxUser): UserIds {
  return keepsRoot ? { uid: FIRST_USER, gid: FIRST_USER } : { uid, gid };
}

export function gatewayUser(): UserIds {
  return { uid: process.geteuid?.() ?? NOBODY, gid: process.getegid?.() ?? NOBODY };
}

export function chownPrivateWorkspace(
  workspace: PathHandle,
  { uid, gid, dropsRoot }: SandboxUser,
  access: SandboxSpec['workspaceAccess'],
): void {
  if (access === 'none' && dropsRoot && Number(workspace.stats.uid) !== uid) chownSync(workspace.below('.'), uid, gid);
}
