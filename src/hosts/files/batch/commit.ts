import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { FileChange, Located, OpenFile, Written } from '../shape.ts';
import { exclusively } from '../locks/exclusively.ts';
import { reason, writeFault } from '../faults.ts';
import { abandonJournal, newJournalId, removeJournal, withdrawJournal, writeIntent, writeJournal } from './journal.ts';
import type { JournalEntry } from './journal-entry.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import { expectUnchanged } from '../write/prepare.ts';
import { alreadyExists } from '../gate/refusals.ts';
import { stagedFolder } from '../state-folder.ts';
import { stagedName } from '../write/temp.ts';
import { refuseProtected, type WriteOptions } from '../write/write-options.ts';
import { flushContents } from './durable.ts';
import { Folders } from './folders.ts';
import { writeSingle } from './single-file.ts';
import { discardAsides, perform, removeFolders, type PerformOptions } from './perform.ts';
import { inOrder, rollBack } from './rollback.ts';
import { plan, targetOf, type Planned } from './stage.ts';
import { stageAll } from './stage-all.ts';

/** From this many files on, their contents are flushed together. */
const MANY = 24;
/** How many old files stay open until the batch ends. */
const MOST_OPEN = 256;

/**
 * Changes all the files or none. Every new content is first written to a temporary file and flushed. The rename that creates
 * the journal is the commit point: if the process dies after it, the next process completes the batch.
 */
export function commit(changes: readonly FileChange[], options: WriteOptions): readonly Written[] {
  refuseRepeated(changes);
  const active = changes.filter((change) => !isEmpty(change));
  const written = new Map<FileChange, Written>();
  if (active.length > 0) {
    const files = active.flatMap((change) => ('moveTo' in change ? [change.file, change.moveTo] : [change.file]));
    refuseProtected(files, options);
    exclusively(files, options, () => {
      const [only, ...more] = active;
      const single = more.length === 0 ? writeSingle(only!, options) : undefined;
      const results = single === undefined ? commitLocked(active, options) : [single];
      for (const [i, change] of active.entries()) written.set(change, results[i]!);
    });
  }
  return changes.map((change) => written.get(change) ?? unchanged(change));
}

function isEmpty(change: FileChange): boolean {
  return 'edit' in change && 'splices' in change.edit && change.edit.splices.length === 0;
}

function unchanged(change: FileChange): Written {
  const size = 'stamp' in change ? Number(change.stamp.size) : 0;
  return { path: targetOf(change).path, size, changed: false };
}

function commitLocked(changes: readonly FileChange[], options: WriteOptions): readonly Written[] {
  const { stateDir, durable = true } = options;
  const id = newJournalId();
  const folders = new Folders();
  const record = options.record?.();
  const open: OpenFile[] = [];
  const planned = changes.map(plan);
  try {
    const missing = changes.flatMap((change) => missingFor(change, folders));
    let entries: readonly JournalEntry[] = [];
    let results: readonly Written[];
    try {
      writeIntent(stateDir, id, intentOf(planned, missing));
      folders.create(missing, modesOf(changes));
      const opened = (file: OpenFile): void => {
        if (open.length >= MOST_OPEN) open.shift()!.close();
        open.push(file);
      };
      const flush = durable && changes.length < MANY;
      const staged = stageAll(planned, { folders, options, record, flush, opened });
      entries = inOrder(staged.flatMap((one) => one.entries));
      results = staged.map((one) => one.written);
      if (durable && !flush) flushContents(entries, folders);
      if (durable) folders.flush();
      for (const entry of entries) expectReady(entry, folders);
      writeJournal(stateDir, id, entries, durable);
      record?.publish(folders.created);
      performAll(entries, folders, { stateDir, durable }, id);
    } catch (error) {
      if (isUnfinished(error)) throw error;
      record?.withdraw();
      undo(planned, folders, stateDir, id);
      throw writeFault(error, changes[0]!.file.path);
    }
    removeJournal(stateDir, id);
    return results;
  } finally {
    for (const file of open) file.close();
    folders.close();
  }
}

/** The folders that a change needs, and the one that it creates. */
function missingFor(change: FileChange, folders: Folders): readonly Located[] {
  if (!('removeFolder' in change) && !('setMode' in change)) {
    const parents = folders.missing(targetOf(change));
    if (!('makeFolder' in change)) return parents;
    if (folders.has(change.file)) throw alreadyExists(change.file.path);
    return [...parents, change.file];
  }
  return [];
}

