/** Reads folders that somebody else filled: piece by piece, and no further than the reader wants. */
import { lstatSync, opendirSync, type Dirent } from 'node:fs';
import { kindOf, type EntryKind } from './file-stamp.ts';
import { fsPath, nameFromBytes } from './path-bytes.ts';
import type { Steps } from './pauses.ts';

export interface Entry {
  /** Names that are not UTF-8 are written as in `path-bytes.ts`. */
  readonly name: string;
  readonly kind: EntryKind;
}

/** The type of what Node opens for names as bytes, which its declarations leave out. */
interface ByteFolder {
  readSync(): Dirent<Buffer> | null;
  closeSync(): void;
}

/** Entries that are asked for at a time. */
const AT_A_TIME = 128;

/**
 * Hands the entries of a folder to `take`, in the order of the file system, until there are no more or `take` answers
 * false. The result says why they cannot be known, if so.
 */
export function* readFolder(folder: string, take: (entry: Entry) => boolean): Steps<string | undefined> {
  let open: ByteFolder | undefined;
  try {
    open = opendirSync(fsPath(folder), {
      encoding: 'buffer' as BufferEncoding,
      bufferSize: AT_A_TIME,
    }) as unknown as ByteFolder;
    for (let count = 1, entry = open.readSync(); entry !== null; entry = open.readSync(), count++) {
      if (!take({ name: nameFromBytes(entry.name), kind: kindOf(entry) })) return undefined;
      if (count % AT_A_TIME === 0) yield undefined;
    }
    return undefined;
  } catch (error) {
    return whyNotListed(folder, (error as NodeJS.ErrnoException).code ?? 'unknown');
  } finally {
    open?.closeSync();
  }
}

/** What is in a folder, at most so many entries, or why that cannot be known. */
export function* entriesOf(folder: string, most: number): Steps<readonly Entry[] | string> {
  const entries: Entry[] = [];
  const why = yield* readFolder(folder, (entry) => entries.push(entry) <= most);
  return why ?? (entries.length > most ? `it has more than ${most} entries` : entries);
}

function whyNotListed(folder: string, code: string): string | undefined {
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined; // it is gone
  if (code === 'EACCES' && !isOwn(folder)) {
    if (!mayPass(folder)) return undefined; // no program of this user opens a file in it
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

/** Whether this user may open files in a folder by their names. */
function mayPass(folder: string): boolean {
  try {
    lstatSync(fsPath(`${folder}/.`)); // by the effective user, other than access(2)
    return true;
  } catch {
    return false;
  }
}
