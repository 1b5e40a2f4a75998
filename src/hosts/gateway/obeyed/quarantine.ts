/**
 * Removes new files that the host would obey, as recorded changes that can be undone. Their author may still run and controls
 * what is there: no symlink is followed, time and bytes are bounded, and where a path cannot be removed as a whole, the files
 * in it that the scan saw are removed anyway.
 */
import { basename, dirname } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';
import { Folders, removeEmpty } from '../../files/batch/folders.ts';
import { keptRoom } from '../../files/changes/log.ts';
import type { LocalFiles } from '../../files/files.ts';
import type { FileChange, FileWriter, LocatedEntry } from '../../files/shape.ts';
import { entriesOf } from '../../obeyed/folder-entries.ts';
import { withPauses, type Steps } from '../../obeyed/pauses.ts';
import type { Look } from '../../sandbox/sandboxes/obeyed-watch.ts';
import { checkLength, exactPlace, type Recorded, recordedFiles } from './recorded-files.ts';

/** Limits on what is removed after one command. */
export interface QuarantineBounds {
  readonly files: number;
  /** In total. */
  readonly bytes: number;
  readonly ms: number;
}

export const QUARANTINE_BOUNDS: QuarantineBounds = { files: 20_000, bytes: 64 << 20, ms: 10_000 };
/** Each file is opened from the top, one folder after the other. */
const DEEPEST = 64;
/** Files and bytes of one recorded change. */
const BATCH = { files: 32, bytes: 4 << 20 };
/** Upper bounds for the record of a file besides its bytes and path, and for one character of the path. */
const RECORD_OF = { file: 512, character: 6 };

const FULL = 'the record of changes has no space for more removed files';

/** Why a path still exists. */
export interface NotRemoved {
  readonly why: string;
  /** Part of it was removed. */
  readonly isPart?: true;
}

interface Removal {
  readonly path: string;
  readonly change: FileChange;
  readonly size: number;
}

/** What is to be removed at one path. */
interface Collected {
  readonly removals: readonly Removal[];
  /** Parents before their contents. */
  readonly folders: readonly string[];
  /** Why it is not the whole path. */
  readonly why?: string;
}

interface Sum {
  readonly files: number;
  readonly bytes: number;
  /** Bytes in the record. */
  readonly recorded: number;
}

/** What is to be removed; folders need no check, because each file in them gets one. */
interface Step {
  readonly path: string;
  readonly isFolder: boolean;
}

type Known = Pick<Look, 'identityOf' | 'seen' | 'whyOperators'>;

/** Removes files and folders; returns each path that still exists, and why. */
export async function removeNewFiles(
  paths: readonly string[],
  recorded: Recorded,
  look: Known,
  bounds: QuarantineBounds = QUARANTINE_BOUNDS,
): Promise<ReadonlyMap<string, NotRemoved>> {
  const files = recordedFiles(recorded);
  try {
    const room = keptRoom(recorded.stateDir, files.workspace);
    const writer = await files.writer('quarantine');
    return await withPauses(new Quarantine({ files, writer, look, bounds, room }).take(paths));
  } finally {
    files.close();
  }
}

interface Parts {
  readonly files: LocalFiles;
  readonly writer: FileWriter;
  readonly look: Known;
  readonly bounds: QuarantineBounds;
  /** Bytes that the record can still take. */
  readonly room: number;
}

