/**
 * Takes new files away that the host would obey, as recorded changes that can be undone. Whoever made them may still run, and
 * chooses what is there: no link is followed, time and bytes are bounded, and where a path cannot be taken as a whole, the
 * files in it that the look saw are taken all the same.
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

/** What is taken away at most after one command. */
export interface QuarantineBounds {
  readonly files: number;
  /** Together. */
  readonly bytes: number;
  readonly ms: number;
}

export const QUARANTINE_BOUNDS: QuarantineBounds = { files: 20_000, bytes: 64 << 20, ms: 10_000 };
/** Every file is walked to from the top, one folder after the other. */
const DEEPEST = 64;
/** Files and bytes of one recorded change. */
const AT_ONCE = { files: 32, bytes: 4 << 20 };
/** What the record needs for a file beside its bytes and its path, and for a character of that, at most. */
const RECORD_OF = { file: 512, character: 6 };

const FULL = 'the record of changes has no room for more that was taken away';

/** Why a path is still there. */
export interface Left {
  readonly why: string;
  /** Some of it was taken away. */
  readonly isPart?: true;
}

interface Removal {
  readonly path: string;
  readonly change: FileChange;
  readonly size: number;
}

/** What is to be taken away of one path. */
interface Collected {
  readonly removals: readonly Removal[];
  /** A folder in front of what it holds. */
  readonly folders: readonly string[];
  /** Why it is not all of the path. */
  readonly why?: string;
}

interface Sum {
  readonly files: number;
  readonly bytes: number;
  /** Bytes of the record. */
  readonly recorded: number;
}

/** What is to be taken away; what a folder is needs no look, because each file in it gets one. */
interface Step {
  readonly path: string;
  readonly isFolder: boolean;
}

type Known = Pick<Look, 'identityOf' | 'seen' | 'whyOperators'>;

/** Takes files and folders away; returns each path that is still there, and why. */
export async function takeAway(
  paths: readonly string[],
  recorded: Recorded,
  look: Known,
  bounds: QuarantineBounds = QUARANTINE_BOUNDS,
): Promise<ReadonlyMap<string, Left>> {
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
  /** Bytes that the record still takes. */
  readonly room: number;
}

class Quarantine {
  readonly #parts: Parts;
  readonly #start = performance.now();
  readonly #left = new Map<string, Left>();
  #sum: Sum = { files: 0, bytes: 0, recorded: 0 };
  #below: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  *take(paths: readonly string[]): Steps<ReadonlyMap<string, Left>> {
    let single: Removal[] = [];
    for (const path of paths) {
      const collected = yield* this.#collect(path);
      const { removals, folders, why } = collected;
      if (why !== undefined && removals.length === 0) this.#left.set(path, { why });
      // A few are recorded one by one, so that each can be undone by itself.
      else if (folders.length > 0 || paths.length <= AT_ONCE.files) yield* this.#remove(path, collected);
      else single.push(...removals);
      if (single.length >= AT_ONCE.files) single = yield* this.#removeSingle(single);
    }
    yield* this.#removeSingle(single);
    return this.#left;
  }

  /** A path with all below it, or else what the look saw there. */
  *#collect(top: string): Steps<Collected> {
    const { look, bounds } = this.#parts;
    const removals: Removal[] = [];
    const folders: string[] = [];
    const why = look.whyOperators(top) ?? (look.identityOf(top) === undefined ? 'it was not seen' : undefined);
    if (why !== undefined) return { removals, folders, why };
    let sum = this.#sum;
    try {
      const queue: Step[] = [{ path: top, isFolder: false }];
      for (let at = 0; at < queue.length; at++) {
        if (this.#isLate(1))
          throw new Fault('FS_CHANGED', `taking away what is new took longer than ${bounds.ms / 1000} s`);
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

  /** What the look saw at a path and below it. No folder is read: what else is there, and how much, changes nothing. */
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
    // The shortest first, so that long ones do not take the room of others.
    const removals = found
      .sort((a, b) => a.size - b.size)
      .filter((removal) => {
        const sum = tried(() => this.#add(this.#sum, removal));
        this.#sum = sum ?? this.#sum;
        return sum !== undefined;
      });
    return { removals, folders };
  }

  /** Refuses what is too much. */
  #add(sum: Sum, { size, change }: Removal): Sum {
    const { bounds, room } = this.#parts;
    const record = size + RECORD_OF.file + change.file.path.length * RECORD_OF.character;
    const { files, bytes, recorded } = {
      files: sum.files + 1,
      bytes: sum.bytes + size,
      recorded: sum.recorded + record,
    };
    if (files > bounds.files) throw new Fault('FS_CHANGED', `there are more than ${bounds.files} new files`);
    if (bytes > bounds.bytes) throw new Fault('FS_CHANGED', `all that is new has more than ${bounds.bytes >> 20} MB`);
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
    // What failed and is gone was moved by somebody else.
    if (why === undefined && first === undefined && !this.#isThere(top)) return;
    const isPart = failed.size < removals.length;
    this.#left.set(top, { why: why ?? first ?? 'it was filled again meanwhile', ...(isPart ? { isPart } : {}) });
  }

  /** Paths of one file each. */
  *#removeSingle(removals: readonly Removal[]): Steps<Removal[]> {
    for (const [path, why] of yield* this.#removePieces(removals)) this.#left.set(path, { why });
    return [];
  }

  /** Many at once, or where one of them was changed meanwhile, one after the other; returns which could not be removed. */
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

  /** Removes folders that have become empty, the innermost first. */
  *#removeFolders(folders: readonly string[]): Steps<void> {
    const { files, look } = this.#parts;
    for (const folder of folders.toReversed()) {
      yield undefined;
      const pinned = new Folders();
      try {
        const { file, type } = exactPlace(folder, files, look.identityOf(folder));
        if (type === 'folder') removeEmpty(pinned.of(file).at(basename(file.path)));
      } catch {
        // Whether it is still there is asked for afterwards.
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
      return true; // a link is in its place, or in that of a folder above it
    }
  }
}

function checkDepth(path: string): string {
  if (path.split('/').length > DEEPEST) throw new Fault('FS_CHANGED', `it is more than ${DEEPEST} folders deep`);
  return path;
}

/** How a file or a link is removed; undefined where nothing is. */
function removalOf(path: string, { file, type, stamp }: LocatedEntry): Removal | undefined {
  if (stamp === undefined) return undefined;
  if (type !== 'file' && type !== 'link')
    throw new Fault('FS_CHANGED', `${JSON.stringify(path)} is neither a file nor a folder nor a link`);
  const size = type === 'link' ? 0 : Number(stamp.size);
  checkLength(path, size);
  return { path, change: { file, stamp, remove: true }, size };
}

/** Undefined where it is refused: why a path is left is known already. */
function tried<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The paths and all folders above them, by the folder that each is in. */
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

/** In the order given, so that each piece is one recorded change. */
function piecesOf(removals: readonly Removal[]): Removal[][] {
  const pieces: Removal[][] = [];
  let bytes = 0;
  for (const removal of removals) {
    const last = pieces.at(-1);
    if (last === undefined || last.length >= AT_ONCE.files || bytes + removal.size > AT_ONCE.bytes) {
      pieces.push([removal]);
      bytes = removal.size;
    } else {
      last.push(removal);
      bytes += removal.size;
    }
  }
  return pieces;
}
