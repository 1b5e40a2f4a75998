import { renameSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Stamp } from '../shape.ts';
import { expectArrived, expectContent } from '../write/content.ts';
import { errnoOf } from '../faults.ts';
import { overwrite } from '../write/in-place.ts';
import type { JournalEntry, PutEntry } from './journal-entry.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import { sameContent, sameStamp } from '../stamp.ts';
import { statePart } from '../state-folder.ts';
import { NAME_TAKEN } from '../write/swap.ts';
import { stagedName } from '../write/temp.ts';
import type { Folders } from './folders.ts';
import { giveFreeName, makeLink, setAside } from './names.ts';

export interface PerformOptions {
  readonly stateDir: string;
  readonly durable: boolean;
}

/** Does what an entry of the journal says, for the first time; when it fails, nothing of this entry has happened. */
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
      if (entry.over === undefined) giveFreeName(path, target, entry.to);
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
    case 'folder':
      return;
  }
}

/** The new content takes its name, provided that it is still the file that was made, and has it then. */
function put(folder: PinnedFolder, path: string, entry: PutEntry, options: PerformOptions): void {
  const content = { path: folder.at(entry.temp), ino: entry.ino, size: entry.size };
  const name = entry.file.path;
  expectContent(content, name);
  if (entry.over === undefined) giveFreeName(content.path, folder, entry.file);
  else {
    try {
      renameSync(content.path, path);
    } catch (error) {
      if (!NAME_TAKEN.has(errnoOf(error) ?? '')) throw error;
      // Something is mounted on the name, or it is not ours to move: the content goes into the old file.
      const backup = join(statePart(options.stateDir, 'staged'), `${stagedName(entry.temp)}.old`);
      const { over } = entry;
      overwrite({ target: path, name, content, backup }, (now) => sameStamp(now, over), options.durable);
      removeIfThere(content.path);
      return;
    }
  }
  expectArrived(path, content, name);
}

/** Removes for good what was only set aside; the batch is past the point where it could be taken back. */
export function discardAsides(entries: readonly JournalEntry[], folders: Folders): void {
  for (const entry of entries)
    if (entry.do === 'drop' && entry.aside !== undefined) removeIfThere(folders.of(entry.file).at(entry.aside));
}
