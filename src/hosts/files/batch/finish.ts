/** Doing the entries of a dead batch, which may have been done already, wholly or in part, and by whom ever. */
import { existsSync, lstatSync, renameSync, unlinkSync, type BigIntStats } from 'node:fs';
import { basename, join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { Located, Stamp } from '../../host.ts';
import { errnoOf } from '../faults.ts';
import { overwriteAgain } from '../in-place.ts';
import type { DropEntry, FillEntry, JournalEntry, PutEntry, ShiftEntry } from '../journal-entry.ts';
import { removeIfThere } from '../lock-file.ts';
import type { PinnedFolder } from '../pin.ts';
import { stagedFolder } from '../state-folder.ts';
import { NAME_TAKEN } from '../swap.ts';
import { stagedName } from '../temp.ts';
import { removeEmpty, type Folders } from './folders.ts';
import { giveFreeName } from './names.ts';

export type Fate = 'completed' | 'conflict' | 'already';

/** Completes one entry. A file that somebody else changed since is a conflict and is left alone. */
export function finish(entry: JournalEntry, folders: Folders, stateDir: string): Fate {
  const folder = folderOf(entry.file, folders);
  if (folder === undefined) return entry.do === 'drop' ? 'already' : 'conflict';
  const fate = finishIn(folder, entry, folders, stateDir);
  if (fate === 'completed') {
    folders.touch(entry.file);
    if (entry.do === 'shift') folders.touch(entry.to);
  }
  return fate;
}

function finishIn(folder: PinnedFolder, entry: JournalEntry, folders: Folders, stateDir: string): Fate {
  switch (entry.do) {
    case 'put':
      return finishPut(folder, entry, stateDir);
    case 'drop':
      return finishDrop(folder, entry);
    case 'shift':
      return finishShift(folder, entry, folders);
    case 'fill':
      return finishFill(folder, entry, stateDir);
    case 'folder':
      return 'already';
  }
}

function finishPut(folder: PinnedFolder, entry: PutEntry, stateDir: string): Fate {
  const temp = look(folder, entry.temp);
  if (temp === undefined) return 'already';
  const target = look(folder, basename(entry.file.path));
  if (target?.ino === entry.ino) {
    removeIfThere(folder.at(entry.temp)); // it has its name already; only the unfinished one was still to go
    return 'completed';
  }
  const backup = join(stagedFolder(stateDir), `${stagedName(entry.temp)}.old`);
  if (existsSync(backup) && target?.ino === entry.over?.ino) return fill(folder, entry, folder.at(entry.temp), backup);
  const free = entry.over === undefined ? target === undefined : isStill(target, entry.over);
  if (!free || temp.ino !== entry.ino || temp.size !== BigInt(entry.size)) {
    removeIfThere(folder.at(entry.temp));
    return 'conflict';
  }
  if (entry.over === undefined) return named(() => giveFreeName(folder.at(entry.temp), folder, entry.file));
  try {
    renameSync(folder.at(entry.temp), folder.at(basename(entry.file.path)));
  } catch (error) {
    if (!NAME_TAKEN.has(errnoOf(error) ?? '')) throw error;
    return fill(folder, entry, folder.at(entry.temp), backup);
  }
  return 'completed';
}

/** A file that was being written in place may have any content, but it is the same file. */
function finishFill(folder: PinnedFolder, entry: FillEntry, stateDir: string): Fate {
  const content = join(stagedFolder(stateDir), entry.staged);
  const backup = `${content}.old`;
  if (!existsSync(content)) return 'already';
  if (look(folder, basename(entry.file.path))?.ino === entry.old.ino) return fill(folder, entry, content, backup);
  for (const path of [content, backup]) removeIfThere(path);
  return 'conflict';
}

function fill(folder: PinnedFolder, { file }: JournalEntry, content: string, backup: string): Fate {
  overwriteAgain(folder.at(basename(file.path)), content);
  for (const path of [content, backup]) removeIfThere(path);
  return 'completed';
}

function finishDrop(folder: PinnedFolder, { file, old }: DropEntry): Fate {
  const name = basename(file.path);
  const target = look(folder, name);
  if (target === undefined) return 'already';
  if (!isStill(target, old)) return 'conflict';
  unlinkSync(folder.at(name));
  return 'completed';
}

function finishShift(folder: PinnedFolder, { file, old, to, over }: ShiftEntry, folders: Folders): Fate {
  const target = folderOf(to, folders);
  if (target === undefined) return 'conflict';
  const from = folder.at(basename(file.path));
  const source = look(folder, basename(file.path));
  const standing = look(target, basename(to.path));
  const moved = standing?.ino === old.ino && standing.dev === source?.dev;
  if (source === undefined) return standing?.ino === old.ino ? 'already' : 'conflict';
  if (!isStill(source, old)) return standing?.ino === old.ino ? 'already' : 'conflict';
  if (moved) {
    removeIfThere(from); // both names stand: only the old one was still to go
    return 'completed';
  }
  if (over === undefined) return standing === undefined ? named(() => giveFreeName(from, target, to)) : 'conflict';
  if (!isStill(standing, over)) return 'conflict';
  renameSync(from, target.at(basename(to.path)));
  return 'completed';
}

/** Removes the unfinished files and the empty folders of a batch that never counted as done. */
export function clearUnfinished(entries: readonly JournalEntry[], folders: Folders, stateDir: string): void {
  for (const entry of entries) {
    if (entry.do === 'put') {
      const staged = join(stagedFolder(stateDir), stagedName(entry.temp));
      for (const path of [staged, `${staged}.old`]) removeIfThere(path);
      const folder = folderOf(entry.file, folders);
      if (folder !== undefined) removeIfThere(folder.at(entry.temp));
    }
  }
  for (const entry of entries.toReversed()) {
    if (entry.do !== 'folder') continue;
    const folder = folderOf(entry.file, folders);
    if (folder !== undefined) removeEmpty(folder.at(basename(entry.file.path)));
  }
}

function named(give: () => void): Fate {
  try {
    give();
    return 'completed';
  } catch (error) {
    if (error instanceof Fault && error.code === 'FS_EXISTS') return 'conflict';
    throw error;
  }
}

/** The folder of a file; undefined when it is gone or is another one now. */
function folderOf(file: Located, folders: Folders): PinnedFolder | undefined {
  try {
    return folders.of(file);
  } catch (error) {
    if (error instanceof Fault && (error.code === 'FS_NOT_FOUND' || error.code === 'FS_CHANGED')) return undefined;
    throw error;
  }
}

function look(folder: PinnedFolder, name: string): BigIntStats | undefined {
  return lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
}

/** Neither the device number, which a restart may change, nor the time of a change of mode or name counts here. */
function isStill(stats: BigIntStats | undefined, old: Stamp): boolean {
  return stats?.ino === old.ino && stats.size === old.size && stats.mtimeNs === old.mtimeNs;
}
