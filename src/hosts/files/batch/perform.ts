import { renameSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errnoOf } from '../faults.ts';
import { overwrite } from '../in-place.ts';
import type { JournalEntry, PutEntry } from '../journal-entry.ts';
import { removeIfThere } from '../lock-file.ts';
import { statePart } from '../state-folder.ts';
import { NAME_TAKEN } from '../swap.ts';
import { stagedName } from '../temp.ts';
import type { Folders } from './folders.ts';
import { giveFreeName } from './names.ts';

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
      if (entry.over === undefined) giveFreeName(folder.at(entry.temp), folder, entry.file);
      else putOver(folder.at(entry.temp), path, entry, options);
      return;
    case 'drop':
      unlinkSync(path);
      return;
    case 'shift': {
      const target = folders.of(entry.to);
      if (entry.over === undefined) giveFreeName(path, target, entry.to);
      else renameSync(path, target.at(basename(entry.to.path)));
      return;
    }
    case 'fill': {
      const content = join(statePart(options.stateDir, 'staged'), entry.staged);
      overwrite({ target: path, content, backup: `${content}.old`, durable: options.durable });
      removeIfThere(content);
      return;
    }
    case 'folder':
      return;
  }
}

/** Where something is mounted on the name, the content of the new file goes into the old one. */
function putOver(from: string, path: string, { temp }: PutEntry, { stateDir, durable }: PerformOptions): void {
  try {
    renameSync(from, path);
  } catch (error) {
    if (!NAME_TAKEN.has(errnoOf(error) ?? '')) throw error;
    const backup = join(statePart(stateDir, 'staged'), `${stagedName(temp)}.old`);
    overwrite({ target: path, content: from, backup, durable });
    removeIfThere(from);
  }
}
