/**
 * Things of this machine, held by descriptors that read nothing: what was looked at is what is bound, also when somebody
 * swaps folders and links meanwhile. Bubblewrap compares what it bound with what the descriptor holds.
 */
import { closeSync, constants, fstatSync, openSync, readlinkSync, type BigIntStats } from 'node:fs';
import { kindOf, type EntryKind } from '../../obeyed/file-stamp.ts';
import { fdPath } from '../../files/gate/pin.ts';

// Node has no name for O_PATH; the value is the same on all architectures that Node supports on Linux.
const O_PATH = 0x200000;

/** Descriptors that are closed together. */
export interface Holds {
  /** The thing at a path, a link itself where one stands there; undefined where nothing is. */
  hold(path: string): Held | undefined;
  /** A descriptor that reads a file. */
  read(path: string): number;
  close(): void;
}

/** One thing. */
export interface Held {
  readonly fd: number;
  readonly kind: EntryKind;
  readonly stats: BigIntStats;
  /** Where it stands now. */
  path(): string;
  /** The path of something below it, through the descriptor. */
  below(name: string): string;
}

/** Begins to hold things. */
export function createHolds(): Holds {
  const open: number[] = [];
  return {
    hold(path) {
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
    read(path) {
      const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      open.push(fd);
      return fd;
    },
    close() {
      for (const fd of open.splice(0)) closeSync(fd);
    },
  };
}
