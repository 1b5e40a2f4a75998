/**
 * Takes new files away that the host would obey, as recorded changes that can be undone. Whoever made them may still run, and
 * chooses how many there are: no link is followed, only what the look saw is taken, time and bytes are bounded, and of each
 * path all is taken or nothing.
 */
import { basename } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';
import { Folders, removeEmpty } from '../../files/batch/folders.ts';
import { keptRoom } from '../../files/changes/log.ts';
import type { LocalFiles } from '../../files/files.ts';
import type { FileChange, FileWriter, Changes } from '../../files/shape.ts';
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

/** All of one path. */
interface Whole {
  readonly removals: readonly Removal[];
  /** A folder in front of what it holds. */
  readonly folders: readonly string[];
}

/** What is to be taken away; what a folder is needs no look, because each file in it gets one. */
interface Step {
  readonly path: string;
  readonly isFolder: boolean;
}

type Known = Pick<Look, 'identityOf' | 'whyOperators'>;

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
    const [writer, changes] = [await files.writer('quarantine'), await files.changes()];
    return await withPauses(new Quarantine({ files, writer, changes, look, bounds, room }).take(paths));
  } finally {
    files.close();
  }
}

interface Parts {
  readonly files: LocalFiles;
  readonly writer: FileWriter;
  readonly changes: Changes;
  readonly look: Known;
  readonly bounds: QuarantineBounds;
  /** Bytes that the record still takes. */
  readonly room: number;
}

class Quarantine {
  readonly #parts: Parts;
  readonly #start = performance.now();
  readonly #since = Date.now();
  readonly #left = new Map<string, Left>();
  #taken = 0;
  #bytes = 0;
  #recorded = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  *take(paths: readonly string[]): Steps<ReadonlyMap<string, Left>> {
    let single: Removal[] = [];
    for (const path of paths) {
      const whole = yield* this.#collect(path);
      if (typeof whole === 'string') this.#left.set(path, { why: whole });
      // A few are recorded one by one, so that each can be undone by itself.
      else if (whole.folders.length > 0 || paths.length <= AT_ONCE.files) yield* this.#remove(path, whole);
      else single.push(...whole.removals);
      if (single.length >= AT_ONCE.files) single = yield* this.#removeSingle(single);
    }
    yield* this.#removeSingle(single);
    return this.#left;
  }

  /** A path with all below it, or why it is left. */
  *#collect(top: string): Steps<Whole | string> {
    const { look, bounds, room } = this.#parts;
    const removals: Removal[] = [];
    const folders: string[] = [];
    let bytes = this.#bytes;
    let recorded = this.#recorded;
    try {
      const why = look.whyOperators(top);
      if (why !== undefined) return why;
      if (look.identityOf(top) === undefined) return 'it was not seen';
      const queue: Step[] = [{ path: top, isFolder: false }];
      for (let at = 0; at < queue.length; at++) {
        if (this.#isLate(1)) return `taking away what is new took longer than ${bounds.ms / 1000} s`;
        const removal = yield* this.#lookAt(queue[at]!, top, queue, folders);
        yield undefined;
        if (removal === undefined) continue;
        removals.push(removal);
        bytes += removal.size;
        const { length } = removal.change.file.path;
        recorded += removal.size + RECORD_OF.file + length * RECORD_OF.character;
        if (this.#taken + removals.length > bounds.files) return `there are more than ${bounds.files} new files`;
        if (bytes > bounds.bytes) return `all that is new has more than ${bounds.bytes >> 20} MB`;
        if (recorded > room) return FULL;
      }
    } catch (error) {
      return messageOf(error);
    }
    this.#taken += removals.length;
    this.#bytes = bytes;
    this.#recorded = recorded;
    return { removals, folders };
  }

  *#lookAt({ path, isFolder }: Step, top: string, queue: Step[], folders: string[]): Steps<Removal | undefined> {
    const { files, look } = this.#parts;
    if (path.split('/').length > DEEPEST) throw new Fault('FS_CHANGED', `it is more than ${DEEPEST} folders deep`);
    const place = isFolder ? undefined : exactPlace(path, files, look.identityOf(path));
    if (place === undefined || place.stands === 'folder') {
      folders.push(path);
      const entries = yield* entriesOf(`${files.workspace}/${path}`, this.#parts.bounds.files - this.#taken);
      if (typeof entries === 'string') throw new Fault('FS_CHANGED', entries);
      for (const { name, kind } of entries) queue.push({ path: `${path}/${name}`, isFolder: kind === 'folder' });
      return undefined;
    }
    const { file, stands, stamp } = place;
    if (stamp === undefined && path === top) throw new Fault('FS_CHANGED', 'it is already gone');
    if (stamp === undefined) return undefined;
    if (stands !== 'file' && stands !== 'link')
      throw new Fault('FS_CHANGED', `${JSON.stringify(path)} is neither a file nor a folder nor a link`);
    const size = stands === 'link' ? 0 : Number(stamp.size);
    checkLength(path, size);
    return { path, change: { file, stamp, remove: true }, size };
  }

  /** Removes a whole path in pieces; where one fails, the pieces before it are brought back. */
  *#remove(top: string, { removals, folders }: Whole): Steps<void> {
    let done = 0;
    try {
      for (const piece of piecesOf(removals)) {
        if (this.#isLate(2)) throw new Fault('FS_CHANGED', 'it took too long');
        this.#commit(piece);
        done++;
        yield undefined;
      }
    } catch (error) {
      const isBack = done === 0 || (yield* this.#bringBack(top));
      this.#left.set(top, { why: messageOf(error), ...(isBack ? {} : { isPart: true }) });
      return;
    }
    yield* this.#removeFolders(folders);
    if (this.#isThere(top))
      this.#left.set(top, { why: 'it was filled again meanwhile', ...(done > 0 ? { isPart: true } : {}) });
  }

  /** Paths of one file each: all at once, or where one of them was changed meanwhile, one after the other. */
  *#removeSingle(removals: readonly Removal[]): Steps<Removal[]> {
    const pieces = piecesOf(removals);
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at]!;
      yield undefined;
      try {
        if (this.#isLate(2)) throw new Fault('FS_CHANGED', 'it took too long');
        this.#commit(piece);
      } catch (error) {
        if (piece.length === 1) this.#left.set(piece[0]!.path, { why: messageOf(error) });
        else for (const removal of piece) pieces.push([removal]);
      }
    }
    return [];
  }

  #commit(removals: readonly Removal[]): void {
    this.#parts.writer.commit(removals.map(({ change }) => change));
  }

  /** Undoes what was taken away of a path; says whether all of it is back. */
  *#bringBack(top: string): Steps<boolean> {
    const { changes, files } = this.#parts;
    const filter = { since: this.#since, path: `${files.workspace}/${top}`, standing: true } as const;
    for (const { id } of changes.list(filter)) {
      yield undefined;
      try {
        if (!changes.undo([id], { operator: true }).ok) return false;
      } catch {
        return false; // it is told that a part was taken
      }
    }
    return true;
  }

  /** Removes folders that have become empty, the innermost first. */
  *#removeFolders(folders: readonly string[]): Steps<void> {
    const { files, look } = this.#parts;
    for (const folder of folders.toReversed()) {
      yield undefined;
      const pinned = new Folders();
      try {
        const { file, stands } = exactPlace(folder, files, look.identityOf(folder));
        if (stands === 'folder') removeEmpty(pinned.of(file).at(basename(file.path)));
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
