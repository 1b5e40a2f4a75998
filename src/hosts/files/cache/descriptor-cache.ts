/**
 * Folders and files that were walked to a moment ago, each held by its descriptor, so that the next use needs no walk.
 * The system tells where a held one stands now. Only when that is the very path that was walked to, name by name
 * and without a link, is it used again; anything else is walked anew. Neither rights taken from a folder on the way nor
 * a mount over it show there, so nothing is used any more when its walk is a second old, however often it was used.
 */
import { readlinkSync } from 'node:fs';
import { fdPath, type PinnedFolder } from '../gate/pin.ts';
import { shutWaiting } from './deferred-close.ts';

const MOST_HELD = 64;
/** A descriptor keeps its mount busy, and the space of a removed file; nobody shall wait long for that. */
const LONGEST_MS = 1000;

interface Holdable {
  readonly fd: number;
  /** `lost` says that it no longer stands where it was walked to. */
  close(lost: boolean): void;
}

/** What is held; closed when it is neither kept nor lent to anybody. */
export interface Holding<T> {
  readonly thing: T;
  /** How the system is asked where it stands. */
  readonly link: string;
  /** When it was walked to, in `performance.now()` time. */
  readonly walkedAt: number;
  lent: number;
  kept: boolean;
  lost: boolean;
}

/** All that hold something now. */
const holders = new Set<Held<Holdable>>();

/** Closes whatever is held, for who is about to block: no timer runs then, and nobody knows for how long. */
export function letGoOfHeld(): void {
  for (const held of holders) held.letGo();
  shutWaiting();
}

/** Things by the paths that were walked to. Whoever takes or keeps one gives it back once. */
export class Held<T extends Holdable> {
  readonly #holdings = new Map<string, Holding<T>>();
  #timer: NodeJS.Timeout | undefined;

  /** What was walked to by this path, if it still stands there. */
  take(path: string): Holding<T> | undefined {
    const holding = this.#holdings.get(path);
    if (holding === undefined) return undefined;
    if (performance.now() - holding.walkedAt >= LONGEST_MS) {
      this.#drop(path);
      return undefined;
    }
    if (placeOf(holding) === path) {
      holding.lent++;
      return holding;
    }
    this.lose(path);
    return undefined;
  }

  /** Holds on to what was walked to by its real path, and lends it to whoever did. */
  keep(path: string, thing: T, walkedAt = performance.now()): Holding<T> {
    const holding = { thing, link: fdPath(thing.fd), walkedAt, lent: 1, kept: true, lost: false };
    const [oldest] = this.#holdings.keys();
    if (this.#holdings.has(path)) this.lose(path);
    else if (oldest !== undefined && this.#holdings.size >= MOST_HELD) this.#drop(oldest);
    this.#holdings.set(path, holding);
    this.#letGoLater();
    return holding;
  }

  giveBack(holding: Holding<T>): void {
    holding.lent--;
    if (holding.lent === 0 && !holding.kept) holding.thing.close(holding.lost);
  }

  /** Forgets what no longer stands at this path. */
  lose(path: string): void {
    this.#drop(path, true);
  }

  /** Closes all that nobody has borrowed, and the rest when it is given back. */
  letGo(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    holders.delete(this);
    for (const path of this.#holdings.keys()) this.#drop(path);
  }

  #letGoLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.letGo(), LONGEST_MS).unref();
    holders.add(this);
  }

  #drop(path: string, lost = false): void {
    const holding = this.#holdings.get(path);
    if (holding === undefined) return;
    this.#holdings.delete(path);
    holding.kept = false;
    holding.lost = lost;
    if (holding.lent === 0) holding.thing.close(lost);
  }
}

/** Whether the system can tell this path: a name that is no text would read like another one. */
export function canBeHeld(path: string): boolean {
  return !path.includes('\ufffd');
}

/** Where the system says that a thing stands; a removed one has ` (deleted)` behind its name. */
function placeOf({ link }: Holding<unknown>): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined; // longer than the system tells: then it is walked
  }
}

/** Folders to go on from. */
export class HeldFolders {
  readonly #held = new Held<PinnedFolder & Holdable>();

  /** The folder that was walked to by this path, if it still stands there; whoever takes it closes it. */
  take(path: string): PinnedFolder | undefined {
    const holding = this.#held.take(path);
    return holding && this.#lend(holding);
  }

  /** Holds on to a folder that was just walked to by its real path, and lends it to whoever did. */
  keep(path: string, folder: PinnedFolder): PinnedFolder {
    const { fd } = folder;
    if (fd === undefined || !canBeHeld(path)) return folder;
    return this.#lend(this.#held.keep(path, { ...folder, fd }));
  }

  #lend(holding: Holding<PinnedFolder & Holdable>): PinnedFolder {
    let open = true;
    return {
      at: holding.thing.at,
      walkedAt: holding.walkedAt,
      close: () => {
        if (open) this.#held.giveBack(holding);
        open = false;
      },
    };
  }
}
