/** Changes of one file that need no journal, because a single system call performs them. */
import { unlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { FileChange, OpenFile, Written } from '../shape.ts';
import { appendLocked } from '../write/append.ts';
import { expectRenamed, expectContent } from '../write/staged-content.ts';
import { notDurable, writeFault } from '../faults.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import { expectUnchanged, modeOfNew, prepareNew } from '../write/prepare.ts';
import type { OpenRecord } from '../changes/recorder-shape.ts';
import { replaceAt } from '../write/swap.ts';
import { tempName } from '../write/temp.ts';
import type { WriteOptions } from '../write/write-options.ts';
import { Folders } from './folders.ts';
import { renameNoReplace } from './rename.ts';
import { recordRemoval } from './stage.ts';

/** Writes a single change under its lock; undefined if it needs a journal. */
export function writeSingle(change: FileChange, options: WriteOptions): Written | undefined {
  const { file } = change;
  try {
    if ('moveTo' in change || 'link' in change || isOfFolder(change)) return undefined;
    if ('create' in change) return createSingle(change, options);
    if ('remove' in change) return removeSingle(change, options);
    if ('splices' in change.edit) return replaceAt(file, change.edit.splices, change.stamp, options, change.edit.old);
    return appendLocked(file, change.edit.append, options, change.stamp);
  } catch (error) {
    throw writeFault(error, file.path);
  }
}

/** Folders and permissions are rare enough to need no shorter way. */
function isOfFolder(
  change: FileChange,
): change is Extract<FileChange, { makeFolder: unknown } | { removeFolder: unknown } | { setMode: unknown }> {
  return 'makeFolder' in change || 'removeFolder' in change || 'setMode' in change;
}

function createSingle(
  { file, create, mode }: Extract<FileChange, { create: unknown }>,
  options: WriteOptions,
): Written {
  const { durable = true } = options;
  const folders = new Folders();
  const record = options.record?.();
  try {
    folders.create(folders.missing(file));
    folders.sweep(file);
    const folder = folders.of(file);
    const temp = tempName(basename(file.path), 'single');
    const made = prepareNew(folder, create, mode, { temp, flush: durable });
    const content = { ...made, path: folder.at(temp) };
    record?.add({ action: 'add', file, bytes: create, mode: modeOfNew(mode) });
    record?.publish(folders.created);
    try {
      expectContent(content, file.path);
      renameNoReplace(content.path, folder, file);
    } catch (error) {
      removeIfThere(content.path);
      throw error;
    }
    expectRenamed(folder.at(basename(file.path)), content, file.path);
    folders.touch(file);
    flush(folders, file.path, durable);
    return { path: file.path, size: made.size, changed: true };
  } catch (error) {
    undo(error, folders, record);
    throw error;
  } finally {
    folders.close();
  }
}

function removeSingle({ file, stamp }: Extract<FileChange, { remove: true }>, options: WriteOptions): Written {
  const { durable = true } = options;
  const folders = new Folders();
  const record = options.record?.();
  const open: OpenFile[] = [];
  try {
    recordRemoval(file, stamp, { folders, record, options, opened: (one) => open.push(one) });
    const folder = folders.of(file);
    record?.publish();
    expectUnchanged(folder, file, stamp);
    unlinkSync(folder.at(basename(file.path)));
    folders.touch(file);
    flush(folders, file.path, durable);
    return { path: file.path, size: 0, changed: true };
  } catch (error) {
    undo(error, folders, record);
    throw error;
  } finally {
    for (const one of open) one.close();
    folders.close();
  }
}

function flush(folders: Folders, path: string, durable: boolean): void {
  try {
    if (durable) folders.flush();
  } catch (error) {
    throw notDurable(error, path);
  }
}

/** Withdraws the record and removes the folders, unless the change was made and only its flush failed. */
function undo(error: unknown, folders: Folders, record: OpenRecord | undefined): void {
  if (error instanceof Fault && error.code === 'FS_NOT_DURABLE') return;
  record?.withdraw();
  folders.removeCreated();
}
