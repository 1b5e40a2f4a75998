/** Making the contents of a batch durable. */
import { closeSync, fsyncSync, readFileSync } from 'node:fs';
import { openContent } from '../write/content.ts';
import { writeFault } from '../faults.ts';
import type { JournalEntry, PutEntry } from './journal-entry.ts';
import { runSystemProgram } from '../../process/programs/system-program.ts';
import { hasFdPaths } from '../gate/pin.ts';
import type { Folders } from './folders.ts';

/** More than this is not flushed for others' sake: whoever copies a disk image meanwhile shall not hold us up. */
const MOST_DIRTY_KB = 256 << 10;
/** The program that flushes a file system gets this long, then the files are flushed one by one. */
const PATIENCE_MS = 10_000;

/**
 * Flushes the unfinished files of a batch. Each fsync waits for the disk by itself, about a third of a millisecond
 * here; flushing their whole file system waits once. Node has no call for that, but `sync -f` does it.
 */
export function flushContents(entries: readonly JournalEntry[], folders: Folders): void {
  const puts = entries.filter((entry) => entry.do === 'put');
  if (puts.length === 0 || flushTogether(puts, folders)) return;
  for (const entry of puts) flushOne(entry, folders);
}

function flushOne(entry: PutEntry, folders: Folders): void {
  try {
    const { file, temp, ino, size } = entry;
    const fd = openContent({ path: folders.of(file).at(temp), ino, size }, file.path);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw writeFault(error, entry.file.path);
  }
}

/** Whether the file systems of these files were flushed as a whole. */
function flushTogether(puts: readonly PutEntry[], folders: Folders): boolean {
  if (!hasFdPaths() || dirtyKb() > MOST_DIRTY_KB) return false;
  const disks = new Map<bigint, PutEntry>();
  for (const entry of puts) disks.set(folders.diskOf(entry.file), entry);
  return [...disks.values()].every((entry) => {
    // Named through this process, so that no path can lead to another file system meanwhile.
    const path = folders.of(entry.file).at('.');
    return runSystemProgram('sync', ['-f', path], { timeoutMs: PATIENCE_MS });
  });
}

/** How much the whole machine has yet to write. */
function dirtyKb(): number {
  try {
    const text = readFileSync('/proc/meminfo', 'latin1');
    return ['Dirty', 'Writeback'].reduce(
      (sum, name) => sum + Number(new RegExp(`^${name}:\\s+(\\d+)`, 'mu').exec(text)?.[1]),
      0,
    );
  } catch {
    return Number.POSITIVE_INFINITY; // not to be known: then one by one
  }
}
