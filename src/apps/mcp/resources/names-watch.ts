/** Tells when files come or go in the folders that were listed. */
import { Fault } from '../../../base/fault.ts';
import type { Files } from '../../../hosts/files/shape.ts';
import { entriesOf } from './walk.ts';

/** How often to look: a folder changes its time when a name comes or goes, so a look costs little. */
const LOOK_MS = 2000;
/** Folders that are looked at; changes in others are found when the list is asked for again. */
const MOST_FOLDERS = 256;

interface Seen {
  readonly time: bigint | undefined;
  readonly names: string;
}

export class NamesWatch {
  readonly #files: Files;
  readonly #folders = new Map<string, Seen>();
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(files: Files) {
    this.#files = files;
  }

  /** These folders were shown to somebody as they are now. */
  remember(folders: readonly string[]): void {
    for (const folder of folders) {
      if (this.#folders.has(folder)) continue;
      if (this.#folders.size >= MOST_FOLDERS) return;
      this.#folders.set(folder, this.#look(folder));
    }
  }

  /** Calls the listener after changes; gives what ends that. */
  listen(onChange: () => void): () => void {
    const listener = (): void => onChange();
    this.#listeners.add(listener);
    // Nobody waits for the end of a process because of a list.
    this.#timer ??= setInterval(() => this.#compare(), LOOK_MS).unref();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#folders.clear();
    };
  }

  #compare(): void {
    let changed = false;
    for (const [folder, seen] of this.#folders) {
      if (this.#timeOf(folder) === seen.time) continue;
      const now = this.#look(folder);
      // A file that is replaced comes and goes under another name; the list is the same afterwards.
      if (now.names !== seen.names) changed = true;
      this.#folders.set(folder, now);
    }
    if (changed) for (const listener of this.#listeners) listener();
  }

  #look(folder: string): Seen {
    return { time: this.#timeOf(folder), names: entriesOf(this.#files, folder).join('\n') };
  }

  #timeOf(folder: string): bigint | undefined {
    try {
      return this.#files.placeOf(`./${folder}`).stamp?.mtimeNs;
    } catch (error) {
      if (error instanceof Fault) return undefined; // gone, or closed to us: as good as empty
      throw error;
    }
  }
}
