import { renameSync } from 'node:fs';
import { basename } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { ByteSplice, FileChange, OpenFile, Written } from '../host.ts';
import { lineAfter } from './append.ts';
import { exclusively } from './exclusively.ts';
import { changed, reason, writeFault } from './faults.ts';
import { abandonJournal, newJournalId, removeJournal, withdrawJournal, writeIntent, writeJournal } from './journal.ts';
import type { JournalEntry } from './journal.ts';
import { removeIfThere } from './lock-file.ts';
import type { LockOptions } from './locks.ts';
import { openFile } from './open.ts';
import { pinParent, type PinnedFolder } from './pin.ts';
import { expectUnchanged, prepare } from './prepare.ts';
import { replace } from './replace.ts';
import { sameStamp } from './stamp.ts';
import { flushFolder, sweepTemps, tempName } from './temp.ts';

/**
 * Changes all the files or none. Every new content is first written and made durable beside its target; then one
 * journal file appears, and from that moment the batch counts as done: should the process die while the files
 * take their names, whoever comes next completes it.
 */
export function commit(changes: readonly FileChange[], options: LockOptions): readonly Written[] {
  refuseRepeated(changes);
  const active = changes.filter(({ edit }) => 'append' in edit || edit.splices.length > 0);
  const sizes = writeChanges(active, options);
  return changes.map(({ file, stamp }) => {
    const size = sizes.get(file.path);
    return { path: file.path, size: size ?? Number(stamp.size), changed: size !== undefined };
  });
}

function writeChanges(active: readonly FileChange[], options: LockOptions): ReadonlyMap<string, number> {
  const [only, ...more] = active;
  if (only === undefined) return new Map();
  if (more.length === 0) {
    const written = withOpen(only, (source, splices) => replace(source, splices, options, only.stamp));
    return new Map([[written.path, written.size]]);
  }
  const files = active.map((change) => change.file);
  const entries = exclusively(files, options, () => commitLocked(active, options.stateDir));
  return new Map(entries.map((entry) => [entry.file.path, entry.size]));
}

function commitLocked(changes: readonly FileChange[], stateDir: string): readonly JournalEntry[] {
  const id = newJournalId();
  const planned = changes.map(({ file, stamp }) => {
    return { file, temp: tempName(basename(file.path), 'batch'), old: stamp, ino: 0n, size: 0 };
  });
  let entries: readonly JournalEntry[];
  try {
    writeIntent(stateDir, id, planned);
    entries = changes.map((change, i) => writeNewContent(change, planned[i]!));
    flushFolders(entries);
    for (const entry of entries) inFolder(entry, (folder) => expectUnchanged(folder, entry.file, entry.old));
    writeJournal(stateDir, id, entries);
  } catch (error) {
    undo(planned, stateDir, id);
    throw writeFault(error, changes[0]!.file.path);
  }
  takeNames(entries, id);
  removeJournal(stateDir, id);
  return entries;
}

/** Back to before the batch. What cannot be removed now is named in the intent and left to recovery. */
function undo(planned: readonly JournalEntry[], stateDir: string, id: string): void {
  try {
    withdrawJournal(stateDir, id);
    for (const entry of planned) inFolder(entry, (folder) => removeIfThere(folder.at(entry.temp)));
    removeJournal(stateDir, id);
  } catch {
    abandonJournal(id); // the failure that led here is the one to report
  }
}

function writeNewContent(change: FileChange, planned: JournalEntry): JournalEntry {
  try {
    return withOpen(change, (source, splices) =>
      inFolder(planned, (folder) => {
        sweepTemps(folder);
        return { ...planned, ...prepare(folder, source, splices, change.stamp, planned.temp) };
      }),
    );
  } catch (error) {
    throw writeFault(error, change.file.path);
  }
}

/** Gives every file its new content; a failure here does not stop the others, and recovery tries again. */
function takeNames(entries: readonly JournalEntry[], id: string): void {
  let failure: { readonly path: string; readonly error: unknown } | undefined;
  for (const entry of entries) {
    try {
      inFolder(entry, (folder) => renameSync(folder.at(entry.temp), folder.at(basename(entry.file.path))));
    } catch (error) {
      failure ??= { path: entry.file.path, error };
    }
  }
  try {
    flushFolders(entries);
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

function flushFolders(entries: readonly JournalEntry[]): void {
  const byFolder = new Map(
    entries.map((entry) => [entry.file.path.slice(0, -basename(entry.file.path).length), entry]),
  );
  for (const entry of byFolder.values()) inFolder(entry, (folder) => flushFolder(folder.at('.')));
}

function inFolder<T>(entry: JournalEntry, work: (folder: PinnedFolder) => T): T {
  const folder = pinParent(entry.file);
  try {
    return work(folder);
  } finally {
    folder.close();
  }
}

function withOpen<T>(change: FileChange, work: (source: OpenFile, splices: readonly ByteSplice[]) => T): T {
  const source = openFile(change.file);
  try {
    if (!sameStamp(source.stamp, change.stamp)) throw changed(change.file.path);
    return work(source, splicesOf(change, source));
  } finally {
    source.close();
  }
}

/** In a batch an appended line is a splice at the end: the file is copied, which a lone append need not do. */
function splicesOf({ edit }: FileChange, source: OpenFile): readonly ByteSplice[] {
  if ('splices' in edit) return edit.splices;
  const tail = new Uint8Array(Math.min(source.size, 4));
  source.read(source.size - tail.length, tail);
  return [{ start: source.size, end: source.size, bytes: lineAfter(tail, edit.append) }];
}

function refuseRepeated(changes: readonly FileChange[]): void {
  const seen = new Set<string>();
  for (const { file } of changes) {
    if (seen.has(file.path)) throw new Fault('INTERNAL_BATCH', `${file.path} stands in one batch twice`);
    seen.add(file.path);
  }
}
