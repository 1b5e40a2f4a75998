/** Reads folders with untrusted content: in steps, and only as far as the caller wants. */
import { lstatSync, opendirSync, type Dirent } from 'node:fs';
import { kindOf, type EntryKind } from './file-stamp.ts';
import { fsPath, nameFromBytes } from './path-bytes.ts';
import type { Steps } from './pauses.ts';

export interface Entry {
  /** Names that are not UTF-8 are encoded as in `path-bytes.ts`. */
  readonly name: string;
  readonly kind: EntryKind;
}

/** A folder with names as bytes; Node's type declarations lack it. */
interface ByteFolder {
  readSync(): Dirent<Buffer> | null;
  closeSync(): void;
}

const BATCH = 128;

/**
 * Passes the entries of a folder to `take`, in the order of the file system, until `take` returns false. Returns the reason
 * if the folder cannot be listed.
 */
export function* readFolder(folder: string, take: (entry: Entry) => boolean): Steps<string | undefined> {
  let open: ByteFolder | undefined;
  try {
    open = opendirSync(fsPath(folder), {
      encoding: 'buffer' as BufferEncoding,
      bufferSize: BATCH,
    }) as unknown as ByteFolder;
    for (let count = 1, entry = open.readSync(); entry !== null; entry = open.readSync(), count++) {
      if (!take({ name: nameFromBytes(entry.name), kind: kindOf(entry) })) return undefined;
      if (count % BATCH === 0) yield undefined;
    }
    return undefined;
  } catch (error) {
    return whyNotListed(folder, (error as NodeJS.ErrnoException).code ?? 'unknown');
  } finally {
    open?.closeSync();
  }
}

/** At most `most` entries, or the reason why they are unknown. */
export function* entriesOf(folder: string, most: number): Steps<readonly Entry[] | string> {
  const entries: Entry[] = [];
  const why = yield* readFolder(folder, (entry) => entries.push(entry) <= most);
  return why ?? (entries.length > most ? `it has more than ${most} entries` : entries);
}

function whyNotListed(folder: string, code: string): string | undefined {
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined; // it was removed
  if (code === 'EACCES' && !isOwn(folder)) {
    if (!mayPass(folder)) return undefined; // no program of this user can open a file in it
    return 'it belongs to another user and cannot be listed, but its files can be opened by name';
  }
  if (code === 'ENAMETOOLONG') return 'its path is too long for the system';
  return `it cannot be listed (${code})`;
}

function isOwn(folder: string): boolean {
  try {
    return lstatSync(fsPath(folder)).uid === process.geteuid?.();
  } catch {
    return true; // unknown
  }
}

/** Whether this user has search permission on a folder. */
function mayPass(folder: string): boolean {
  try {
    lstatSync(fsPath(`${folder}/.`)); // checks the effective user, unlike access(2)
    return true;
  } catch {
    return false;
  }
}
