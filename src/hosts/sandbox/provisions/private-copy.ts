/**
 * A private copy of the folders that the runner runs from. A bound folder that is removed on the host is empty inside,
 * so a rebuild or reinstall would break every running sandbox. Bound files are not affected.
 */
import { createHash } from 'node:crypto';
import { constants, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxBind } from '../../../wire/sandbox.ts';
import type { Provisions } from '../provisions.ts';

export interface PrivateProvisions extends Provisions {
  /** The copied files, which no sandbox may change either. */
  readonly originals: readonly string[];
}

/** Copies the folders below `folder`, once for the same content. */
export async function copyProvisions(given: Provisions, folder: string): Promise<PrivateProvisions> {
  const folders = given.binds.filter(({ source }) => statSync(source).isDirectory());
  const place = join(folder, keyOf(folders));
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const unfinished = await mkdtemp(join(folder, 'new-'));
    await chmod(unfinished, 0o755);
    for (const [i, { source }] of folders.entries()) await copyAll(source, join(unfinished, `${i}`));
    await rename(unfinished, place).catch((error: NodeJS.ErrnoException) => {
      // Another process has made the same copy.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      rmSync(unfinished, { recursive: true, force: true });
    });
  }
  const binds = given.binds.map((bind) => {
    const i = folders.indexOf(bind);
    return i < 0 ? bind : { ...bind, source: join(place, `${i}`) };
  });
  return { ...given, binds, originals: given.binds.map(({ source }) => source) };
}

/** Removes the copies of earlier daemons, whose sandboxes ended with them. Call it before the first sandbox is created. */
export function sweepCopies(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Changes when a file in one of the folders changes. */
function keyOf(folders: readonly SandboxBind[]): string {
  const hash = createHash('sha256');
  for (const { source, target } of folders) {
    hash.update(`${target}\0`);
    for (const name of readdirSync(source, { recursive: true }).map(String).sort()) {
      const { size, mtimeMs } = statSync(join(source, name), { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
      hash.update(`${name}\0${size}\0${mtimeMs}\0`);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** Makes the copy readable by the user inside, whatever the umask of this process is. */
async function copyAll(source: string, target: string): Promise<void> {
  const stats = await stat(source);
  if (!stats.isDirectory()) {
    if (!stats.isFile()) return;
    await copyFile(source, target, constants.COPYFILE_FICLONE);
    await chmod(target, (stats.mode & 0o111) === 0 ? 0o644 : 0o755);
    return;
  }
  await mkdir(target);
  await chmod(target, 0o755);
  for (const name of await readdir(source)) await copyAll(join(source, name), join(target, name));
}
