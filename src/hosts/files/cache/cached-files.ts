import { fstatSync, statfsSync, type BigIntStats } from 'node:fs';
import type { Located, OpenFile } from '../shape.ts';
import { DescriptorFile } from '../descriptor-file.ts';
import { canBeHeld, Held, type Holding } from './descriptor-cache.ts';
import { fdPath, hasFdPaths } from '../gate/pin.ts';
import { shut } from './deferred-close.ts';
import { stampOf } from '../stamp.ts';

/** For larger files the walk is a small part of the reading. */
const LARGEST = 4 << 20;
const MOST_SEEN = 64;

/** File systems whose names change through this very kernel only: ext, xfs, btrfs, tmpfs, overlay, f2fs, zfs, bcachefs. */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);

interface HeldFile {
  readonly fd: number;
  readonly stats: BigIntStats;
  close(lost: boolean): void;
}

/** Files below one root that were opened a moment ago; each has one name, and stands on the file system of the root. */
export class HeldFiles {
  readonly #dev: bigint;
  readonly #held = new Held<HeldFile>();
  /** Paths that were opened once: holding costs more than it saves when there is no second time. */
  readonly #seen = new Set<string>();
  #isLocal: boolean | undefined;

  constructor(dev: bigint) {
    this.#dev = dev;
  }

  /** The file that was opened by this path, if it stands there still and nobody has touched it since. */
  open(located: Located): OpenFile | undefined {
    const holding = this.#held.take(located.path);
    if (holding === undefined) return undefined;
    const now = fstatSync(holding.thing.fd, { bigint: true });
    if (isUntouched(now, holding.thing.stats)) return this.#lend(located, holding, now);
    // Its mode may have changed, or it has another name: the walk says whether it may be read.
    this.#held.giveBack(holding);
    this.#held.lose(located.path);
    return undefined;
  }

  /** An open file from a descriptor, which is held if its path is opened again and again. It is as old as the walk to its folder. */
  keep(located: Located, fd: number, stats: BigIntStats, walkedAt?: number): OpenFile {
    if (!this.#isSeen(located.path) || !this.#mayBeHeld(located.path, fd, stats))
      return new DescriptorFile(located, fd, stampOf(stats));
    const thing = { fd, stats, close: (lost: boolean) => shut(fd, lost) };
    return this.#lend(located, this.#held.keep(located.path, thing, walkedAt), stats);
  }

  /** Forgets a file that no longer has this path. */
  lose(path: string): void {
    this.#held.lose(path);
  }

  /** Each opening has a stamp of its own, because what was read under it is noted with it. */
  #lend(located: Located, holding: Holding<HeldFile>, stats: BigIntStats): OpenFile {
    return new DescriptorFile(located, holding.thing.fd, stampOf(stats), () => this.#held.giveBack(holding));
  }

  #isSeen(path: string): boolean {
    if (this.#seen.has(path)) return true;
    if (this.#seen.size >= MOST_SEEN) this.#seen.clear();
    this.#seen.add(path);
    return false;
  }

  #mayBeHeld(path: string, fd: number, { dev, nlink, size }: BigIntStats): boolean {
    return (
      hasFdPaths() && dev === this.#dev && nlink === 1n && size <= LARGEST && canBeHeld(path) && this.#standsLocally(fd)
    );
  }

  #standsLocally(fd: number): boolean {
    this.#isLocal ??= LOCAL.has(statfsSync(fdPath(fd)).type >>> 0);
    return this.#isLocal;
  }
}

function isUntouched(now: BigIntStats, then: BigIntStats): boolean {
  return (
    now.nlink === then.nlink && now.ctimeNs === then.ctimeNs && now.mtimeNs === then.mtimeNs && now.size === then.size
  );
}
