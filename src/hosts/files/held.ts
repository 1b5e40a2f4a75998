/**
 * Folders that were walked to a moment ago, each held by its descriptor, so that the next file in them needs no walk.
 * The system tells where a held folder stands now. Only when that is the very path that was walked to, name by name
 * and without a link, is it used again; anything else is walked anew.
 */
import { readlinkSync } from 'node:fs';
import type { PinnedFolder } from './pin.ts';

const MOST_HELD = 64;
/** A descriptor keeps its mount busy; nobody shall wait long for that. */
const LONGEST_MS = 1000;

/** A folder that is closed when it is neither kept nor lent to anybody. */
interface Held {
  readonly folder: PinnedFolder;
  /** How the system is asked where it stands. */
  readonly link: string;
  lent: number;
  kept: boolean;
}

export class HeldFolders {
  readonly #folders = new Map<string, Held>();
  #clearing = false;

  /** The folder that was walked to by this path, if it still stands there; whoever takes it closes it. */
  take(path: string): PinnedFolder | undefined {
    const held = this.#folders.get(path);
    if (held === undefined) return undefined;
    if (placeOf(held) === path) return lend(held);
    this.#drop(path, held);
    return undefined;
  }

  /** Holds on to a folder that was just walked to by its real path, and lends it to whoever did. */
  keep(path: string, folder: PinnedFolder): PinnedFolder {
    // A name that is no text would read like another one when the system tells it.
    if (folder.fd === undefined || path.includes('\ufffd')) return folder;
    const held: Held = { folder, link: `/proc/self/fd/${folder.fd}`, lent: 0, kept: true };
    const [oldest] = this.#folders;
    if (oldest !== undefined && this.#folders.size >= MOST_HELD) this.#drop(...oldest);
    this.#folders.set(path, held);
    this.#clearLater();
    return lend(held);
  }

  #clearLater(): void {
    if (this.#clearing) return;
    this.#clearing = true;
    setTimeout(() => {
      this.#clearing = false;
      for (const [path, held] of this.#folders) this.#drop(path, held);
    }, LONGEST_MS).unref();
  }

  #drop(path: string, held: Held): void {
    this.#folders.delete(path);
    held.kept = false;
    if (held.lent === 0) held.folder.close();
  }
}

function lend(held: Held): PinnedFolder {
  held.lent++;
  let open = true;
  return {
    at: held.folder.at,
    close: () => {
      if (!open) return;
      open = false;
      held.lent--;
      if (held.lent === 0 && !held.kept) held.folder.close();
    },
  };
}

/** Where the system says that a folder stands; a removed one has ` (deleted)` behind its name. */
function placeOf({ link }: Held): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined; // longer than the system tells: then it is walked
  }
}
