/** Doing the entries of a dead batch, which may have been done already, wholly or in part, and by whom ever. */
import { existsSync, lstatSync, renameSync, unlinkSync, type BigIntStats } from 'node:fs';
import { basename, join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { Located, Stamp } from '../shape.ts';
import type { Content } from '../write/content.ts';
import { errnoOf } from '../faults.ts';
import { overwriteAgain } from '../write/in-place.ts';
import type { DropEntry, FillEntry, JournalEntry, LinkEntry, PutEntry, ShiftEntry } from './journal-entry.ts';
import { linkText } from '../gate/link-text.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import { sameContent } from '../stamp.ts';
import { stagedFolder } from '../state-folder.ts';
import { NAME_TAKEN } from '../write/swap.ts';
import { stagedName } from '../write/temp.ts';
import { removeEmpty, type Folders } from './folders.ts';
import { giveFreeName, makeLink } from './names.ts';

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
    case 'link':
      return finishLink(folder, entry);
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
  const ours = temp.isFile() && temp.ino === entry.ino && temp.size === BigInt(entry.size);
  const staged = join(stagedFolder(stateDir), stagedName(entry.temp));
  const content = { path: folder.at(entry.temp), ino: entry.ino, size: entry.size };
  const { over } = entry;
  const begun = over !== undefined && target?.ino === over.ino && existsSync(`${staged}.old`);
  if (ours && begun) return refill(folder, entry, over, content, staged);
  const free = over === undefined ? target === undefined : isStill(target, over);
  if (!free || !ours) {
    removeIfThere(folder.at(entry.temp));
    return 'conflict';
  }
  if (over === undefined) return named(() => giveFreeName(folder.at(entry.temp), folder, entry.file));
  try {
    renameSync(folder.at(entry.temp), folder.at(basename(entry.file.path)));
  } catch (error) {
    if (!NAME_TAKEN.has(errnoOf(error) ?? '')) throw error;
    return refill(folder, entry, over, content, staged);
  }
  return 'completed';
}

function finishFill(folder: PinnedFolder, entry: FillEntry, stateDir: string): Fate {
  const staged = join(stagedFolder(stateDir), entry.staged);
  if (!existsSync(staged)) return 'already';
  const content = { path: staged, size: entry.size };
  if (look(folder, basename(entry.file.path))?.ino === entry.old.ino)
    return refill(folder, entry, entry.old, content, staged);
  keep(staged);
  return 'conflict';
}

/** Fills a file again that has its old bytes, or a mixture of both; what somebody wrote to it since stays. */
function refill(folder: PinnedFolder, { file }: JournalEntry, old: Stamp, content: Content, staged: string): Fate {
  const backup = `${staged}.old`;
  const place = { target: folder.at(basename(file.path)), name: file.path, content, backup };
  if (!unlessChanged(() => overwriteAgain(place, (now) => isStill(now, old)))) {
    keep(staged);
    return 'conflict';
  }
  for (const path of [content.path, backup]) removeIfThere(path);
  return 'completed';
}

/** Nobody else has these bytes: the new ones of a file that was left alone, and its old ones if they were saved. */
function keep(staged: string): void {
  for (const path of [staged, `${staged}.old`]) if (existsSync(path)) renameSync(path, `${path}.kept`);
}

function unlessChanged(work: () => boolean): boolean {
  try {
    return work();
  } catch (error) {
    if (error instanceof Fault && error.code === 'FS_CHANGED') return false;
    throw error;
  }
}

function finishDrop(folder: PinnedFolder, { file, old, aside }: DropEntry): Fate {
  if (aside !== undefined && look(folder, aside)?.ino === old.ino) return dropped(folder.at(aside));
  const name = basename(file.path);
  const target = look(folder, name);
  if (target === undefined) return 'already';
  return isStill(target, old) ? dropped(folder.at(name)) : 'conflict';
}

/** A name that may not be removed stays; were it tried for ever, nobody could write the files of that batch again. */
function dropped(path: string): Fate {
  try {
    unlinkSync(path);
    return 'completed';
  } catch (error) {
    if (errnoOf(error) === 'EACCES' || errnoOf(error) === 'EPERM') return 'conflict';
    throw error;
  }
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

function finishLink(folder: PinnedFolder, { file, target }: LinkEntry): Fate {
  const name = basename(file.path);
  if (look(folder, name) === undefined) return named(() => makeLink(folder, file, target));
  return linkText(folder, name, file.path) === target ? 'already' : 'conflict';
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
function isStill(stats: Pick<Stamp, 'ino' | 'size' | 'mtimeNs'> | undefined, old: Stamp): boolean {
  return stats !== undefined && sameContent(stats, old);
}
