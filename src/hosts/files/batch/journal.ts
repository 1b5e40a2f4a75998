/**
 * The journal of a batch, at most three files in `<state>/journal/`, named after the process that owns the batch:
 *   <id>.intent   written first: the temporary files and folders that will be created, for recovery to remove
 *   <id>.new      the journal while it is being written
 *   <id>.journal  the batch is committed from the moment this name exists; any process that finds it completes it
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '../write-private.ts';
import { Fault } from '../../../base/fault.ts';
import { errnoOf } from '../faults.ts';
import { fromPlain, toPlain, type JournalEntry, type PlainEntry } from './journal-entry.ts';
import { journalFolder, leftovers } from './leftovers.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import { isAlive, thisProcess, uniqueName } from '../locks/owner.ts';
import { statePart } from '../state-folder.ts';
import { flushFolder } from '../write/temp.ts';

const ID = /^(\d+)\.([\w-]*)\.\w+$/u;

/** Committed batches of this process that it could not complete; recovery completes them. */
const abandoned = new Set<string>();

export function newJournalId(): string {
  const { pid, start } = thisProcess();
  return `${pid}.${start}.${uniqueName()}`;
}

export function journalIds(stateDir: string): readonly string[] {
  const ids = leftovers(stateDir).map((name) => name.replace(/\.(?:intent|new|journal)$/u, ''));
  return [...new Set(ids)].filter((id) => ID.test(id));
}

/** Whether the process that owns a batch may still complete it. */
export function isUnderWay(id: string): boolean {
  const [, pid, start] = ID.exec(id) ?? [];
  return !abandoned.has(id) && isAlive({ pid: Number(pid), start: start ?? '' });
}

export function isCommitted(stateDir: string, id: string): boolean {
  return existsSync(join(journalFolder(stateDir), `${id}.journal`));
}

export function writeIntent(stateDir: string, id: string, entries: readonly JournalEntry[]): void {
  publish(stateDir, id, 'intent', entries, false);
}

/** The commit point: when this returns, the batch will be completed, even if this process dies. */
export function writeJournal(stateDir: string, id: string, entries: readonly JournalEntry[], durable = true): void {
  publish(stateDir, id, 'journal', entries, durable);
}

function publish(
  stateDir: string,
  id: string,
  use: 'intent' | 'journal',
  entries: readonly JournalEntry[],
  durable: boolean,
): void {
  const folder = statePart(stateDir, 'journal');
  const text = JSON.stringify({ version: 2, entries: entries.map(toPlain) });
  writePrivate(join(folder, `${id}.${use}`), text, { temp: join(folder, `${id}.new`), durable });
  if (durable) flushFolder(folder);
}

/** The entries of a committed batch; undefined if there is no such batch. */
export function readJournal(stateDir: string, id: string): readonly JournalEntry[] | undefined {
  return readEntries(join(journalFolder(stateDir), `${id}.journal`));
}

export function readIntent(stateDir: string, id: string): readonly JournalEntry[] | undefined {
  return readEntries(join(journalFolder(stateDir), `${id}.intent`));
}

/** Undoes the commit, as long as no file of the batch has its new content; the intent stays. */
export function withdrawJournal(stateDir: string, id: string): void {
  for (const use of ['journal', 'new']) removeIfThere(join(journalFolder(stateDir), `${id}.${use}`));
}

/** Removes a batch. The journal is removed first, because recovery with an intent alone only removes temporary files. */
export function removeJournal(stateDir: string, id: string): void {
  withdrawJournal(stateDir, id);
  removeIfThere(join(journalFolder(stateDir), `${id}.intent`));
  abandoned.delete(id);
}

/** Leaves a batch of this process to the next recovery. */
export function abandonJournal(id: string): void {
  abandoned.add(id);
}

function readEntries(path: string): readonly JournalEntry[] | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return (JSON.parse(text) as { readonly entries: readonly PlainEntry[] }).entries.map(fromPlain);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw new Fault('FS_JOURNAL_DAMAGED', `the journal ${path} is damaged`, {
      hint: 'check the files that it names, then remove it',
      details: { path },
      cause: error,
    });
  }
}
