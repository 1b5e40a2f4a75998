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
import { somethingThere } from '../gate/refusals.ts';
import { stagedFolder } from '../state-folder.ts';
import { stagedName } from '../write/temp.ts';
import { refuseProtected, type WriteOptions } from '../write/writing.ts';
import { flushContents } from './durable.ts';
import { Folders } from './folders.ts';
import { writeAlone } from './single-file.ts';
import { discardAsides, perform, type PerformOptions } from './perform.ts';
import { inOrder, rollBack } from './rollback.ts';
import { plan, targetOf, type Planned } from './stage.ts';
import { stageAll } from './stage-all.ts';

/** From this many files on, their contents are made durable together. */
const MANY = 24;
/** Old contents are held open until the batch is over, unless they are more than this. */
const MOST_OPEN = 256;

/**
 * Changes all the files or none. Every new content is first written and made durable beside its target; then one
 * journal file appears, and from that moment the batch counts as done: should the process die while the files
 * take their names, whoever comes next completes it.
 */
export function commit(changes: readonly FileChange[], options: WriteOptions): readonly Written[] {
  refuseRepeated(changes);
  const active = changes.filter((change) => !isIdle(change));
  const written = new Map<FileChange, Written>();
  if (active.length > 0) {
    const files = active.flatMap((change) => ('moveTo' in change ? [change.file, change.moveTo] : [change.file]));
    refuseProtected(files, options);
    exclusively(files, options, () => {
      const [only, ...more] = active;
      const alone = more.length === 0 ? writeAlone(only!, options) : undefined;
      const results = alone === undefined ? commitLocked(active, options) : [alone];
      for (const [i, change] of active.entries()) written.set(change, results[i]!);
    });
  }
  return changes.map((change) => written.get(change) ?? untouched(change));
}

/** An edit without splices changes nothing, and needs neither lock nor file. */
function isIdle(change: FileChange): boolean {
  return 'edit' in change && 'splices' in change.edit && change.edit.splices.length === 0;
}

function untouched(change: FileChange): Written {
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
    const missing = changes.flatMap((change) => folders.missing(targetOf(change)));
    let entries: readonly JournalEntry[] = [];
    let results: readonly Written[];
    try {
      writeIntent(stateDir, id, intentOf(planned, missing));
      folders.make(missing);
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
      record?.publish(folders.made);
      takeNames(entries, folders, { stateDir, durable }, id);
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

function intentOf(planned: readonly Planned[], missing: readonly Located[]): readonly JournalEntry[] {
  return [
    ...planned.map(({ change, temp }) => ({ do: 'put' as const, file: targetOf(change), temp, ino: 0n, size: 0 })),
    ...missing.map((file) => ({ do: 'folder' as const, file })),
  ];
}

/** The last look before the commit point: everything that is going to be replaced or removed is as it was read. */
function expectReady(entry: JournalEntry, folders: Folders): void {
  if (entry.do === 'folder' || (entry.do === 'fill' && entry.renamed === true)) return; // looked at by its old name
  if (entry.do === 'link') expectTarget(entry.file, undefined, folders);
  else if (entry.do === 'put') expectTarget(entry.file, entry.over, folders);
  else expectUnchanged(folders.of(entry.file), entry.file, entry.old);
  if (entry.do === 'shift') expectTarget(entry.to, entry.over, folders);
}

function expectTarget(file: Located, over: Parameters<typeof expectUnchanged>[2] | undefined, folders: Folders): void {
  const folder = folders.of(file);
  if (over !== undefined) expectUnchanged(folder, file, over);
  else if (lstatSync(folder.at(basename(file.path)), { throwIfNoEntry: false }) !== undefined)
    throw somethingThere(file.path);
}

/** Back to before the batch. What cannot be removed now is named in the intent and left to recovery. */
function undo(planned: readonly Planned[], folders: Folders, stateDir: string, id: string): void {
  try {
    withdrawJournal(stateDir, id);
    for (const { change, temp } of planned) {
      const folder = folders.find(targetOf(change));
      if (folder !== undefined) removeIfThere(folder.at(temp));
      removeIfThere(join(stagedFolder(stateDir), stagedName(temp)));
    }
    folders.unmake();
    removeJournal(stateDir, id);
  } catch {
    abandonJournal(id); // the failure that led here is the one to report
  }
}

/**
 * Gives every file its new content. A failure takes back what was done, as long as that can be done; after that it does
 * not stop the others, and recovery tries again.
 */
function takeNames(entries: readonly JournalEntry[], folders: Folders, options: PerformOptions, id: string): void {
  let failure: { readonly path: string; readonly error: unknown } | undefined;
  const done: JournalEntry[] = [];
  for (const entry of entries) {
    try {
      perform(entry, folders, options);
      done.push(entry);
    } catch (error) {
      if (failure === undefined && wentBack(done, folders, options, id)) throw error;
      failure ??= { path: entry.file.path, error };
    }
  }
  try {
    if (failure === undefined) discardAsides(entries, folders);
    if (options.durable) folders.flush();
  } catch (error) {
    failure ??= { path: entries[0]!.file.path, error };
  }
  if (failure === undefined) return;
  abandonJournal(id);
  throw new Fault('FS_BATCH_UNFINISHED', `the batch is not complete at ${failure.path}: ${reason(failure.error)}`, {
    hint: 'the next command that touches these files completes it',
    details: { path: failure.path, journal: id },
    cause: failure.error,
  });
}

function wentBack(done: readonly JournalEntry[], folders: Folders, options: PerformOptions, id: string): boolean {
  if (done.length === 0) return true;
  try {
    return rollBack(done, folders, options, id);
  } catch (error) {
    abandonJournal(id);
    throw new Fault('FS_BATCH_UNFINISHED', `a batch failed and could not be taken back: ${reason(error)}`, {
      hint: 'the next command that touches these files takes it back',
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
    const paths = new Set(['moveTo' in change ? change.moveTo.path : change.file.path, change.file.path]);
    for (const path of paths) {
      if (seen.has(path)) throw new Fault('INTERNAL_BATCH', `${path} stands in one batch twice`);
      seen.add(path);
    }
  }
}
