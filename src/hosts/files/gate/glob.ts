import { readdirSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import picomatch from 'picomatch';
import { Fault } from '../../../base/fault.ts';

/** Folders that nobody means by `**`; name them in the glob to search them. */
const SKIPPED = new Set(['.git', 'node_modules']);

/** As for the search before a write (decision 0042): enough for a project, too few for many home folders. */
const MOST_ENTRIES = 500_000;

/**
 * The regular files below `cwd` that a glob names, relative and sorted. Links to folders are not followed, so the walk
 * stays inside and ends. A name without wildcards is returned as it is, whether it exists or not. Throws where there is more to
 * look through than `most` files and folders: a part of the answer is not given as the whole.
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
  return new Fault('TOOL_TOO_LARGE', `${glob} looks through more than ${most} files and folders`, {
    hint: 'begin the glob with a folder, such as docs/**/*.md, or choose a smaller folder with --cwd',
  });
}

/** A link may stand where the walk begins; the names of another place are nobody's business. */
function startsInside(cwd: string, base: string): boolean {
  try {
    return isInside(realpathSync(join(cwd, base)), realpathSync(cwd), sep);
  } catch {
    return false; // what does not exist holds nothing to search
  }
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A folder that vanished or that this user may not list holds nothing to search.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'EPERM') return [];
    throw error;
  }
}
