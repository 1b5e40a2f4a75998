/**
 * The careful walk: from a pinned root name by name, pinning each folder. It follows links that stay inside (an absolute one
 * starts again at the root), `..` goes to the parent of the real folder, and a step above the root is refused. It reports
 * what is at the end and opens folders only.
 */
import { isUtf8 } from 'node:buffer';
import { type BigIntStats, lstatSync, statfsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { errnoOf, readFault } from '../faults.ts';
import { linkBytes } from './link-text.ts';
import { pinEntry, type PinnedFolder } from './pin.ts';
import { leadsTo, linkNotUtf8, missing, outsideRoot, tooDeep, tooManyLinks, unsettled } from './refusals.ts';
import type { Root } from './root.ts';
import { stepsBelow, splitPath } from './steps.ts';

/** Depth below the root: each folder costs a descriptor, and a write walks several times. */
export const MOST_DEEP = 256;
/** The limit of Linux. */
const MOST_LINKS = 40;
/** How often an entry may change its type between lstat and open. */
const MOST_SWAPS = 100;

/** Where a walk ended. Its folders are closed after the caller has used them. */
export type Arrival = Ending & {
  /** For each followed link, the whole path: the link with the rest of the walk behind it. */
  readonly followed: readonly string[];
};

type Ending =
  | { readonly type: 'folder'; readonly folder: PinnedFolder; readonly path: string; readonly stats?: BigIntStats }
  /** A file or anything else that is not a folder; a link only with `leaf: 'itself'`. */
  | {
      readonly type: 'entry';
      readonly parent: PinnedFolder;
      readonly name: string;
      readonly path: string;
      readonly stats: BigIntStats;
    }
  /** The first name of `missing` does not exist in `parent`, and so the others do not exist either. */
  | {
      readonly type: 'nothing';
      readonly parent: PinnedFolder;
      readonly missing: readonly [string, ...string[]];
      readonly path: string;
      /** The path ends with `/` or `/.`. */
      readonly wantsFolder: boolean;
    };

export interface WalkRequest {
  readonly root: Root;
  /** Names, `.`, `..`; an empty one at the end means a final slash. */
  readonly steps: readonly string[];
  /** The requested path, for messages. */
  readonly asked: string;
  readonly leaf: 'target' | 'itself';
}

interface Step {
  readonly name: string;
  readonly folder: PinnedFolder;
  readonly stats: BigIntStats;
}

/** Walks, passes the result to `arrive`, and then closes the pinned folders. */
export function walk<T>(request: WalkRequest, arrive: (arrival: Arrival) => T): T {
  const trail: Step[] = [];
  try {
    const followed: string[] = [];
    return arrive({ ...go(request, trail, followed), followed });
  } finally {
    for (const step of trail) step.folder.close();
  }
}

function go({ root, steps, asked, leaf }: WalkRequest, trail: Step[], followed: string[]): Ending {
  const ahead = [...steps].reverse();
  let links = 0;
  let swaps = 0;
  let why = 'the path goes above it';
  const pathTo = (...names: readonly string[]): string => join(root.path, ...trail.map((step) => step.name), ...names);

  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      const left = trail.pop();
      left?.folder.close();
      if (left === undefined && root.path !== '/') throw outsideRoot(asked, root.path, why);
      continue;
    }
    if (trail.length >= MOST_DEEP) throw tooDeep(asked, MOST_DEEP);
    const here = trail.at(-1);
    const parent = here?.folder ?? root.folder;
    const path = pathTo(name);
    const stats = look(parent, name, path);
    if (stats === undefined) {
      const ending = nothing(parent, [name, ...ahead.toReversed()], path, asked);
      if (trail.length + ending.missing.length > MOST_DEEP) throw tooDeep(asked, MOST_DEEP);
      return ending;
    }
    const isLink = stats.isSymbolicLink();
    if (isLink && (leaf === 'target' || ahead.length > 0)) {
      if (++links > MOST_LINKS) throw tooManyLinks(asked);
      const target = targetOf(parent, name, path);
      if (target === undefined) {
        ahead.push(name); // it is not a link any more
        continue;
      }
      why = leadsTo(path, target);
      followed.push(join(path, ...ahead.toReversed()));
      let way: readonly string[] | undefined = splitPath(target);
      if (isAbsolute(target)) {
        way = stepsBelow(root, target);
        if (way === undefined) throw outsideRoot(asked, root.path, why);
        for (const step of trail.splice(0)) step.folder.close();
      }
      for (const step of way.toReversed()) ahead.push(step);
      continue;
    }
    if (!isLink && stats.dev !== (here?.stats.dev ?? root.dev)) refuseSpecialMount(parent.at(name), path);
    if (!stats.isDirectory()) {
      if (ahead.length > 0) throw missing(asked, join(path, ...ahead.toReversed()), []);
      return { type: 'entry', parent, name, path, stats };
    }
    const folder = enter(parent, name, path);
    if (folder !== undefined) trail.push({ name, folder, stats });
    else if (++swaps > MOST_SWAPS) throw unsettled(asked);
    else ahead.push(name);
  }
  const here = trail.at(-1);
  return { type: 'folder', folder: here?.folder ?? root.folder, path: pathTo(), ...(here && { stats: here.stats }) };
}

