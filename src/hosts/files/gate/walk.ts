/**
 * The careful walk: from a pinned root name by name, each folder pinned in its turn. Links inside are followed as long
 * as they stay inside (an absolute one starts again at the root), `..` goes back one real folder, and whoever would
 * go above the root is refused. It says what stands at the end; nothing is opened but folders.
 */
import { isUtf8 } from 'node:buffer';
import { type BigIntStats, lstatSync, statfsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { errnoOf, readFault } from '../faults.ts';
import { linkBytes } from './link-text.ts';
import { pinEntry, type PinnedFolder } from './pin.ts';
import { leadsTo, linkNoText, missing, outsideRoot, tooDeep, tooManyLinks, unsettled } from './refusals.ts';
import type { Root } from './root.ts';
import { stepsBelow, splitPath } from './steps.ts';

/** Names from the root down, links followed: each folder is held open, and a write walks the way several times. */
export const MOST_DEEP = 256;
/** As many as Linux itself follows. */
const MOST_LINKS = 40;
/** How often a name may turn into something else between two looks at it. */
const MOST_SWAPS = 100;

/** Where a walk ended. The folders in it are closed when the walk's caller is done. */
export type Arrival = Ending & {
  /** The whole path at each link that was followed: where the link is, and what was still to go. */
  readonly followed: readonly string[];
};

type Ending =
  | { readonly stands: 'folder'; readonly folder: PinnedFolder; readonly path: string; readonly stats?: BigIntStats }
  /** A file, or anything else that is no folder; a link only when it was asked for itself. */
  | {
      readonly stands: 'entry';
      readonly parent: PinnedFolder;
      readonly name: string;
      readonly path: string;
      readonly stats: BigIntStats;
    }
  /** The first of `missing` does not exist in `parent`, and so the others do not exist either. */
  | {
      readonly stands: 'nothing';
      readonly parent: PinnedFolder;
      readonly missing: readonly [string, ...string[]];
      readonly path: string;
      /** The path ends with a slash, or with `/.`. */
      readonly wantsFolder: boolean;
    };

export interface WalkRequest {
  readonly root: Root;
  /** Names, `.`, `..`; an empty one at the end stands for a slash there. */
  readonly steps: readonly string[];
  /** The path as it was asked for, for messages. */
  readonly asked: string;
  /** Whether a link at the very end is followed. */
  readonly leaf: 'target' | 'itself';
}

interface Step {
  readonly name: string;
  readonly folder: PinnedFolder;
  readonly stats: BigIntStats;
}

/** Walks and hands over what was found; the folders that were pinned on the way are closed afterwards. */
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
        ahead.push(name); // it was no link any more in this very moment
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
      return { stands: 'entry', parent, name, path, stats };
    }
    const folder = enter(parent, name, path);
    if (folder !== undefined) trail.push({ name, folder, stats });
    else if (++swaps > MOST_SWAPS) throw unsettled(asked);
    else ahead.push(name);
  }
  const here = trail.at(-1);
  return { stands: 'folder', folder: here?.folder ?? root.folder, path: pathTo(), ...(here && { stats: here.stats }) };
}

function nothing(
  parent: PinnedFolder,
  rest: readonly string[],
  path: string,
  asked: string,
): Ending & { stands: 'nothing' } {
  const [first, ...others] = rest.filter((name) => name !== '' && name !== '.');
  if (others.includes('..')) throw missing(asked, path, []);
  return {
    stands: 'nothing',
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

/** Undefined when what was a folder a moment ago is none now. */
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
  // Read as text, such bytes would name another file.
  if (target !== undefined && !isUtf8(target)) throw linkNoText(path);
  return target?.toString();
}

/** File systems that are a view of the kernel and hold no files of anybody's. */
const KERNEL_VIEWS: ReadonlyMap<number, string> = new Map([
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
 * Refuses what stands on a file system of the kernel's: reading there tells secrets of processes, and writing there
 * steers the machine. Asked only where a mount begins; the file system of the root itself is the operator's choice.
 */
function refuseSpecialMount(at: string, path: string): void {
  if (process.platform !== 'linux') return;
  let type: number;
  try {
    type = statfsSync(at).type >>> 0;
  } catch (error) {
    throw readFault(error, path);
  }
  const name = KERNEL_VIEWS.get(type);
  if (name === undefined) return;
  throw new Fault('FS_SPECIAL_MOUNT', `${path} stands on ${name}, a view of the kernel and not a place for files`, {
    hint: 'name a file on an ordinary file system',
    details: { path, mount: name },
  });
}
