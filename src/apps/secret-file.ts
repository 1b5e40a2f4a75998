/** A file with a secret of ours: made once, complete from its first moment on, and believed only where nobody else can know or have put it. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { writePrivate } from '../hosts/files/write-private.ts';

/** What stands in the file, or why it is not believed and what helps. */
export type SecretFile =
  | { readonly bytes: Buffer }
  | { readonly problem: string; readonly fix: string }
  /** There is none. */
  | undefined;

const LONGEST = 4_096;
const OTHERS = 0o077;
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads the file; throws nothing that is the file's own fault. */
export function readSecret(path: string): SecretFile {
  let fd: number;
  try {
    fd = openSync(path, READ);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return { problem: code === 'ELOOP' ? 'it is a symbolic link' : message, fix: 'name the file itself' };
  }
  try {
    const stats = fstatSync(fd);
    const user = process.geteuid?.();
    if (!stats.isFile() || stats.size > LONGEST) return { problem: 'it is no small file', fix: 'name another file' };
    if (user !== undefined && stats.uid !== user)
      return { problem: 'it belongs to another user', fix: 'name your own' };
    if (user !== undefined && (stats.mode & OTHERS) !== 0)
      return { problem: 'others may read or write it', fix: 'chmod 600 it, and put a new secret into it' };
    return { bytes: readFileSync(fd) };
  } finally {
    closeSync(fd);
  }
}

/** Makes the file in a folder that exists; of several processes that make one, the first wins. */
export function makeSecret(path: string, bytes: Uint8Array | string): void {
  writePrivate(path, bytes, { once: true, durable: true });
}
