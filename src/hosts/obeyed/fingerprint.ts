/** A snapshot of the obeyed files in a folder, and the differences between two snapshots. */
import { dirname } from 'node:path';
import type { EntryKind } from './file-stamp.ts';
import { isInUnsearchedBuildFolder, type Unsearched } from './scan.ts';

/**
 * One new, changed or removed file or folder. `reached`: it is in a build folder that a symlink now points into. `gone`: it
 * was removed or moved. For `not-searched`, `reader` is the reason.
 */
export interface ObeyedDifference {
  readonly path: string;
  readonly reader: string;
  readonly change: 'new' | 'changed' | 'reached' | 'gone' | 'not-searched' | 'second-name';
  /** The number of further differences of this kind. */
  readonly more?: number;
  /** It happened while no command ran: by the host, or by a background process in the sandbox. */
  readonly sinceLastCommand?: true;
}

export interface FingerprintEntry {
  readonly stamp: string;
  /** `dev:ino`. */
  readonly identity: string;
  readonly reader: string;
  /** The path that another file names and that contains this one; absent for a file that is obeyed by its own name. */
  readonly root?: string;
  readonly kind: EntryKind;
  /** It has further hard links, through which it can be written. */
  readonly hasOtherName: boolean;
}

export interface Fingerprint {
  readonly entries: ReadonlyMap<string, FingerprintEntry>;
  /** Paths that obeyed files name, whether they exist or not. */
  readonly roots: ReadonlySet<string>;
  /** Paths that a sandbox opened now would guard, or would be refused for. */
  readonly toGuard: ReadonlySet<string>;
  /** Paths that exist but are obeyed only together with a sibling that is missing. */
  readonly inactive: ReadonlySet<string>;
  /** Folders in build folders that were searched because a symlink points to them. */
  readonly reached: ReadonlySet<string>;
  readonly unsearched: readonly Unsearched[];
}

/**
 * New, changed and removed paths; for a new or removed folder only the folder itself. Unsearched paths are reported every time.
 * `exists` checks whether a path that is no longer obeyed still exists.
 */
export function differencesOf(
  before: Fingerprint,
  after: Fingerprint,
  exists: (path: string) => boolean = () => false,
): ObeyedDifference[] {
  const differences: ObeyedDifference[] = [];
  const isNew = new Set<string>();
  for (const [path, { stamp, reader, root, kind }] of after.entries) {
    const was = before.entries.get(path);
    if (was?.stamp === stamp) continue;
    // A folder has no content of its own, so another kind in its place counts as new.
    const old = was?.kind === 'folder' && kind !== 'folder' ? undefined : was;
    // This path is obeyed only because another file changed, and that file is reported.
    if (old === undefined && (before.inactive.has(path) || (root !== undefined && !before.roots.has(root)))) continue;
    if (old === undefined && isNew.has(dirname(path))) {
      isNew.add(path);
      continue;
    }
    // A folder in place of a file is a change of that file; the folder's entries are part of it.
    if (old === undefined || (old.kind !== 'folder' && kind === 'folder')) isNew.add(path);
    const isReached = root === undefined && isInUnsearchedBuildFolder(path, before.reached);
    differences.push({ path, reader, change: old !== undefined ? 'changed' : isReached ? 'reached' : 'new' });
  }
  const isGone = new Set<string>();
  for (const [path, { reader, root }] of before.entries) {
    // A missing script runs no program.
    if (root !== undefined || after.entries.has(path) || exists(path)) continue;
    if (!isGone.has(dirname(path))) differences.push({ path, reader, change: 'gone' });
    isGone.add(path);
  }
  for (const { path, why } of after.unsearched) differences.push({ path, reader: why, change: 'not-searched' });
  return differences;
}
