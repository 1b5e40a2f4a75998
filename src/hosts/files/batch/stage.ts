/** The first half of a batch: writes every new content to a temporary file. No target has changed yet. */
import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import type { ByteSplice, FileChange, Located, OpenFile, Stamp, Written } from '../shape.ts';
import { lineAfter } from '../write/append.ts';
import { fileChanged, errnoOf } from '../faults.ts';
import { isGuarded } from '../gate/guarded.ts';
import type { JournalEntry } from './journal-entry.ts';
import { linkText } from '../gate/link-text.ts';
import { describe, plainFolder, type PinnedFolder } from '../gate/pin.ts';
import {
  discardDraft,
  draftSpliced,
  expectUnchanged,
  finishDraft,
  hardLinked,
  modeOfNew,
  prepareNew,
  prepareStaged,
  type Draft,
  type Prepared,
} from '../write/prepare.ts';
import type { OpenRecord } from '../changes/recorder-shape.ts';
import { alreadyExists, irregular } from '../gate/refusals.ts';
import { remembered } from '../cache/remembered.ts';
import { openSource, type WriteSource } from '../write/write-source.ts';
import { stampOf } from '../stamp.ts';
import { statePart } from '../state-folder.ts';
import { CREATE_DENIED } from '../write/swap.ts';
import { stagedName, tempName } from '../write/temp.ts';
import type { WriteOptions } from '../write/write-options.ts';
import type { Folders } from './folders.ts';

export interface Planned {
  readonly change: FileChange;
  /** The name of its temporary file, if it has new content. */
  readonly temp: string;
}

export interface Staged {
  readonly entries: readonly JournalEntry[];
  readonly written: Written;
}

/** A change whose new file still needs the ACL and extended attributes of the old one. */
export interface Drafted {
  readonly draft: Draft;
  /** Called if the attributes were copied. */
  readonly withAttributes: (made: Prepared) => Staged;
  /** Called if not: then the old file is overwritten, or the new one is accessible only for its owner. */
  readonly withoutAttributes: () => Staged;
}

export interface StageContext {
  readonly folders: Folders;
  readonly options: WriteOptions;
  readonly record: OpenRecord | undefined;
  /** Whether to fsync each content separately. */
  readonly flush: boolean;
  /** Called with every opened file, which must stay open until the batch ends. */
  readonly opened: (file: OpenFile) => void;
}

const DEFAULT_FOLDER_MODE = 0o755;

/** Names the temporary file of a change; it is in the folder of the target. */
export function plan(change: FileChange): Planned {
  return { change, temp: tempName(basename(targetOf(change).path), 'batch') };
}

export function targetOf(change: FileChange): Located {
  return 'moveTo' in change ? change.moveTo : change.file;
}

export function stage({ change, temp }: Planned, context: StageContext): Staged | Drafted {
  if ('makeFolder' in change) return stageMakeFolder(change, context);
  if ('removeFolder' in change) return stageRemoveFolder(change, context);
  if ('setMode' in change) return stageMode(change, context);
  context.folders.sweep(targetOf(change));
  if ('edit' in change) return stageEdit(change, temp, context);
  if ('create' in change) return stageCreate(change, temp, context);
  if ('link' in change) return stageLink(change, context);
  if ('moveTo' in change) return stageMove(change, temp, context);
  return stageRemove(change, context);
}

function stageEdit(
  change: Extract<FileChange, { edit: unknown }>,
  temp: string,
  context: StageContext,
): Staged | Drafted {
  const { file, stamp } = change;
  const { folders } = context;
  const opened = sourceOf(file, stamp, context);
  const old = 'old' in change.edit ? change.edit.old : undefined;
  const source = old === undefined ? opened : { ...opened, open: remembered(opened.open, old) };
  const splices = splicesOf(change, source.open);
  context.record?.add({ action: 'modify', source: source.open, splices, mode: modeOf(source) });
  const filled = (): Staged => stageFill(file, stamp, source, splices, temp, context);
  const isInPlace = source.stats.nlink > 1n || isGuarded(file.path, context.options.stateDir);
  const draft = isInPlace ? undefined : beside(folders.of(file), source, splices, temp);
  if (draft === undefined) return filled();
  folders.touch(file);
  return {
    draft,
    withAttributes: (made) => ({
      entries: [{ do: 'put', file, ...made, over: stamp }],
      written: { path: file.path, size: made.size, changed: true },
    }),
    withoutAttributes: () => {
      discardDraft(draft);
      return filled();
    },
  };
}

