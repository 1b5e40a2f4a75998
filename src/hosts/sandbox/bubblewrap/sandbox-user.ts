/** Who runs inside of a sandbox: never more than the gateway, and as little as the workspace allows when that is root. */
import { chownSync } from 'node:fs';
import type { SandboxSpec } from '../backend.ts';
import type { Held } from '../profile/hold.ts';
import type { Inhabitant } from '../profile/root.ts';

/** The user whom nothing belongs to. */
const NOBODY = 65534;

/** Who runs inside, and whether the gateway has to give up its own rights for that. */
export interface Chosen extends Inhabitant {
  readonly drops: boolean;
  /** Root's number without any capability: files that only root may read could be read. */
  readonly keepsRoot: boolean;
}

/** The workspace, as far as it decides. */
export interface Premises extends Inhabitant {
  /** Its permissions. */
  readonly mode: number;
}

/** Chooses by the owner of the workspace, and by whether others may enter it. */
export function chooseInhabitant(
  access: SandboxSpec['workspaceAccess'],
  { mode, uid, gid }: Premises,
  gateway: Inhabitant,
): Chosen {
  if (gateway.uid !== 0) return { ...gateway, drops: false, keepsRoot: false };
  if (access === 'none') return { uid: NOBODY, gid: NOBODY, drops: true, keepsRoot: false };
  if (uid !== 0) return { uid, gid, drops: true, keepsRoot: false };
  if (access === 'ro' && (mode & 0o005) === 0o005) return { uid: NOBODY, gid: NOBODY, drops: true, keepsRoot: false };
  return { uid: 0, gid: 0, drops: false, keepsRoot: true };
}

/** A number as any first user has it. */
const SOMEBODY = 1000;

/**
 * The numbers that are seen inside. Root is somebody else there: programs that believe to be root change owners and drop rights,
 * which fails without capabilities, and some do not run at all.
 */
export function seenAs({ uid, gid, keepsRoot }: Chosen): Inhabitant {
  return keepsRoot ? { uid: SOMEBODY, gid: SOMEBODY } : { uid, gid };
}

/** The user of this process. */
export function gatewayUser(): Inhabitant {
  return { uid: process.geteuid?.() ?? NOBODY, gid: process.getegid?.() ?? NOBODY };
}

/** Gives a private workspace to whom it is for. */
export function settle(workspace: Held, { uid, gid, drops }: Chosen, access: SandboxSpec['workspaceAccess']): void {
  if (access === 'none' && drops && Number(workspace.stats.uid) !== uid) chownSync(workspace.below('.'), uid, gid);
}
