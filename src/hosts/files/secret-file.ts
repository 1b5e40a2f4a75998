/** A file with a secret of pincer. It is created atomically, and used only if no other user can read or write it. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { writePrivate } from './write-private.ts';

/** The content, or why the file is not used and how to fix that. */
export type SecretFile = { readonly bytes: Buffer } | { readonly problem: string; readonly fix: string } | undefined; // no such file

const LONGEST = 4_096;
const OTHERS = 0o077;
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export function readSecret(path: string): SecretFile {
  let fd: number;
  try {
    fd = openSync(path, READ);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return { problem: code === 'ELOOP' ? 'it is a symlink' : message, fix: 'name the file itself' };
  }
  try {
    const stats = fstatSync(fd);
    const user = process.geteuid?.();
    if (!stats.isFile() || stats.size > LONGEST)
      return { problem: 'it is not a regular file of at most 4096 bytes', fix: 'name another file' };
    if (user !== undefined && stats.uid !== user)
      return { problem: 'it belongs to another user', fix: 'name your own' };
    if (user !== undefined && (stats.mode & OTHERS) !== 0)
      return { problem: 'other users can read or write it', fix: 'run chmod 600 on it, and put a new secret into it' };
    return { bytes: readFileSync(fd) };
  } finally {
    closeSync(fd);
  }
}

/** Creates the file in an existing folder. If several processes create it, the first wins. */
export function makeSecret(path: string, bytes: Uint8Array | string): void {
  writePrivate(path, bytes, { once: true, durable: true });
}
