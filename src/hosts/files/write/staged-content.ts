/** The finished content of a change, under a temporary name in a folder where other processes can rename files. */
import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { errnoOf } from '../faults.ts';
import { LEAF_ONLY } from '../gate/pin.ts';

export interface StagedContent {
  readonly path: string;
  readonly size: number;
  /** Missing for content in the state folder, where no other user writes. */
  readonly ino?: bigint;
}

/** Errors of `open` when the name no longer refers to the file that was created there. */
const REPLACED = new Set(['ELOOP', 'ENOENT', 'ENXIO', 'EISDIR', 'ENODEV']);

/** Opens content if it is still the file that was created; the caller closes it. `target` is named in the fault. */
export function openContent({ path, size, ino }: StagedContent, target: string): number {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | LEAF_ONLY);
  } catch (error) {
    throw REPLACED.has(errnoOf(error) ?? '') ? contentReplaced(target) : error;
  }
  try {
    const stats = fstatSync(fd, { bigint: true });
    const isExpected = stats.isFile() && stats.nlink === 1n && stats.size === BigInt(size);
    if (!isExpected || (ino !== undefined && stats.ino !== ino)) throw contentReplaced(target);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Content in the folder of its target. */
export type TempContent = StagedContent & { readonly ino: bigint };

/** Throws unless the temporary name still refers to the content. */
export function expectContent(content: TempContent, target: string): void {
  if (!isContentAt(content.path, content)) throw contentReplaced(target);
}

/** Throws unless `path`, the target's name after the rename, refers to the content. */
export function expectRenamed(path: string, content: TempContent, target: string): void {
  if (!isContentAt(path, content)) throw targetReplaced(target);
}

/** The inode alone proves little: the kernel reuses that of a removed file, also for a symlink. */
function isContentAt(path: string, { ino, size }: TempContent): boolean {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.isFile() === true && stats.ino === ino && stats.size === BigInt(size);
}

function contentReplaced(target: string): Fault {
  return new Fault('FS_CHANGED', `another program replaced the temporary file for ${target}; nothing was written`, {
    hint: 'run the command again when no other program writes in that folder',
    details: { path: target },
  });
}

function targetReplaced(target: string): Fault {
  return new Fault('FS_CHANGED', `another program replaced ${target} while it was being written`, {
    hint: 'look at the file before you write it again',
    details: { path: target },
  });
}
