/** Rolls back a batch that failed before it replaced or removed any content. */
import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Located, Stamp } from '../shape.ts';
import { writeJournal } from './journal.ts';
import type { JournalEntry } from './journal-entry.ts';
import { linkText } from '../gate/link-text.ts';
import { asLocated, rootOf } from '../gate/root.ts';
import { stampOf } from '../stamp.ts';
import type { Folders } from './folders.ts';
import { perform, type PerformOptions } from './perform.ts';

/** Reversible entries come first, so that a failure leaves as little as possible that cannot be reversed. */
const ORDER: readonly ((entry: JournalEntry) => boolean)[] = [
  (entry) => entry.do === 'link' || ((entry.do === 'put' || entry.do === 'shift') && entry.over === undefined),
  (entry) => entry.do === 'drop',
  (entry) => entry.do === 'fill' && entry.renamed !== true,
  (entry) => entry.do !== 'fill' && entry.do !== 'mode' && entry.do !== 'empty',
  (entry) => entry.do === 'fill',
  (entry) => entry.do === 'mode',
];

/** The entries in the order of execution: new names, removals, then what overwrites, the likeliest to fail first. */
export function inOrder(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const rank = (entry: JournalEntry): number => {
    const found = ORDER.findIndex((fits) => fits(entry));
    return found < 0 ? ORDER.length : found;
  };
  // Inner folders are removed before the ones around them.
  const depth = ({ do: what, file }: JournalEntry): number => (what === 'empty' ? -file.path.length : 0);
  return entries.toSorted((a, b) => rank(a) - rank(b) || depth(a) - depth(b));
}

/**
 * Reverses what a batch did so far, if that needs no old content: removes new files and renames moved and removed ones
 * back. The reverse entries are journaled first, so that recovery does the same. Returns false if it is impossible.
 */
export function rollBack(
  done: readonly JournalEntry[],
  folders: Folders,
  options: PerformOptions,
  id: string,
): boolean {
  const back = done.toReversed().map((entry) => reverseOf(entry, folders));
  if (!back.every((entry) => entry !== undefined)) return false;
  writeJournal(options.stateDir, id, back, options.durable);
  for (const entry of back) perform(entry, folders, options);
  if (options.durable) folders.flush();
  return true;
}

function reverseOf(entry: JournalEntry, folders: Folders): JournalEntry | undefined {
  if (entry.do === 'put' && entry.over === undefined) {
    const old = stampNow(entry.file, folders);
    return old?.ino === entry.ino ? { do: 'drop', file: entry.file, old } : undefined;
  }
  if (entry.do === 'link') {
    const old = stampNow(entry.file, folders);
    const isExpected = linkText(folders.of(entry.file), basename(entry.file.path), entry.file.path) === entry.target;
    return old !== undefined && isExpected ? { do: 'drop', file: entry.file, old } : undefined;
  }
  if (entry.do === 'shift' && entry.over === undefined) {
    const old = stampNow(entry.to, folders);
    return old?.ino === entry.old.ino ? { do: 'shift', file: entry.to, to: entry.file, old } : undefined;
  }
  if (entry.do === 'mode') return { ...entry, was: entry.mode, mode: entry.was };
  if (entry.do === 'drop' && entry.aside !== undefined) {
    const { file } = entry;
    const aside = asLocated(join(dirname(file.path), entry.aside), rootOf(file) ?? file.root);
    const old = stampNow(aside, folders);
    return old?.ino === entry.old.ino ? { do: 'shift', file: aside, to: file, old } : undefined;
  }
  return undefined;
}

function stampNow(file: Located, folders: Folders): Stamp | undefined {
  const stats = lstatSync(folders.of(file).at(basename(file.path)), { bigint: true, throwIfNoEntry: false });
  return stats && stampOf(stats);
}
