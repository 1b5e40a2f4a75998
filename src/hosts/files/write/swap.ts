import { renameSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ByteSplice, Located, Stamp, Written } from '../shape.ts';
import { expectArrived, expectContent } from './content.ts';
import { fileChanged, errnoOf, notDurable } from '../faults.ts';
import { isGuarded } from '../gate/guarded.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import { pinParent } from '../gate/parent.ts';
import type { PinnedFolder } from '../gate/pin.ts';
import {
  discardDraft,
  draftSpliced,
  expectUnchanged,
  finishDraft,
  hardLinked,
  likenDrafts,
  type Draft,
  type Prepared,
} from './prepare.ts';
import { remembered } from '../cache/remembered.ts';
import { openSource, type Source } from './source.ts';
import { flushFolder, sweepTemps, tempName } from './temp.ts';
import type { WriteOptions } from './writing.ts';
import { contentStands } from './racy-stamp.ts';

/** Why a new file cannot stand in this folder, although the old one may be written. */
export const FOLDER_SHUT: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);
/** Why no new file can take the name: another file system is mounted right there, or the old one is not ours to move. */
export const NAME_TAKEN: ReadonlySet<string> = new Set(['EBUSY', 'EXDEV', 'EPERM', 'EACCES']);

/**
 * Replaces a file under its lock, in one step; it must be as it was read. Undefined, with nothing changed, when it can
 * only be written in place, which takes more than one step and so needs a journal. `old` is all that was read of it.
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
  source: Source,
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
    if (!contentStands(expected, open)) throw fileChanged(file.path);
    expectContent(finished, file.path);
    renameSync(finished.path, folder.at(name));
  } catch (error) {
    record?.withdraw();
    removeIfThere(finished.path);
    if (NAME_TAKEN.has(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
  expectArrived(folder.at(name), finished, file.path);
  try {
    if (durable) flushFolder(folder.at('.'));
  } catch (error) {
    throw notDurable(error, file.path);
  }
  return made.size;
}

/** The finished new file; undefined when the folder takes none, or when it could not have all that the old one has. */
function prepareBeside(
  folder: PinnedFolder,
  source: Source,
  splices: readonly ByteSplice[],
  options: WriteOptions,
): Prepared | undefined {
  let draft: Draft;
  try {
    draft = draftSpliced(folder, source, splices, tempName(basename(source.open.located.path), 'lone'));
  } catch (error) {
    if (FOLDER_SHUT.has(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
  if (likenDrafts([draft], options)[0] === true) return finishDraft(draft, draft.mode, options.durable ?? true);
  discardDraft(draft);
  return undefined;
}
