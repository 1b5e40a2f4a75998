/** Notifies listeners when files are created or removed in listed folders. */
import { Fault } from '../../../base/fault.ts';
import type { Files } from '../../../hosts/files/shape.ts';
import { entriesOf } from './walk.ts';

/** Polling is cheap: a new or removed name changes the mtime of its folder. */
const LOOK_MS = 2000;
/** Changes in further folders are found when the list is requested again. */
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

  /** A client has listed these folders in their current state. */
  remember(folders: readonly string[]): void {
    for (const folder of folders) {
      if (this.#folders.has(folder)) continue;
      if (this.#folders.size >= MOST_FOLDERS) return;
      this.#folders.set(folder, this.#look(folder));
    }
  }

  /** Calls the listener after changes; returns the function that unsubscribes. */
  listen(onChange: () => void): () => void {
    const listener = (): void => onChange();
    this.#listeners.add(listener);
    // The timer must not keep the process alive.
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
      // An atomic replacement creates and removes a temporary name; the list stays the same.
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
      if (error instanceof Fault) return undefined; // removed or not accessible: treated as empty
      throw error;
    }
  }
}