class Quarantine {
  readonly #parts: Parts;
  readonly #start = performance.now();
  readonly #left = new Map<string, NotRemoved>();
  #sum: Sum = { files: 0, bytes: 0, recorded: 0 };
  #below: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  *take(paths: readonly string[]): Steps<ReadonlyMap<string, NotRemoved>> {
    let single: Removal[] = [];
    for (const path of paths) {
      const collected = yield* this.#collect(path);
      const { removals, folders, why } = collected;
      if (why !== undefined && removals.length === 0) this.#left.set(path, { why });
      // Record a few one by one, so that each can be undone separately.
      else if (folders.length > 0 || paths.length <= BATCH.files) yield* this.#remove(path, collected);
      else single.push(...removals);
      if (single.length >= BATCH.files) single = yield* this.#removeSingle(single);
    }
    yield* this.#removeSingle(single);
    return this.#left;
  }

  /** A path with everything below it, or else what the scan saw there. */
  *#collect(top: string): Steps<Collected> {
    const { look, bounds } = this.#parts;
    const removals: Removal[] = [];
    const folders: string[] = [];
    const why = look.whyOperators(top) ?? (look.identityOf(top) === undefined ? 'the scan did not find it' : undefined);
    if (why !== undefined) return { removals, folders, why };
    let sum = this.#sum;
    try {
      const queue: Step[] = [{ path: top, isFolder: false }];
      for (let at = 0; at < queue.length; at++) {
        if (this.#isLate(1)) throw new Fault('FS_CHANGED', `removing new files took longer than ${bounds.ms / 1000} s`);
        const removal = yield* this.#lookAt(queue[at]!, top, queue, folders);
        yield undefined;
        if (removal === undefined) continue;
        removals.push(removal);
        sum = this.#add(sum, removal);
      }
    } catch (error) {
      const part = folders.length === 0 ? { removals: [], folders } : yield* this.#collectSeen(top);
      return { ...part, why: messageOf(error) };
    }
    this.#sum = sum;
    return { removals, folders };
  }

  /** What the scan saw at a path and below it. No folder is read, so its other contents have no influence. */
  *#collectSeen(top: string): Steps<Collected> {
    const { files, look } = this.#parts;
    this.#below ??= byFolder(look.seen());
    const found: Removal[] = [];
    const folders: string[] = [];
    const queue = [top];
    for (let at = 0; at < queue.length && !this.#isLate(1.5); at++) {
      const path = queue[at]!;
      queue.push(...(this.#below.get(path) ?? []));
      yield undefined;
      const seen = look.identityOf(path);
      if (seen === undefined) continue;
      const removal = tried(() => {
        const place = exactPlace(checkDepth(path), files, seen);
        if (place.type === 'folder') folders.push(path);
        return place.type === 'folder' ? undefined : removalOf(path, place);
      });
      if (removal !== undefined) found.push(removal);
    }
    // The shortest first, so that long ones do not use up the space of others.
    const removals = found
      .sort((a, b) => a.size - b.size)
      .filter((removal) => {
        const sum = tried(() => this.#add(this.#sum, removal));
        this.#sum = sum ?? this.#sum;
        return sum !== undefined;
      });
    return { removals, folders };
  }

  /** Enforces the limits. */
  #add(sum: Sum, { size, change }: Removal): Sum {
    const { bounds, room } = this.#parts;
    const record = size + RECORD_OF.file + change.file.path.length * RECORD_OF.character;
    const { files, bytes, recorded } = {
      files: sum.files + 1,
      bytes: sum.bytes + size,
      recorded: sum.recorded + record,
    };
    if (files > bounds.files) throw new Fault('FS_CHANGED', `there are more than ${bounds.files} new files`);
    if (bytes > bounds.bytes) throw new Fault('FS_CHANGED', `the new files have more than ${bounds.bytes >> 20} MB`);
    if (recorded > room) throw new Fault('FS_CHANGED', FULL);
    return { files, bytes, recorded };
  }

  *#lookAt({ path, isFolder }: Step, top: string, queue: Step[], folders: string[]): Steps<Removal | undefined> {
    const { files, look } = this.#parts;
    const place = isFolder ? undefined : exactPlace(checkDepth(path), files, look.identityOf(path));
    if (place === undefined || place.type === 'folder') {
      folders.push(checkDepth(path));
      const entries = yield* entriesOf(`${files.workspace}/${path}`, this.#parts.bounds.files - this.#sum.files);
      if (typeof entries === 'string') throw new Fault('FS_CHANGED', entries);
      for (const { name, kind } of entries) queue.push({ path: `${path}/${name}`, isFolder: kind === 'folder' });
      return undefined;
    }
    const removal = removalOf(path, place);
    if (removal === undefined && path === top) throw new Fault('FS_CHANGED', 'it is already gone');
    return removal;
  }

  *#remove(top: string, { removals, folders, why }: Collected): Steps<void> {
    const failed = yield* this.#removePieces(removals);
    yield* this.#removeFolders(folders);
    const [first] = failed.values();
    // What failed and no longer exists was moved by another process.
    if (why === undefined && first === undefined && !this.#isThere(top)) return;
    const isPart = failed.size < removals.length;
    this.#left.set(top, { why: why ?? first ?? 'new files were added since', ...(isPart ? { isPart } : {}) });
  }

  /** Paths of one file each. */
  *#removeSingle(removals: readonly Removal[]): Steps<Removal[]> {
    for (const [path, why] of yield* this.#removePieces(removals)) this.#left.set(path, { why });
    return [];
  }

  /** In batches, or one by one where one of them changed meanwhile; returns which could not be removed. */
  *#removePieces(removals: readonly Removal[]): Steps<ReadonlyMap<string, string>> {
    const failed = new Map<string, string>();
    const pieces = piecesOf(removals);
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at]!;
      yield undefined;
      try {
        if (this.#isLate(2)) throw new Fault('FS_CHANGED', 'it took too long');
        this.#commit(piece);
      } catch (error) {
        if (piece.length === 1) failed.set(piece[0]!.path, messageOf(error));
        else for (const removal of piece) pieces.push([removal]);
      }
    }
    return failed;
  }

  #commit(removals: readonly Removal[]): void {
    this.#parts.writer.commit(removals.map(({ change }) => change));
  }

  /** Removes folders that are now empty, innermost first. */
  *#removeFolders(folders: readonly string[]): Steps<void> {
    const { files, look } = this.#parts;
    for (const folder of folders.toReversed()) {
      yield undefined;
      const pinned = new Folders();
      try {
        const { file, type } = exactPlace(folder, files, look.identityOf(folder));
        if (type === 'folder') removeEmpty(pinned.of(file).at(basename(file.path)));
      } catch {
        // Whether it still exists is checked afterwards.
      } finally {
        pinned.close();
      }
    }
  }

  #isLate(times: number): boolean {
    return performance.now() - this.#start > times * this.#parts.bounds.ms;
  }

  #isThere(path: string): boolean {
    try {
      return exactPlace(path, this.#parts.files, undefined).stamp !== undefined;
    } catch {
      return true; // a symlink replaced it or a folder above it
    }
  }
}

