import { fstatSync, statfsSync, type BigIntStats } from 'node:fs';
import type { Located, OpenFile } from '../shape.ts';
import { DescriptorFile } from '../descriptor-file.ts';
import { DescriptorCache, isCacheablePath, type CacheEntry } from './descriptor-cache.ts';
import { fdPath, hasFdPaths } from '../gate/pin.ts';
import { closeDeferred } from './deferred-close.ts';
import { stampOf } from '../stamp.ts';

/** Reading a larger file takes much longer than the walk to it. */
const LARGEST = 4 << 20;
const MOST_SEEN = 64;

/** File systems whose entries change only through this kernel: ext, xfs, btrfs, tmpfs, overlay, f2fs, zfs, bcachefs. */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);

interface CachedFile {
  readonly fd: number;
  readonly stats: BigIntStats;
  close(unlinked: boolean): void;
}

/** Recently opened files below one root; each has one link and is on the file system of the root. */
export class CachedFiles {
  readonly #dev: bigint;
  readonly #cache = new DescriptorCache<CachedFile>();
  /** Paths that were opened once: caching costs more than it saves if there is no second time. */
  readonly #seen = new Set<string>();
  #isLocal: boolean | undefined;

  constructor(dev: bigint) {
    this.#dev = dev;
  }

  /** The cached file, if it still has this path and has not changed. */
  open(located: Located): OpenFile | undefined {
    const entry = this.#cache.take(located.path);
    if (entry === undefined) return undefined;
    const now = fstatSync(entry.value.fd, { bigint: true });
    if (isUnchanged(now, entry.value.stats)) return this.#lend(located, entry, now);
    // Its mode or its links may have changed: the walk decides whether it may be read.
    this.#cache.giveBack(entry);
    this.#cache.remove(located.path);
    return undefined;
  }

  /** Wraps a descriptor, and caches it if its path was opened before. `walkedAt` is the time of the walk to its folder. */
  keep(located: Located, fd: number, stats: BigIntStats, walkedAt?: number): OpenFile {
    if (!this.#isSeen(located.path) || !this.#isCacheable(located.path, fd, stats))
      return new DescriptorFile(located, fd, stampOf(stats));
    const file = { fd, stats, close: (unlinked: boolean) => closeDeferred(fd, unlinked) };
    return this.#lend(located, this.#cache.keep(located.path, file, walkedAt), stats);
  }

  /** Removes a file that no longer has this path. */
  remove(path: string): void {
    this.#cache.remove(path);
  }

  /** Each open file has its own stamp object, because the checksum of what was read is kept with it. */
  #lend(located: Located, entry: CacheEntry<CachedFile>, stats: BigIntStats): OpenFile {
    return new DescriptorFile(located, entry.value.fd, stampOf(stats), () => this.#cache.giveBack(entry));
  }

  #isSeen(path: string): boolean {
    if (this.#seen.has(path)) return true;
    if (this.#seen.size >= MOST_SEEN) this.#seen.clear();
    this.#seen.add(path);
    return false;
  }

  #isCacheable(path: string, fd: number, { dev, nlink, size }: BigIntStats): boolean {
    return (
      hasFdPaths() &&
      dev === this.#dev &&
      nlink === 1n &&
      size <= LARGEST &&
      isCacheablePath(path) &&
      this.#isOnLocalDisk(fd)
    );
  }

  #isOnLocalDisk(fd: number): boolean {
    this.#isLocal ??= LOCAL.has(statfsSync(fdPath(fd)).type >>> 0);
    return this.#isLocal;
  }
}

function isUnchanged(now: BigIntStats, then: BigIntStats): boolean {
  return (
    now.nlink === then.nlink && now.ctimeNs === then.ctimeNs && now.mtimeNs === then.mtimeNs && now.size === then.size
  );
}
