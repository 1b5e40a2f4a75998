/** The first half of a batch: every new content is written beside its target, and nothing has changed yet. */
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
import { irregular, somethingThere } from '../gate/refusals.ts';
import { remembered } from '../cache/remembered.ts';
import { openSource, type Source } from '../write/source.ts';
import { stampOf } from '../stamp.ts';
import { statePart } from '../state-folder.ts';
import { FOLDER_SHUT } from '../write/swap.ts';
import { stagedName, tempName } from '../write/temp.ts';
import type { WriteOptions } from '../write/writing.ts';
import type { Folders } from './folders.ts';

/** A change with what is known of it before anything is written. */
export interface Planned {
  readonly change: FileChange;
  /** The name under which its new content will wait, if it has one. */
  readonly temp: string;
}

export interface Staged {
  readonly entries: readonly JournalEntry[];
  readonly written: Written;
}

/** A change whose new file still needs the access list and the attributes of the old one. */
export interface Drafted {
  readonly draft: Draft;
  /** When it has them. */
  readonly finished: (made: Prepared) => Staged;
  /** When it cannot have them: then the old file is written into, or the new one is closed to others. */
  readonly instead: () => Staged;
}

export interface Stage {
  readonly folders: Folders;
  readonly options: WriteOptions;
  readonly record: OpenRecord | undefined;
  /** Whether each content is made durable by itself. */
  readonly flush: boolean;
  /** Called with every file that was opened; it is read until the batch is over. */
  readonly opened: (file: OpenFile) => void;
}

/** Names the unfinished file of a change; it stands in the folder where the new content goes. */
export function plan(change: FileChange): Planned {
  return { change, temp: tempName(basename(targetOf(change).path), 'batch') };
}

export function targetOf(change: FileChange): Located {
  return 'moveTo' in change ? change.moveTo : change.file;
}

export function stage({ change, temp }: Planned, stage: Stage): Staged | Drafted {
  stage.folders.sweep(targetOf(change));
  if ('edit' in change) return stageEdit(change, temp, stage);
  if ('create' in change) return stageCreate(change, temp, stage);
  if ('link' in change) return stageLink(change, stage);
  if ('moveTo' in change) return stageMove(change, temp, stage);
  return stageRemove(change, stage);
}

function stageEdit(change: Extract<FileChange, { edit: unknown }>, temp: string, stage: Stage): Staged | Drafted {
  const { file, stamp } = change;
  const { folders } = stage;
  const opened = sourceOf(file, stamp, stage);
  const old = 'old' in change.edit ? change.edit.old : undefined;
  const source = old === undefined ? opened : { ...opened, open: remembered(opened.open, old) };
  const splices = splicesOf(change, source.open);
  stage.record?.add({ action: 'modify', source: source.open, splices, mode: modeOf(source) });
  const filled = (): Staged => stageFill(file, stamp, source, splices, temp, stage);
  const isInPlace = source.stats.nlink > 1n || isGuarded(file.path, stage.options.stateDir);
  const draft = isInPlace ? undefined : beside(folders.of(file), source, splices, temp);
  if (draft === undefined) return filled();
  folders.touch(file);
  return {
    draft,
    finished: (made) => ({
      entries: [{ do: 'put', file, ...made, over: stamp }],
      written: { path: file.path, size: made.size, changed: true },
    }),
    instead: () => {
      discardDraft(draft);
      return filled();
    },
  };
}

