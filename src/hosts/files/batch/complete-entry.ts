/** Completes the entries of a dead batch. Each may have been performed already, wholly or in part. */
import { existsSync, lstatSync, renameSync, unlinkSync, type BigIntStats } from 'node:fs';
import { basename, join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { Located, Stamp } from '../shape.ts';
import type { StagedContent } from '../write/staged-content.ts';
import { errnoOf } from '../faults.ts';
import { overwriteAgain } from '../write/in-place.ts';
import { changeMode } from './change-mode.ts';
import type {
  DropEntry,
  FillEntry,
  JournalEntry,
  LinkEntry,
  ModeEntry,
  PutEntry,
  ShiftEntry,
} from './journal-entry.ts';
import { linkText } from '../gate/link-text.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import { sameContent } from '../stamp.ts';
import { stagedFolder } from '../state-folder.ts';
import { RENAME_DENIED } from '../write/swap.ts';
import { stagedName } from '../write/temp.ts';
import { removeEmpty, type Folders } from './folders.ts';
import { makeLink, renameNoReplace } from './rename.ts';

type EntryResult = 'completed' | 'conflict' | 'already';

/** Completes one entry. A file that another program changed since is a conflict and stays unchanged. */
export function completeEntry(entry: JournalEntry, folders: Folders, stateDir: string): EntryResult {
  const folder = folderOf(entry.file, folders);
  if (folder === undefined) return entry.do === 'drop' || entry.do === 'empty' ? 'already' : 'conflict';
  const result = completeIn(folder, entry, folders, stateDir);
  if (result === 'completed') {
    folders.touch(entry.file);
    if (entry.do === 'shift') folders.touch(entry.to);
  }
  return result;
}

function completeIn(folder: PinnedFolder, entry: JournalEntry, folders: Folders, stateDir: string): EntryResult {
  switch (entry.do) {
    case 'put':
      return completePut(folder, entry, stateDir);
    case 'drop':
      return completeDrop(folder, entry);
    case 'shift':
      return completeShift(folder, entry, folders);
    case 'fill':
      return completeFill(folder, entry, stateDir);
    case 'link':
      return completeLink(folder, entry);
    case 'mode':
      return completeMode(folder, entry);
    case 'empty':
      removeEmpty(folder.at(basename(entry.file.path)));
      return 'completed';
    case 'folder':
      return 'already';
  }
}

function completePut(folder: PinnedFolder, entry: PutEntry, stateDir: string): EntryResult {
  const temp = look(folder, entry.temp);
  if (temp === undefined) return 'already';
  const target = look(folder, basename(entry.file.path));
  if (target?.ino === entry.ino) {
    removeIfThere(folder.at(entry.temp)); // the final name is linked already; only the temporary one is left to unlink
    return 'completed';
  }
  const isExpected = temp.isFile() && temp.ino === entry.ino && temp.size === BigInt(entry.size);
  const staged = join(stagedFolder(stateDir), stagedName(entry.temp));
  const content = { path: folder.at(entry.temp), ino: entry.ino, size: entry.size };
  const { over } = entry;
  const begun = over !== undefined && target?.ino === over.ino && existsSync(`${staged}.old`);
  if (isExpected && begun) return refill(folder, entry, over, content, staged);
  const isFree = over === undefined ? target === undefined : isUnchanged(target, over);
  if (!isFree || !isExpected) {
    removeIfThere(folder.at(entry.temp));
    return 'conflict';
  }
  if (over === undefined) return unlessExists(() => renameNoReplace(folder.at(entry.temp), folder, entry.file));
  try {
    renameSync(folder.at(entry.temp), folder.at(basename(entry.file.path)));
  } catch (error) {
    if (!RENAME_DENIED.has(errnoOf(error) ?? '')) throw error;
    return refill(folder, entry, over, content, staged);
  }
  return 'completed';
}

function completeFill(folder: PinnedFolder, entry: FillEntry, stateDir: string): EntryResult {
  const staged = join(stagedFolder(stateDir), entry.staged);
  if (!existsSync(staged)) return 'already';
  const content = { path: staged, size: entry.size };
  if (look(folder, basename(entry.file.path))?.ino === entry.old.ino)
    return refill(folder, entry, entry.old, content, staged);
  keepStaged(staged);
  return 'conflict';
}

/** Overwrites a file that has its old bytes, or a mixture of old and new; bytes of another writer stay. */
function refill(
  folder: PinnedFolder,
  { file }: JournalEntry,
  old: Stamp,
  content: StagedContent,
  staged: string,
): EntryResult {
  const backup = `${staged}.old`;
  const inPlace = { target: folder.at(basename(file.path)), name: file.path, content, backup };
  if (!unlessChanged(() => overwriteAgain(inPlace, (now) => isUnchanged(now, old)))) {
    keepStaged(staged);
    return 'conflict';
  }
  for (const path of [content.path, backup]) removeIfThere(path);
  return 'completed';
}

/** Keeps the only copies of these bytes: the new content of a file that stays unchanged, and its backup. */
function keepStaged(staged: string): void {
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

function completeDrop(folder: PinnedFolder, { file, old, aside }: DropEntry): EntryResult {
  if (aside !== undefined && look(folder, aside)?.ino === old.ino) return dropped(folder.at(aside));
  const name = basename(file.path);
  const target = look(folder, name);
  if (target === undefined) return 'already';
  return isUnchanged(target, old) ? dropped(folder.at(name)) : 'conflict';
}

/** A name that may not be removed stays: trying forever would block every write to the files of that batch. */
function dropped(path: string): EntryResult {
  try {
    unlinkSync(path);
    return 'completed';
  } catch (error) {
    if (errnoOf(error) === 'EACCES' || errnoOf(error) === 'EPERM') return 'conflict';
    throw error;
  }
}

function completeShift(folder: PinnedFolder, { file, old, to, over }: ShiftEntry, folders: Folders): EntryResult {
  const target = folderOf(to, folders);
  if (target === undefined) return 'conflict';
  const from = folder.at(basename(file.path));
  const source = look(folder, basename(file.path));
  const existing = look(target, basename(to.path));
  const moved = existing?.ino === old.ino && existing.dev === source?.dev;
  if (source === undefined) return existing?.ino === old.ino ? 'already' : 'conflict';
  if (!isUnchanged(source, old)) return existing?.ino === old.ino ? 'already' : 'conflict';
  if (moved) {
    removeIfThere(from); // both names are linked: only the old one is left to unlink
    return 'completed';
  }
  if (over === undefined)
    return existing === undefined ? unlessExists(() => renameNoReplace(from, target, to)) : 'conflict';
  if (!isUnchanged(existing, over)) return 'conflict';
  renameSync(from, target.at(basename(to.path)));
  return 'completed';
}

function completeLink(folder: PinnedFolder, { file, target }: LinkEntry): EntryResult {
  const name = basename(file.path);
  if (look(folder, name) === undefined) return unlessExists(() => makeLink(folder, file, target));
  return linkText(folder, name, file.path) === target ? 'already' : 'conflict';
}

function completeMode(folder: PinnedFolder, { file, mode }: ModeEntry): EntryResult {
  const stats = look(folder, basename(file.path));
  if (stats?.isFile() !== true && stats?.isDirectory() !== true) return 'conflict';
  changeMode(folder, file, mode);
  return 'completed';
}

/** Removes the temporary files and the empty folders of a batch that was not committed. */
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

function unlessExists(work: () => void): EntryResult {
  try {
    work();
    return 'completed';
  } catch (error) {
    if (error instanceof Fault && error.code === 'FS_EXISTS') return 'conflict';
    throw error;
  }
}

/** The folder of a file; undefined if it is missing or was replaced. */
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

/** Ignores the device number, which a reboot may change, and ctime, which a rename or chmod changes. */
function isUnchanged(stats: Pick<Stamp, 'ino' | 'size' | 'mtimeNs'> | undefined, old: Stamp): boolean {
  return stats !== undefined && sameContent(stats, old);
}
