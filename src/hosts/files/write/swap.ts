import { renameSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ByteSplice, Located, Stamp, Written } from '../shape.ts';
import { expectContent, expectRenamed } from './staged-content.ts';
import { fileChanged, errnoOf, notDurable } from '../faults.ts';
import { isGuarded } from '../gate/guarded.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import { pinParent } from '../gate/parent.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import {
  copyAttributesToDrafts,
  discardDraft,
  draftSpliced,
  expectUnchanged,
  finishDraft,
  hardLinked,
  type Draft,
  type Prepared,
} from './prepare.ts';
import { remembered } from '../cache/remembered.ts';
import { openSource, type WriteSource } from './write-source.ts';
import { flushFolder, sweepTemps, tempName } from './temp.ts';
import type { WriteOptions } from './write-options.ts';
import { isContentUnchanged } from './racy-stamp.ts';

/** Errors of creating a file in a folder, although the old file there may be writable. */
export const CREATE_DENIED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);
/** Errors of renaming over a file: it is a mount point, or this user may not replace it (sticky folder). */
export const RENAME_DENIED: ReadonlySet<string> = new Set(['EBUSY', 'EXDEV', 'EPERM', 'EACCES']);

/**
 * Replaces a file by one rename, under its lock; it must be unchanged since it was read. Returns undefined, with nothing
 * changed, if the file can only be written in place: that takes several steps and so needs a journal. `old` is the whole
 * content that was read, if the caller has it.
 */
export function replaceAt(
  file: Located,
  splices: readonly ByteSplice[],
  expected: Stamp,
  options: WriteOptions,
  old?: Uint8Array,
): Written | undefined {
  const folder = pinParent(file);
  try {
    const source = openSource(folder, file, expected);
    try {
      const size = replaceIn(folder, source, splices, expected, options, old);
      return size === undefined ? undefined : { path: file.path, size, changed: true };
    } finally {
      source.open.close();
    }
  } finally {
    folder.close();
  }
}

function replaceIn(
  folder: PinnedFolder,
  source: WriteSource,
  splices: readonly ByteSplice[],
  expected: Stamp,
  options: WriteOptions,
  old: Uint8Array | undefined,
): number | undefined {
  const { durable = true } = options;
  const { open, stats } = source;
  const file = open.located;
  const name = basename(file.path);
  if (stats.nlink > 1n) {
    if (options.hardLinks === 'in-place') return undefined;
    throw hardLinked(file, stats.nlink);
  }
  if (isGuarded(file.path, options.stateDir)) return undefined;
  sweepTemps(folder, dirname(file.path));
  const content = old === undefined ? open : remembered(open, old);
  const made = prepareBeside(folder, { ...source, open: content }, splices, options);
  if (made === undefined) return undefined;
  const finished = { ...made, path: folder.at(made.temp) };
  const record = options.record?.();
  try {
    record?.add({ action: 'modify', source: content, splices, mode: Number(stats.mode) & 0o7777 });
    record?.publish();
    expectUnchanged(folder, file, expected);
    if (!isContentUnchanged(expected, open)) throw fileChanged(file.path);
    expectContent(finished, file.path);
    renameSync(finished.path, folder.at(name));
  } catch (error) {
    record?.withdraw();
    removeIfThere(finished.path);
    if (RENAME_DENIED.has(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
  expectRenamed(folder.at(name), finished, file.path);
  try {
    if (durable) flushFolder(folder.at('.'));
  } catch (error) {
    throw notDurable(error, file.path);
  }
  return made.size;
}

/** The finished new file; undefined if the folder is not writable or an attribute of the old file cannot be copied. */
function prepareBeside(
  folder: PinnedFolder,
  source: WriteSource,
  splices: readonly ByteSplice[],
  options: WriteOptions,
): Prepared | undefined {
  let draft: Draft;
  try {
    draft = draftSpliced(folder, source, splices, tempName(basename(source.open.located.path), 'single'));
  } catch (error) {
    if (CREATE_DENIED.has(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
  if (copyAttributesToDrafts([draft], options)[0] === true)
    return finishDraft(draft, draft.mode, options.durable ?? true);
  discardDraft(draft);
  return undefined;
}
