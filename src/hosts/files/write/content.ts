/** The finished content of a change, which waits under a name of ours where others may meddle with names. */
import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { errnoOf } from '../faults.ts';
import { LEAF_ONLY } from '../gate/pin.ts';

/** What is known of a content since it was made. */
export interface Content {
  readonly path: string;
  readonly size: number;
  /** Missing for what waits in the state folder, where nobody else writes. */
  readonly ino?: bigint;
}

/** What the name shows when it is no longer the file that was made there. */
const NOT_OURS = new Set(['ELOOP', 'ENOENT', 'ENXIO', 'EISDIR', 'ENODEV']);

/** Opens a content, only if it is the very file that was made; the caller closes it. `target` is whom it is for. */
export function openContent({ path, size, ino }: Content, target: string): number {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | LEAF_ONLY);
  } catch (error) {
    throw NOT_OURS.has(errnoOf(error) ?? '') ? contentSwapped(target) : error;
  }
  try {
    const stats = fstatSync(fd, { bigint: true });
    const ours = stats.isFile() && stats.nlink === 1n && stats.size === BigInt(size);
    if (!ours || (ino !== undefined && stats.ino !== ino)) throw contentSwapped(target);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** A content that waits beside its target. */
export type OwnContent = Content & { readonly ino: bigint };

/** Makes sure that a content still stands under the name that it waits under. */
export function expectContent(content: OwnContent, target: string): void {
  if (!standsAt(content.path, content)) throw contentSwapped(target);
}

/** Makes sure that what has the target's name now, at `path`, is the content that was given it. */
export function expectArrived(path: string, content: OwnContent, target: string): void {
  if (!standsAt(path, content)) throw targetSwapped(target);
}

/** The number alone proves little: that of a removed file is given to the next one, which may be a link. */
function standsAt(path: string, { ino, size }: OwnContent): boolean {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.isFile() === true && stats.ino === ino && stats.size === BigInt(size);
}

function contentSwapped(target: string): Fault {
  return new Fault('FS_CHANGED', `another program replaced the unfinished file for ${target}; nothing was written`, {
    hint: 'run the command again when no other program works in that folder',
    details: { path: target },
  });
}

function targetSwapped(target: string): Fault {
  return new Fault('FS_CHANGED', `another program replaced ${target} while it was being written`, {
    hint: 'look at the file before you write it again',
    details: { path: target },
  });
}