function nothing(
  parent: PinnedFolder,
  rest: readonly string[],
  path: string,
  asked: string,
): Ending & { type: 'nothing' } {
  const [first, ...others] = rest.filter((name) => name !== '' && name !== '.');
  if (others.includes('..')) throw missing(asked, path, []);
  return {
    type: 'nothing',
    parent,
    missing: [first!, ...others],
    path: join(path, ...others),
    wantsFolder: rest.at(-1) === '' || rest.at(-1) === '.',
  };
}

function look(parent: PinnedFolder, name: string, path: string): BigIntStats | undefined {
  try {
    return lstatSync(parent.at(name), { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw readFault(error, path);
  }
}

/** Undefined if the entry is not a folder any more. */
function enter(parent: PinnedFolder, name: string, path: string): PinnedFolder | undefined {
  try {
    return pinEntry(parent, name);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw readFault(error, path);
  }
}

function targetOf(parent: PinnedFolder, name: string, path: string): string | undefined {
  const target = linkBytes(parent, name, path);
  // Decoded as text, such bytes would name another file.
  if (target !== undefined && !isUtf8(target)) throw linkNotUtf8(path);
  return target?.toString();
}

/** Virtual file systems of the kernel, which store no files of users. */
const KERNEL_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x9fa0, 'procfs'],
  [0x62656572, 'sysfs'],
  [0x27e0eb, 'cgroup'],
  [0x63677270, 'cgroup2'],
  [0x64626720, 'debugfs'],
  [0x74726163, 'tracefs'],
  [0x73636673, 'securityfs'],
  [0xcafe4a11, 'bpf'],
  [0x62656570, 'configfs'],
  [0x1cd1, 'devpts'],
  [0x6165676c, 'pstore'],
  [0xde5e81e4, 'efivarfs'],
  [0xf97cff8c, 'selinuxfs'],
  [0x43415d53, 'smackfs'],
  [0x42494e4d, 'binfmt_misc'],
  [0x19800202, 'mqueue'],
  [0x6e736673, 'nsfs'],
  [0x65735543, 'fusectl'],
]);

/**
 * Refuses file systems of the kernel: reading there reveals secrets of processes, and writing there controls the machine.
 * Called at mount points only; the operator chose the file system of the root.
 */
function refuseSpecialMount(at: string, path: string): void {
  if (process.platform !== 'linux') return;
  let type: number;
  try {
    type = statfsSync(at).type >>> 0;
  } catch (error) {
    throw readFault(error, path);
  }
  const name = KERNEL_FILE_SYSTEMS.get(type);
  if (name === undefined) return;
  throw new Fault('FS_SPECIAL_MOUNT', `${path} is on ${name}, a virtual file system of the kernel`, {
    hint: 'name a file on an ordinary file system',
    details: { path, mount: name },
  });
}