/** The new content in the folder of its target; undefined if no file can be created there. */
function beside(
  folder: PinnedFolder,
  source: WriteSource,
  splices: readonly ByteSplice[],
  temp: string,
): Draft | undefined {
  try {
    return draftSpliced(folder, source, splices, temp);
  } catch (error) {
    if (CREATE_DENIED.has(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Writes the new content to the state folder, from where it is copied into the file itself. */
function stageFill(
  file: Located,
  old: Stamp,
  source: WriteSource,
  splices: readonly ByteSplice[],
  temp: string,
  { options }: StageContext,
): Staged {
  const folder = plainFolder(statePart(options.stateDir, 'staged'));
  const { size } = prepareStaged(folder, source, splices, { temp: stagedName(temp), flush: options.durable ?? true });
  const entry = { do: 'fill' as const, file, old, staged: stagedName(temp), size };
  return { entries: [entry], written: { path: file.path, size, changed: true } };
}

function stageCreate(change: Extract<FileChange, { create: unknown }>, temp: string, context: StageContext): Staged {
  const { file, create, mode } = change;
  const { folders, flush } = context;
  const folder = folders.of(file);
  if (lstatSync(folder.at(basename(file.path)), { throwIfNoEntry: false }) !== undefined)
    throw alreadyExists(file.path);
  const made = prepareNew(folder, create, mode, { temp, flush });
  context.record?.add({ action: 'add', file, bytes: create, mode: modeOfNew(mode) });
  folders.touch(file);
  return { entries: [{ do: 'put', file, ...made }], written: { path: file.path, size: made.size, changed: true } };
}

function stageLink({ file, link }: Extract<FileChange, { link: unknown }>, { folders, record }: StageContext): Staged {
  record?.add({ action: 'add', file, link });
  folders.touch(file);
  return { entries: [{ do: 'link', file, target: link }], written: { path: file.path, size: 0, changed: true } };
}

/** The folder was created with the others that the batch needs. */
function stageMakeFolder(
  { file, mode = DEFAULT_FOLDER_MODE }: Extract<FileChange, { makeFolder: unknown }>,
  { record }: StageContext,
): Staged {
  record?.add({ action: 'add', file, isFolder: true, mode });
  return { entries: [], written: { path: file.path, size: 0, changed: true } };
}

function stageRemoveFolder(
  { file, mode }: Extract<FileChange, { removeFolder: unknown }>,
  { record, folders }: StageContext,
): Staged {
  record?.add({ action: 'delete', file, isFolder: true, mode });
  folders.touch(file);
  return { entries: [{ do: 'empty', file }], written: { path: file.path, size: 0, changed: true } };
}

function stageMode(
  { file, was, setMode, isFolder }: Extract<FileChange, { setMode: unknown }>,
  { record }: StageContext,
): Staged {
  record?.add({ action: 'modify', file, mode: was, modeAfter: setMode, ...(isFolder === true ? { isFolder } : {}) });
  return { entries: [{ do: 'mode', file, was, mode: setMode }], written: { path: file.path, size: 0, changed: true } };
}

function stageRemove({ file, stamp }: Extract<FileChange, { remove: true }>, context: StageContext): Staged {
  const { folders } = context;
  recordRemoval(file, stamp, context);
  folders.touch(file);
  return { entries: [dropOf(file, stamp)], written: { path: file.path, size: 0, changed: true } };
}

function dropOf(file: Located, old: Stamp): JournalEntry {
  return { do: 'drop', file, old, aside: tempName(basename(file.path), 'batch') };
}

/** Records the removal of a file or link; throws for anything else, such as a folder. */
export function recordRemoval(
  file: Located,
  stamp: Stamp,
  { folders, record, opened, options }: Pick<StageContext, 'folders' | 'record' | 'opened' | 'options'>,
): void {
  const folder = folders.of(file);
  const stats = expectUnchanged(folder, file, stamp);
  if (stats.isSymbolicLink()) {
    const link = linkText(folder, basename(file.path), file.path);
    // The record stores text only. Other bytes would be restored as a link to another file.
    if (link !== undefined) record?.add({ action: 'delete', file, link });
    else
      record?.add({
        action: 'delete',
        file,
        unkept: `the target of the symlink ${file.path} was not valid UTF-8`,
        mode: 0o777,
      });
    return;
  }
  if (!stats.isFile()) throw irregular(file.path, file.path, describe(stats));
  if (record === undefined) return;
  const mode = Number(stats.mode) & 0o7777;
  if (stats.nlink > 1n && options.hardLinks === 'refuse') {
    // A file that may not be read may not be restored as a file with one link either.
    record.add({ action: 'delete', file, unkept: `${file.path} had ${stats.nlink} hard links`, mode });
    return;
  }
  const { open } = openSource(folder, file, stamp);
  opened(open);
  record.add({ action: 'delete', file, source: open, mode });
}

function stageMove(
  change: Extract<FileChange, { moveTo: unknown }>,
  temp: string,
  context: StageContext,
): Staged | Drafted {
  const { file, stamp, moveTo, over, splices = [] } = change;
  const { folders } = context;
  const source = sourceOf(file, stamp, context);
  const target = folders.of(moveTo);
  const existing = lstatSync(target.at(basename(moveTo.path)), { bigint: true, throwIfNoEntry: false });
  const alias = existing !== undefined && existing.dev === source.stats.dev && existing.ino === source.stats.ino;
  if (alias && file.path === moveTo.path) return stageInItself(file, stamp, splices, source, temp, context);
  if (existing !== undefined && over === undefined && !alias) throw alreadyExists(moveTo.path);
  const replaced = over === undefined || alias ? undefined : sourceOf(moveTo, over, context).open;
  context.record?.add({
    action: 'move',
    source: source.open,
    movedTo: moveTo,
    splices,
    mode: modeOf(source),
    ...(replaced && { over: replaced }),
  });
  folders.touch(file);
  folders.touch(moveTo);
  const written = { path: moveTo.path, size: source.open.size, changed: true };
  const taken = over === undefined && !alias ? {} : { over: over ?? stampOf(existing!) };
  const sameDisk = folders.diskOf(moveTo) === source.stats.dev;
  // An alias on a case-insensitive file system: only rename changes the case of the name.
  const shift: JournalEntry = { do: 'shift', file, old: stamp, to: moveTo, ...taken };
  if (splices.length === 0 && sameDisk) return { entries: [shift], written };
  const draft = draftSpliced(target, source, splices, temp);
  const withAttributes = (made: Prepared): Staged => {
    const put: JournalEntry = { do: 'put', file: moveTo, ...made, ...taken };
    return { entries: alias ? [put] : [put, dropOf(file, stamp)], written: { ...written, size: made.size } };
  };
  const withoutAttributes = (): Staged => {
    if (!sameDisk) return withAttributes(finishForOwner(draft, moveTo, context));
    discardDraft(draft);
    const { entries, written: filled } = stageFill(moveTo, stamp, source, splices, temp, context);
    return { entries: [shift, ...entries.map((entry) => ({ ...entry, renamed: true as const }))], written: filled };
  };
  return { draft, withAttributes, withoutAttributes };
}

/** The copy of a file on another file system, without the attributes of the original: only its owner may use it. */
function finishForOwner(draft: Draft, { path }: Located, { flush, options }: StageContext): Prepared {
  options.warn?.(
    `${path} is on another file system: its owner, ACL or extended attributes were lost, and only its owner can access it now`,
  );
  return finishDraft(draft, draft.mode & 0o700, flush);
}

/** A move onto the same path is an edit, or no change. */
function stageInItself(
  file: Located,
  stamp: Stamp,
  splices: readonly ByteSplice[],
  source: WriteSource,
  temp: string,
  context: StageContext,
): Staged | Drafted {
  if (splices.length > 0) return stageEdit({ file, stamp, edit: { splices } }, temp, context);
  return { entries: [], written: { path: file.path, size: source.open.size, changed: false } };
}

function sourceOf(file: Located, stamp: Stamp, { folders, options, opened }: StageContext): WriteSource {
  const source = openSource(folders.of(file), file, stamp);
  opened(source.open);
  if (source.stats.nlink > 1n && options.hardLinks !== 'in-place') throw hardLinked(file, source.stats.nlink);
  return source;
}

function modeOf({ stats }: WriteSource): number {
  return Number(stats.mode) & 0o7777;
}

/** In a batch an appended line is a splice at the end, which copies the file; a single append writes into it. */
function splicesOf({ file, edit }: Extract<FileChange, { edit: unknown }>, source: OpenFile): readonly ByteSplice[] {
  if ('splices' in edit) return edit.splices;
  const tail = new Uint8Array(Math.min(source.size, 4));
  if (source.read(source.size - tail.length, tail) < tail.length) throw fileChanged(file.path);
  return [{ start: source.size, end: source.size, bytes: lineAfter(tail, edit.append) }];
}
