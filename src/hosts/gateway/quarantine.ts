/**
 * Takes new files away that the host would obey, as recorded changes that can be undone. Whoever made them may still run, and
 * chooses how many there are: no link is followed, only what the look saw is taken, and time and bytes are bounded.
 */
import { basename } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { Folders, removeEmpty } from '../files/batch/folders.ts';
import type { LocalFiles } from '../files/files.ts';
import type { FileChange, FileWriter } from '../files/shape.ts';
import { entriesOf } from '../obeyed/folder-entries.ts';
import { withPauses, type Steps } from '../obeyed/pauses.ts';
import type { Look } from '../sandbox/sandboxes/obeyed-watch.ts';
import { checkLength, exactPlace, type Recorded, recordedFiles } from './recorded-files.ts';

/** What is taken away at most after one command. */
export interface QuarantineBounds {
  readonly files: number;
  /** Together; the record of changes keeps as much of one change, and drops old ones for new ones. */
  readonly bytes: number;
  readonly ms: number;
}

export const QUARANTINE_BOUNDS: QuarantineBounds = { files: 20_000, bytes: 64 << 20, ms: 10_000 };
/** Every file is walked to from the top, one folder after the other. */
const DEEPEST = 64;
/** Files and bytes of one recorded change. */
const AT_ONCE = { files: 32, bytes: 4 << 20 };

interface Removal {
  /** The difference that it belongs to. */
  readonly of: string;
  readonly change: FileChange;
  readonly size: number;
}

/** What is to be taken away; what a folder is needs no look, because each file in it gets one. */
interface Step {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Takes files and folders away; returns why, for each path that is still there. */
export async function takeAway(
  paths: readonly string[],
  recorded: Recorded,
  look: Pick<Look, 'identityOf' | 'whyOperators'>,
  bounds: QuarantineBounds = QUARANTINE_BOUNDS,
): Promise<ReadonlyMap<string, string>> {
  const files = recordedFiles(recorded);
  try {
    return await withPauses(new Quarantine(files, await files.writer('quarantine'), look, bounds).take(paths));
  } finally {
    files.close();
  }
}

class Quarantine {
  readonly #files: LocalFiles;
  readonly #writer: FileWriter;
  readonly #look: Pick<Look, 'identityOf' | 'whyOperators'>;
  readonly #bounds: QuarantineBounds;
  readonly #start = performance.now();
  readonly #why = new Map<string, string>();
  readonly #folders: string[] = [];
  #pending: Removal[] = [];
  #taken = 0;
  #bytes = 0;

  constructor(
    files: LocalFiles,
    writer: FileWriter,
    look: Pick<Look, 'identityOf' | 'whyOperators'>,
    bounds: QuarantineBounds,
  ) {
    this.#files = files;
    this.#writer = writer;
    this.#look = look;
    this.#bounds = bounds;
  }

