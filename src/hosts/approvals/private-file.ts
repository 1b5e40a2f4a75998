/** A small file that only its owner may write: read without following symlinks, replaced atomically. */
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type BigIntStats,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf, notDurable, reason } from '../files/faults.ts';
import { makeFolder, whyUntrusted } from '../files/state-folder.ts';
import { flushFolder, sweepTemps, tempName } from '../files/write/temp.ts';
import { writePrivate } from '../files/write-private.ts';

const LARGEST = 16n << 20n;

export type PrivateRead =
  | { readonly bytes: Buffer; readonly stamp: string }
  /** The file does not exist. */
  | { readonly bytes: undefined; readonly stamp: string }
  /** Why the file is not trusted. */
  | { readonly refused: string; readonly stamp: string };

/** A cheap check: equal stamps mean equal content, except for a file that was changed just now. */
export function stampOf(path: string): string {
  try {
    return stampFrom(lstatSync(path, { bigint: true }));
  } catch (error) {
    return errnoOf(error) ?? 'unknown';
  }
}

function stampFrom({ dev, ino, size, mode, uid, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mode, uid, mtimeNs, ctimeNs].join(':');
}

/** Reads the file and removes read access of others. A file that others could write is refused: it could contain anything. */
export function readPrivate(path: string): PrivateRead {
  let fd: number;
  try {
    // Non-blocking: a pipe in place of the file must not block the daemon.
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return readNothing(path);
    if (code === undefined) throw error;
    const why = code === 'ELOOP' ? 'it is a symlink' : `it cannot be read: ${reason(error)}`;
    return { refused: why, stamp: stampOf(path) };
  }
  try {
    const stats = fstatSync(fd, { bigint: true });
    const refused = whyRefused(stats) ?? whyUntrusted(dirname(path));
    if (refused !== undefined) return { refused, stamp: stampFrom(stats) };
    if ((stats.mode & 0o077n) !== 0n) fchmodSync(fd, 0o600);
    const bytes = readFileSync(fd);
    return { bytes, stamp: stampFrom(fstatSync(fd, { bigint: true })) };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return { refused: `it cannot be read: ${reason(error)}`, stamp: stampOf(path) };
  } finally {
    closeSync(fd);
  }
}

/** A missing file is not trusted either if other users could have removed it. */
function readNothing(path: string): PrivateRead {
  const folder = dirname(path);
  const problem = existsSync(folder) ? whyUntrusted(folder) : undefined;
  return problem === undefined ? { bytes: undefined, stamp: 'ENOENT' } : { refused: problem, stamp: '' };
}

function whyRefused(stats: BigIntStats): string | undefined {
  if (!stats.isFile()) return 'it is not a regular file';
  if (stats.size > LARGEST) return 'it is larger than 16 MiB';
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  if (stats.uid !== BigInt(user)) return 'it belongs to another user';
  return (stats.mode & 0o022n) === 0n ? undefined : 'other users can write to it';
}

/** Replaces the file atomically and durably; `check` runs immediately before the rename. */
export function replacePrivate(path: string, text: string, check: () => void): void {
  const folder = dirname(path);
  makeFolder(folder);
  sweepTemps({ at: (name) => join(folder, name), close: () => undefined }, folder);
  const temp = join(folder, tempName(basename(path), 'single'));
  writePrivate(path, text, { temp, durable: true, check });
  try {
    flushFolder(folder);
  } catch (error) {
    throw notDurable(error, path);
  }
}