/** The new content beside its target; undefined when the folder takes no new files. */
function beside(folder: PinnedFolder, source: Source, splices: readonly ByteSplice[], temp: string): Draft | undefined {
  try {
    return draftSpliced(folder, source, splices, temp);
  } catch (error) {
    if (FOLDER_SHUT.has(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** The new content in the state folder, to be written into the file itself. */
function stageFill(
  file: Located,
  old: Stamp,
  source: Source,
  splices: readonly ByteSplice[],
  temp: string,
  { options }: Stage,
): Staged {
  const folder = plainFolder(statePart(options.stateDir, 'staged'));
  const { size } = prepareStaged(folder, source, splices, { temp: stagedName(temp), flush: options.durable ?? true });
  const entry = { do: 'fill' as const, file, old, staged: stagedName(temp), size };
  return { entries: [entry], written: { path: file.path, size, changed: true } };
}

function stageCreate(change: Extract<FileChange, { create: unknown }>, temp: string, stage: Stage): Staged {
  const { file, create, mode } = change;
  const { folders, flush } = stage;
  const folder = folders.of(file);
  if (lstatSync(folder.at(basename(file.path)), { throwIfNoEntry: false }) !== undefined)
    throw somethingThere(file.path);
  const made = prepareNew(folder, create, mode, { temp, flush });
  stage.record?.add({ action: 'add', file, bytes: create, mode: modeOfNew(mode) });
  folders.touch(file);
  return { entries: [{ do: 'put', file, ...made }], written: { path: file.path, size: made.size, changed: true } };
}

function stageLink({ file, link }: Extract<FileChange, { link: unknown }>, { folders, record }: Stage): Staged {
  record?.add({ action: 'add', file, link });
  folders.touch(file);
  return { entries: [{ do: 'link', file, target: link }], written: { path: file.path, size: 0, changed: true } };
}

function stageRemove({ file, stamp }: Extract<FileChange, { remove: true }>, stage: Stage): Staged {
  const { folders } = stage;
  recordRemoval(file, stamp, stage);
  folders.touch(file);
  return { entries: [dropOf(file, stamp)], written: { path: file.path, size: 0, changed: true } };
}

function dropOf(file: Located, old: Stamp): JournalEntry {
  return { do: 'drop', file, old, aside: tempName(basename(file.path), 'batch') };
}

/** Files and links are removed, and nothing else; a folder is never. */
export function recordRemoval(
  file: Located,
  stamp: Stamp,
  { folders, record, opened, options }: Pick<Stage, 'folders' | 'record' | 'opened' | 'options'>,
): void {
  const folder = folders.of(file);
  const stats = expectUnchanged(folder, file, stamp);
  if (stats.isSymbolicLink()) {
    const link = linkText(folder, basename(file.path), file.path);
    // A link to other bytes than the record can hold would come back as a link to another file.
    if (link !== undefined) record?.add({ action: 'delete', file, link });
    else record?.add({ action: 'delete', file, unkept: `${file.path} led to a name that is no text`, mode: 0o777 });
    return;
  }
  if (!stats.isFile()) throw irregular(file.path, file.path, describe(stats));
  if (record === undefined) return;
  const mode = Number(stats.mode) & 0o7777;
  if (stats.nlink > 1n && options.hardLinks === 'refuse') {
    // What may not be read may not come back as a file of one name either.
    record.add({ action: 'delete', file, unkept: `${file.path} had ${stats.nlink} names (hard links)`, mode });
    return;
  }
  const { open } = openSource(folder, file, stamp);
  opened(open);
  record.add({ action: 'delete', file, source: open, mode });
}

function stageMove(change: Extract<FileChange, { moveTo: unknown }>, temp: string, stage: Stage): Staged | Drafted {
  const { file, stamp, moveTo, over, splices = [] } = change;
  const { folders } = stage;
  const source = sourceOf(file, stamp, stage);
  const target = folders.of(moveTo);
  const standing = lstatSync(target.at(basename(moveTo.path)), { bigint: true, throwIfNoEntry: false });
  const alias = standing !== undefined && standing.dev === source.stats.dev && standing.ino === source.stats.ino;
  if (alias && file.path === moveTo.path) return stageInItself(file, stamp, splices, source, temp, stage);
  if (standing !== undefined && over === undefined && !alias) throw somethingThere(moveTo.path);
  const replaced = over === undefined || alias ? undefined : sourceOf(moveTo, over, stage).open;
  stage.record?.add({
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
  const taken = over === undefined && !alias ? {} : { over: over ?? stampOf(standing!) };
  const sameDisk = folders.diskOf(moveTo) === source.stats.dev;
  // An alias on a file system that folds case: only renaming changes how the name is written.
  const shift: JournalEntry = { do: 'shift', file, old: stamp, to: moveTo, ...taken };
  if (splices.length === 0 && sameDisk) return { entries: [shift], written };
  const draft = draftSpliced(target, source, splices, temp);
  const finished = (made: Prepared): Staged => {
    const put: JournalEntry = { do: 'put', file: moveTo, ...made, ...taken };
    return { entries: alias ? [put] : [put, dropOf(file, stamp)], written: { ...written, size: made.size } };
  };
  const instead = (): Staged => {
    if (!sameDisk) return finished(closedToOthers(draft, moveTo, stage));
    discardDraft(draft);
    const { entries, written: filled } = stageFill(moveTo, stamp, source, splices, temp, stage);
    return { entries: [shift, ...entries.map((entry) => ({ ...entry, renamed: true as const }))], written: filled };
  };
  return { draft, finished, instead };
}

/** The copy of a file on another file system that could not get its rights: only its owner may use it. */
function closedToOthers(draft: Draft, { path }: Located, { flush, options }: Stage): Prepared {
  options.warn?.(
    `${path} is on another file system: its owner, access list or extended attributes were lost, and only its owner has rights to it now`,
  );
  return finishDraft(draft, draft.mode & 0o700, flush);
}

/** A move onto itself is an edit, or nothing at all. */
function stageInItself(
  file: Located,
  stamp: Stamp,
  splices: readonly ByteSplice[],
  source: Source,
  temp: string,
  stage: Stage,
): Staged | Drafted {
  if (splices.length > 0) return stageEdit({ file, stamp, edit: { splices } }, temp, stage);
  return { entries: [], written: { path: file.path, size: source.open.size, changed: false } };
}

function sourceOf(file: Located, stamp: Stamp, { folders, options, opened }: Stage): Source {
  const source = openSource(folders.of(file), file, stamp);
  opened(source.open);
  if (source.stats.nlink > 1n && options.hardLinks !== 'in-place') throw hardLinked(file, source.stats.nlink);
  return source;
}

function modeOf({ stats }: Source): number {
  return Number(stats.mode) & 0o7777;
}

/** In a batch an appended line is a splice at the end: the file is copied, which a lone append need not do. */
function splicesOf({ file, edit }: Extract<FileChange, { edit: unknown }>, source: OpenFile): readonly ByteSplice[] {
  if ('splices' in edit) return edit.splices;
  const tail = new Uint8Array(Math.min(source.size, 4));
  if (source.read(source.size - tail.length, tail) < tail.length) throw fileChanged(file.path);
  return [{ start: source.size, end: source.size, bytes: lineAfter(tail, edit.append) }];
}