  *take(paths: readonly string[]): Steps<ReadonlyMap<string, string>> {
    for (const path of paths) {
      const why = this.#look.whyOperators(path);
      if (why === undefined) yield* this.#collect(path);
      else this.#why.set(path, why);
      // A few are recorded one by one, so that each can be undone by itself.
      if (paths.length <= AT_ONCE.files) yield* this.#commit();
    }
    yield* this.#commit();
    yield* this.#removeFolders();
    for (const path of paths) {
      if (!this.#why.has(path) && this.#isThere(path)) this.#leave(path, 'not all of it could be removed');
      yield undefined;
    }
    return this.#why;
  }

  /** Takes a path with all below it; what the look saw comes before what it passed over. */
  *#collect(top: string): Steps<void> {
    const unseen: Removal[] = [];
    const queue: Step[] = [{ path: top, isFolder: false }];
    for (let at = 0; at < queue.length; at++) {
      const step = queue[at]!;
      const why = this.#whyNoMore();
      if (why !== undefined) return this.#leave(top, why);
      try {
        const removal = yield* this.#lookAt(step, top, queue);
        if (removal !== undefined && this.#look.identityOf(step.path) === undefined) unseen.push(removal);
        else if (removal !== undefined) yield* this.#add(removal);
      } catch (error) {
        this.#leave(top, messageOf(error));
      }
      yield undefined;
    }
    for (const removal of unseen) yield* this.#add(removal);
  }

  *#lookAt({ path, isFolder }: Step, top: string, queue: Step[]): Steps<Removal | undefined> {
    const seen = this.#look.identityOf(path);
    if (path === top && seen === undefined) throw new Fault('FS_CHANGED', 'it was not seen');
    if (path.split('/').length > DEEPEST) throw new Fault('FS_CHANGED', `it is more than ${DEEPEST} folders deep`);
    if (isFolder) return yield* this.#listFolder(path, queue);
    const { file, stands, stamp } = exactPlace(path, this.#files, seen);
    if (stamp === undefined && path === top) throw new Fault('FS_CHANGED', 'it is already gone');
    if (stamp === undefined) return undefined;
    if (stands === 'folder') return yield* this.#listFolder(path, queue);
    if (stands !== 'file' && stands !== 'link')
      throw new Fault('FS_CHANGED', `${JSON.stringify(path)} is neither a file nor a folder nor a link`);
    const size = stands === 'link' ? 0 : Number(stamp.size);
    checkLength(path, size);
    return { of: top, change: { file, stamp, remove: true }, size };
  }

  *#listFolder(path: string, queue: Step[]): Steps<undefined> {
    this.#folders.push(path);
    const entries = yield* entriesOf(`${this.#files.workspace}/${path}`, this.#bounds.files - this.#taken);
    if (typeof entries === 'string') throw new Fault('FS_CHANGED', entries);
    for (const { name, kind } of entries) queue.push({ path: `${path}/${name}`, isFolder: kind === 'folder' });
  }

  *#add(removal: Removal): Steps<void> {
    if (this.#bytes + removal.size > this.#bounds.bytes)
      return this.#leave(removal.of, `all that is new has more than ${this.#bounds.bytes >> 20} MB`);
    this.#taken++;
    this.#bytes += removal.size;
    this.#pending.push(removal);
    const bytes = this.#pending.reduce((sum, { size }) => sum + size, 0);
    if (this.#pending.length >= AT_ONCE.files || bytes >= AT_ONCE.bytes) yield* this.#commit();
  }

  /** All at once; where one of them was changed meanwhile, one after the other. */
  *#commit(): Steps<void> {
    const removals = this.#pending;
    this.#pending = [];
    if (removals.length === 0) return;
    try {
      this.#writer.commit(removals.map(({ change }) => change));
      return;
    } catch (error) {
      if (removals.length === 1) return this.#leave(removals[0]!.of, messageOf(error));
    }
    for (const removal of removals) {
      yield undefined;
      const why = this.#whyNoMore();
      if (why !== undefined) this.#leave(removal.of, why);
      else
        try {
          this.#writer.commit([removal.change]);
        } catch (error) {
          this.#leave(removal.of, messageOf(error));
        }
    }
  }

  /** Removes the folders that have become empty, the innermost first. */
  *#removeFolders(): Steps<void> {
    for (const folder of this.#folders.reverse()) {
      yield undefined;
      if (performance.now() - this.#start > 2 * this.#bounds.ms) return;
      const pinned = new Folders();
      try {
        const { file, stands } = exactPlace(folder, this.#files, this.#look.identityOf(folder));
        if (stands === 'folder') removeEmpty(pinned.of(file).at(basename(file.path)));
      } catch {
        // Whether it is still there is asked for afterwards.
      } finally {
        pinned.close();
      }
    }
  }

  #whyNoMore(): string | undefined {
    const { files, ms } = this.#bounds;
    if (this.#taken >= files) return `there are more than ${files} new files`;
    return performance.now() - this.#start > ms ? `taking away what is new took longer than ${ms / 1000} s` : undefined;
  }

  /** The first reason is enough. */
  #leave(path: string, why: string): void {
    if (!this.#why.has(path)) this.#why.set(path, why);
  }

  #isThere(path: string): boolean {
    try {
      return exactPlace(path, this.#files, undefined).stamp !== undefined;
    } catch {
      return true; // a link is in its place, or in that of a folder above it
    }
  }
}