function checkDepth(path: string): string {
  if (path.split('/').length > DEEPEST) throw new Fault('FS_CHANGED', `it is more than ${DEEPEST} folders deep`);
  return path;
}

/** How a file or symlink is removed; undefined where nothing exists. */
function removalOf(path: string, { file, type, stamp }: LocatedEntry): Removal | undefined {
  if (stamp === undefined) return undefined;
  if (type !== 'file' && type !== 'link')
    throw new Fault('FS_CHANGED', `${JSON.stringify(path)} is not a file, folder or symlink`);
  const size = type === 'link' ? 0 : Number(stamp.size);
  checkLength(path, size);
  return { path, change: { file, stamp, remove: true }, size };
}

/** Undefined where it is refused: the reason for the path is already known. */
function tried<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The paths and all folders above them, grouped by parent folder. */
function byFolder(paths: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const below = new Map<string, string[]>();
  const known = new Set<string>(['.']);
  for (const path of paths)
    for (let at = path; !known.has(at); at = dirname(at)) {
      known.add(at);
      const others = below.get(dirname(at));
      if (others === undefined) below.set(dirname(at), [at]);
      else others.push(at);
    }
  return below;
}

/** In the given order, so that each batch is one recorded change. */
function piecesOf(removals: readonly Removal[]): Removal[][] {
  const pieces: Removal[][] = [];
  let bytes = 0;
  for (const removal of removals) {
    const last = pieces.at(-1);
    if (last === undefined || last.length >= BATCH.files || bytes + removal.size > BATCH.bytes) {
      pieces.push([removal]);
      bytes = removal.size;
    } else {
      last.push(removal);
      bytes += removal.size;
    }
  }
  return pieces;
}
