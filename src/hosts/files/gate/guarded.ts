/**
 * Files that a running sandbox guards with a mount. A rename over such a file would bypass its guard, so Pincer writes into the
 * file itself, with a backup of the old bytes in the state folder.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../process/is-alive.ts';

const FOLDER = join('sandboxes', 'guarded');

/** Records which files a sandbox of this process guards; returns a function that removes the record. */
export function noteGuarded(stateDir: string, id: string, paths: readonly string[]): () => void {
  if (paths.length === 0) return () => {};
  const folder = join(stateDir, FOLDER);
  const note = join(folder, `${process.pid}-${id}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(note, paths.join('\0'), { mode: 0o600 });
  return () => rmSync(note, { force: true });
}

export function isGuarded(path: string, stateDir: string): boolean {
  return notes(join(stateDir, FOLDER)).some((note) => pathsIn(note).includes(path));
}

function notes(folder: string): string[] {
  try {
    // A killed process leaves its records behind.
    return readdirSync(folder)
      .filter((name) => isAlive(Number.parseInt(name, 10)))
      .map((name) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function pathsIn(note: string): string[] {
  try {
    return readFileSync(note, 'utf8').split('\0');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []; // its sandbox has just ended
    throw error;
  }
}
