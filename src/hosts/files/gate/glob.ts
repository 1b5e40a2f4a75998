import { readdirSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import picomatch from 'picomatch';
import { Fault } from '../../../base/fault.ts';

/** Skipped by `**`, unless the glob names them. */
const SKIPPED = new Set(['.git', 'node_modules']);

/** The same limit as for the search before a write (decision 0042): enough for a project, too low for many home folders. */
const MOST_ENTRIES = 500_000;

/**
 * The regular files below `cwd` that match a glob, relative and sorted. It follows no links to folders, so that the walk stays
 * inside and terminates. Returns a name without wildcards unchanged, whether it exists or not. Throws if there are more
 * than `most` entries to search, rather than returning a part of the result.
 */
export function expandGlob(cwd: string, glob: string, most = MOST_ENTRIES): string[] {
  const { base, isGlob } = picomatch.scan(glob);
  if (!isGlob) return [glob];
  const matches = picomatch(glob, { dot: /(^|\/)\./.test(glob) });
  const wanted = new Set([...SKIPPED].filter((name) => glob.split('/').includes(name)));
  const found: string[] = [];
  let left = most;
  const visit = (folder: string): void => {
    for (const entry of readFolder(join(cwd, folder))) {
      if (left-- === 0) throw tooMany(glob, most);
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name) || wanted.has(entry.name)) visit(name);
      } else if ((entry.isFile() || entry.isSymbolicLink()) && matches(name)) found.push(name);
    }
  };
  if (startsInside(cwd, base)) visit(base === '.' ? '' : base);
  return found.sort();
}

function tooMany(glob: string, most: number): Fault {
  return new Fault('TOOL_TOO_LARGE', `${glob} has to search more than ${most} files and folders`, {
    hint: 'begin the glob with a folder, such as docs/**/*.md, or choose a smaller folder with --cwd',
  });
}

/** A link at the start of the walk must not lead outside. */
function startsInside(cwd: string, base: string): boolean {
  try {
    return isInside(realpathSync(join(cwd, base)), realpathSync(cwd), sep);
  } catch {
    return false; // a missing folder has no matches
  }
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A folder that was removed or that this user may not list has no matches.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'EPERM') return [];
    throw error;
  }
}