function modesOf(changes: readonly FileChange[]): ReadonlyMap<string, number> {
  return new Map(
    changes.flatMap((change) =>
      'makeFolder' in change && change.mode !== undefined ? [[change.file.path, change.mode] as const] : [],
    ),
  );
}

function intentOf(planned: readonly Planned[], missing: readonly Located[]): readonly JournalEntry[] {
  return [
    ...planned.map(({ change, temp }) => ({ do: 'put' as const, file: targetOf(change), temp, ino: 0n, size: 0 })),
    ...missing.map((file) => ({ do: 'folder' as const, file })),
  ];
}

/** The last check before the commit point: every file that will be replaced or removed is unchanged since it was read. */
function expectReady(entry: JournalEntry, folders: Folders): void {
  if (entry.do === 'folder' || entry.do === 'empty' || entry.do === 'mode') return;
  // It was checked under its old name.
  if (entry.do === 'fill' && entry.renamed === true) return;
  if (entry.do === 'link') expectTarget(entry.file, undefined, folders);
  else if (entry.do === 'put') expectTarget(entry.file, entry.over, folders);
  else expectUnchanged(folders.of(entry.file), entry.file, entry.old);
  if (entry.do === 'shift') expectTarget(entry.to, entry.over, folders);
}

function expectTarget(file: Located, over: Parameters<typeof expectUnchanged>[2] | undefined, folders: Folders): void {
  const folder = folders.of(file);
  if (over !== undefined) expectUnchanged(folder, file, over);
  else if (lstatSync(folder.at(basename(file.path)), { throwIfNoEntry: false }) !== undefined)
    throw alreadyExists(file.path);
}

/** Restores the state before the batch. What cannot be removed now is named in the intent, and recovery removes it. */
function undo(planned: readonly Planned[], folders: Folders, stateDir: string, id: string): void {
  try {
    withdrawJournal(stateDir, id);
    for (const { change, temp } of planned) {
      const folder = folders.find(targetOf(change));
      if (folder !== undefined) removeIfThere(folder.at(temp));
      removeIfThere(join(stagedFolder(stateDir), stagedName(temp)));
    }
    folders.removeCreated();
    removeJournal(stateDir, id);
  } catch {
    abandonJournal(id); // the failure that led here is the one to report
  }
}

/**
 * Performs all entries. After a failure it rolls back if possible; if not, it performs the other entries, and recovery
 * tries the failed one again.
 */
function performAll(entries: readonly JournalEntry[], folders: Folders, options: PerformOptions, id: string): void {
  let failure: { readonly path: string; readonly error: unknown } | undefined;
  const done: JournalEntry[] = [];
  for (const entry of entries) {
    try {
      perform(entry, folders, options);
      done.push(entry);
    } catch (error) {
      if (failure === undefined && tryRollBack(done, folders, options, id)) throw error;
      failure ??= { path: entry.file.path, error };
    }
  }
  try {
    if (failure === undefined) discardAsides(entries, folders);
    if (failure === undefined) removeFolders(entries, folders);
    if (options.durable) folders.flush();
  } catch (error) {
    failure ??= { path: entries[0]!.file.path, error };
  }
  if (failure === undefined) return;
  abandonJournal(id);
  throw new Fault('FS_BATCH_UNFINISHED', `the batch is incomplete: ${failure.path}: ${reason(failure.error)}`, {
    hint: 'the next command that uses these files completes it',
    details: { path: failure.path, journal: id },
    cause: failure.error,
  });
}

function tryRollBack(done: readonly JournalEntry[], folders: Folders, options: PerformOptions, id: string): boolean {
  if (done.length === 0) return true;
  try {
    return rollBack(done, folders, options, id);
  } catch (error) {
    abandonJournal(id);
    throw new Fault('FS_BATCH_UNFINISHED', `a failed batch could not be rolled back: ${reason(error)}`, {
      hint: 'the next command that uses these files rolls it back',
      details: { journal: id },
      cause: error,
    });
  }
}

function isUnfinished(error: unknown): boolean {
  return error instanceof Fault && error.code === 'FS_BATCH_UNFINISHED';
}

function refuseRepeated(changes: readonly FileChange[]): void {
  const seen = new Set<string>();
  for (const change of changes) {
    if ('setMode' in change) continue; // it may follow another change
    const paths = new Set(['moveTo' in change ? change.moveTo.path : change.file.path, change.file.path]);
    for (const path of paths) {
      if (seen.has(path)) throw new Fault('INTERNAL_BATCH', `${path} occurs twice in one batch`);
      seen.add(path);
    }
  }
}
