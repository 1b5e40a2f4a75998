/** What the host obeys in a folder at one moment, and what changed between two. */
import { dirname } from 'node:path';
import type { EntryKind } from './file-stamp.ts';
import { isPassedOver, type Unsearched } from './scan.ts';

/**
 * One file or folder that is new or other than before. `reached`: it is in a build folder, and a link leads there now.
 * `gone`: it was removed or moved away. For `not-searched` the reader is the reason.
 */
export interface ObeyedDifference {
  readonly path: string;
  readonly reader: string;
  readonly change: 'new' | 'changed' | 'reached' | 'gone' | 'not-searched' | 'second-name';
  /** How many more there are like this one. */
  readonly more?: number;
  /** It happened while no command ran: the host did it, or a process that a command left behind. */
  readonly sinceLastCommand?: true;
}

/** One file or folder at one moment. */
export interface Stamped {
  readonly stamp: string;
  /** `dev:ino`. */
  readonly identity: string;
  readonly reader: string;
  /** The path that a file named, and that this is at or below; absent for what is obeyed by its own name. */
  readonly root?: string;
  readonly kind: EntryKind;
  /** Other names of the file exist, so that it can be written without its path. */
  readonly hasOtherName: boolean;
}

/** What the host obeys in a folder at one moment. */
export interface Fingerprint {
  readonly entries: ReadonlyMap<string, Stamped>;
  /** Paths that files name, whether they exist or not. */
  readonly roots: ReadonlySet<string>;
  /** Paths that a sandbox which is opened now guards, or is refused because of. */
  readonly toGuard: ReadonlySet<string>;
  /** Paths that exist and are obeyed only with other names beside them, which are missing. */
  readonly waiting: ReadonlySet<string>;
  /** Folders in build folders that were searched because of a link. */
  readonly reached: ReadonlySet<string>;
  readonly unsearched: readonly Unsearched[];
}

/**
 * What is new, changed or gone; of a new folder and of one that is gone only itself is told. What was not searched is told every
 * time. `isThere` says of what is obeyed no longer whether it still exists.
 */
export function differencesOf(
  before: Fingerprint,
  after: Fingerprint,
  isThere: (path: string) => boolean = () => false,
): ObeyedDifference[] {
  const differences: ObeyedDifference[] = [];
  const isNew = new Set<string>();
  for (const [path, { stamp, reader, root, kind }] of after.entries) {
    const was = before.entries.get(path);
    if (was?.stamp === stamp) continue;
    // A folder has no content of its own, so that nothing else can be a changed one.
    const old = was?.kind === 'folder' && kind !== 'folder' ? undefined : was;
    // What was not obeyed before is obeyed because something else changed, which is told.
    if (old === undefined && (before.waiting.has(path) || (root !== undefined && !before.roots.has(root)))) continue;
    if (old === undefined && isNew.has(dirname(path))) {
      isNew.add(path);
      continue;
    }
    // A folder in the place of a file is a change of that file, with all that is in the folder.
    if (old === undefined || (old.kind !== 'folder' && kind === 'folder')) isNew.add(path);
    const isReached = root === undefined && isPassedOver(path, before.reached);
    differences.push({ path, reader, change: old !== undefined ? 'changed' : isReached ? 'reached' : 'new' });
  }
  const isGone = new Set<string>();
  for (const [path, { reader, root }] of before.entries) {
    // A script that is named and missing runs no program.
    if (root !== undefined || after.entries.has(path) || isThere(path)) continue;
    if (!isGone.has(dirname(path))) differences.push({ path, reader, change: 'gone' });
    isGone.add(path);
  }
  for (const { path, why } of after.unsearched) differences.push({ path, reader: why, change: 'not-searched' });
  return differences;
}
