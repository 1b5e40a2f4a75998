/**
 * O_PATH descriptors of files and folders: pincer mounts exactly the inode that it checked, even when another process swaps
 * folders or symlinks in between. Bubblewrap compares what it bound with the descriptor.
 */
import { closeSync, constants, fstatSync, openSync, readlinkSync, type BigIntStats } from 'node:fs';
import { kindOf, type EntryKind } from '../../obeyed/file-stamp.ts';
import { fdPath } from '../../files/gate/pin.ts';

// Node has no name for O_PATH; the value is the same on all architectures that Node supports on Linux.
const O_PATH = 0x200000;

export interface PathHandles {
  /** Does not follow a symlink; undefined where the path does not exist. */
  open(path: string): PathHandle | undefined;
  openForReading(path: string): number;
  close(): void;
}

export interface PathHandle {
  readonly fd: number;
  readonly kind: EntryKind;
  readonly stats: BigIntStats;
  /** Its current path. */
  path(): string;
  /** A path below it that goes through the descriptor. */
  below(name: string): string;
}

export function createPathHandles(): PathHandles {
  const open: number[] = [];
  return {
    open(path) {
      let fd: number;
      try {
        fd = openSync(path, O_PATH | constants.O_NOFOLLOW);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
        throw error;
      }
      open.push(fd);
      const stats = fstatSync(fd, { bigint: true });
      return {
        fd,
        kind: kindOf(stats),
        stats,
        path: () => readlinkSync(fdPath(fd)),
        below: (name) => `${fdPath(fd)}/${name}`,
      };
    },
    openForReading(path) {
      const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      open.push(fd);
      return fd;
    },
    close() {
      for (const fd of open.splice(0)) closeSync(fd);
    },
  };
}
