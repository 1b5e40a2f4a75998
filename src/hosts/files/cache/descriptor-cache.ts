/**
 * Descriptors of recently walked folders and files, so that the next use needs no walk. `readlink` of the /proc path shows where
 * a descriptor is now. It is used again only if that is exactly the path of the walk, without links. This shows neither
 * permissions removed from a folder above nor a mount over it, so an entry expires one second after its walk, however often
 * it is used.
 */
import { readlinkSync } from 'node:fs';
import { fdPath, type PinnedFolder } from '../gate/pin.ts';
import { closeQueued } from './deferred-close.ts';

const MOST_ENTRIES = 64;
/** An open descriptor blocks umount and keeps the blocks of a removed file, so it may not stay open for long. */
const LONGEST_MS = 1000;

interface Cacheable {
  readonly fd: number;
  /** `unlinked`: it is no longer at the path of its walk. */
  close(unlinked: boolean): void;
}

/** Closed when it is neither in the cache nor in use. */
export interface CacheEntry<T> {
  readonly value: T;
  /** Its /proc path. */
  readonly link: string;
  /** In `performance.now()` time. */
  readonly walkedAt: number;
  users: number;
  isCached: boolean;
  unlinked: boolean;
}

const activeCaches = new Set<DescriptorCache<Cacheable>>();

/** Closes all cached descriptors, for a caller that is about to block: its timers would not run. */
export function closeCachedDescriptors(): void {
  for (const cache of activeCaches) cache.clear();
  closeQueued();
}

/** Entries by the paths of their walks. A caller of `take` or `keep` calls `giveBack` once. */
export class DescriptorCache<T extends Cacheable> {
  readonly #entries = new Map<string, CacheEntry<T>>();
  #timer: NodeJS.Timeout | undefined;

  /** The entry of this path, if it is still there. */
  take(path: string): CacheEntry<T> | undefined {
    const entry = this.#entries.get(path);
    if (entry === undefined) return undefined;
    if (performance.now() - entry.walkedAt >= LONGEST_MS) {
      this.#drop(path);
      return undefined;
    }
    if (currentPath(entry) === path) {
      entry.users++;
      return entry;
    }
    this.remove(path);
    return undefined;
  }

  /** Adds an entry by its real path; the caller is its first user. */
  keep(path: string, value: T, walkedAt = performance.now()): CacheEntry<T> {
    const entry = { value, link: fdPath(value.fd), walkedAt, users: 1, isCached: true, unlinked: false };
    const [oldest] = this.#entries.keys();
    if (this.#entries.has(path)) this.remove(path);
    else if (oldest !== undefined && this.#entries.size >= MOST_ENTRIES) this.#drop(oldest);
    this.#entries.set(path, entry);
    this.#clearLater();
    return entry;
  }

  giveBack(entry: CacheEntry<T>): void {
    entry.users--;
    if (entry.users === 0 && !entry.isCached) entry.value.close(entry.unlinked);
  }

  /** Removes an entry that is no longer at this path. */
  remove(path: string): void {
    this.#drop(path, true);
  }

  /** Closes all unused entries, and the others when they are given back. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    activeCaches.delete(this);
    for (const path of this.#entries.keys()) this.#drop(path);
  }

  #clearLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.clear(), LONGEST_MS).unref();
    activeCaches.add(this);
  }

  #drop(path: string, unlinked = false): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    this.#entries.delete(path);
    entry.isCached = false;
    entry.unlinked = unlinked;
    if (entry.users === 0) entry.value.close(unlinked);
  }
}

/** Whether `readlink` can return this path: names that are not UTF-8 decode to the same text. */
export function isCacheablePath(path: string): boolean {
  return !path.includes('\ufffd');
}

/** Where the kernel says that a descriptor is now; a removed file has ` (deleted)` after its name. */
function currentPath({ link }: CacheEntry<unknown>): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined; // longer than readlink returns: walk instead
  }
}

export class CachedFolders {
  readonly #cache = new DescriptorCache<PinnedFolder & Cacheable>();

  /** The folder of this path, if it is still there; the caller closes it. */
  take(path: string): PinnedFolder | undefined {
    const entry = this.#cache.take(path);
    return entry && this.#lend(entry);
  }

  /** Caches a folder by its real path; the caller closes the returned one. */
  keep(path: string, folder: PinnedFolder): PinnedFolder {
    const { fd } = folder;
    if (fd === undefined || !isCacheablePath(path)) return folder;
    return this.#lend(this.#cache.keep(path, { ...folder, fd }));
  }

  #lend(entry: CacheEntry<PinnedFolder & Cacheable>): PinnedFolder {
    let open = true;
    return {
      at: entry.value.at,
      walkedAt: entry.walkedAt,
      close: () => {
        if (open) this.#cache.giveBack(entry);
        open = false;
      },
    };
  }
}
