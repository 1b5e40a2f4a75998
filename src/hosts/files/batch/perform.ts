import { renameSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Stamp } from '../shape.ts';
import { expectRenamed, expectContent } from '../write/staged-content.ts';
import { errnoOf } from '../faults.ts';
import { overwrite } from '../write/in-place.ts';
import type { JournalEntry, PutEntry } from './journal-entry.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import { sameContent, sameStamp } from '../stamp.ts';
import { statePart } from '../state-folder.ts';
import { RENAME_DENIED } from '../write/swap.ts';
import { stagedName } from '../write/temp.ts';
import { type Folders, removeEmpty } from './folders.ts';
import { changeMode } from './change-mode.ts';
import { makeLink, renameNoReplace, setAside } from './rename.ts';

export interface PerformOptions {
  readonly stateDir: string;
  readonly durable: boolean;
}

/** Performs an entry for the first time. If it throws, the entry has had no effect. */
export function perform(entry: JournalEntry, folders: Folders, options: PerformOptions): void {
  const folder = folders.of(entry.file);
  const path = folder.at(basename(entry.file.path));
  switch (entry.do) {
    case 'put':
      put(folder, path, entry, options);
      return;
    case 'drop':
      if (entry.aside === undefined) unlinkSync(path);
      else setAside(folder, entry.file, entry.aside, entry.old);
      return;
    case 'shift': {
      const target = folders.of(entry.to);
      if (entry.over === undefined) renameNoReplace(path, target, entry.to);
      else renameSync(path, target.at(basename(entry.to.path)));
      return;
    }
    case 'fill': {
      const staged = join(statePart(options.stateDir, 'staged'), entry.staged);
      const content = { path: staged, size: entry.size };
      const { file, old } = entry;
      const isOld = (now: Stamp): boolean => (entry.renamed === true ? sameContent(now, old) : sameStamp(now, old));
      overwrite({ target: path, name: file.path, content, backup: `${staged}.old` }, isOld, options.durable);
      removeIfThere(staged);
      return;
    }
    case 'link':
      makeLink(folder, entry.file, entry.target);
      return;
    case 'mode':
      changeMode(folder, entry.file, entry.mode);
      return;
    case 'folder':
    case 'empty': // when all others are done
      return;
  }
}

/** Renames the new content to its target, and checks before and after that it is the file that was created. */
function put(folder: PinnedFolder, path: string, entry: PutEntry, options: PerformOptions): void {
  const content = { path: folder.at(entry.temp), ino: entry.ino, size: entry.size };
  const name = entry.file.path;
  expectContent(content, name);
  if (entry.over === undefined) renameNoReplace(content.path, folder, entry.file);
  else {
    try {
      renameSync(content.path, path);
    } catch (error) {
      if (!RENAME_DENIED.has(errnoOf(error) ?? '')) throw error;
      // The target is a mount point, or this user may not replace it: write the content into the old file.
      const backup = join(statePart(options.stateDir, 'staged'), `${stagedName(entry.temp)}.old`);
      const { over } = entry;
      overwrite({ target: path, name, content, backup }, (now) => sameStamp(now, over), options.durable);
      removeIfThere(content.path);
      return;
    }
  }
  expectRenamed(path, content, name);
}

/** Removes folders that are empty by now. A file that another program put there stays with its folder. */
export function removeFolders(entries: readonly JournalEntry[], folders: Folders): void {
  for (const entry of entries)
    if (entry.do === 'empty') removeEmpty(folders.of(entry.file).at(basename(entry.file.path)));
}

/** Removes what was set aside, when the batch can no longer be rolled back. */
export function discardAsides(entries: readonly JournalEntry[], folders: Folders): void {
  for (const entry of entries)
    if (entry.do === 'drop' && entry.aside !== undefined) removeIfThere(folders.of(entry.file).at(entry.aside));
}
