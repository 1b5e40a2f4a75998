import { closeSync, fsyncSync, readFileSync } from 'node:fs';
import { openContent } from '../write/staged-content.ts';
import { writeFault } from '../faults.ts';
import type { JournalEntry, PutEntry } from './journal-entry.ts';
import { runSystemProgram } from '../../process/programs/system-program.ts';
import { hasFdPaths } from '../gate/pin.ts';
import type { Folders } from './folders.ts';

/** With more unwritten data than this, `sync -f` could wait long for what other programs wrote, such as a disk image. */
const MOST_DIRTY_KB = 256 << 10;
/** After this time the files are flushed one by one. */
const SYNC_TIMEOUT_MS = 10_000;

/**
 * Flushes the temporary files of a batch. Each fsync waits for the disk, about a third of a millisecond as measured;
 * syncfs waits once per file system. Node has no call for it, but `sync -f` has.
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

function flushTogether(puts: readonly PutEntry[], folders: Folders): boolean {
  if (!hasFdPaths() || dirtyKb() > MOST_DIRTY_KB) return false;
  const disks = new Map<bigint, PutEntry>();
  for (const entry of puts) disks.set(folders.diskOf(entry.file), entry);
  return [...disks.values()].every((entry) => {
    // A path through /proc/PID/fd, so that no rename can lead it to another file system.
    const path = folders.of(entry.file).at('.');
    return runSystemProgram('sync', ['-f', path], { timeoutMs: SYNC_TIMEOUT_MS });
  });
}

/** How much data of the whole machine is not written to disk yet. */
function dirtyKb(): number {
  try {
    const text = readFileSync('/proc/meminfo', 'latin1');
    return ['Dirty', 'Writeback'].reduce(
      (sum, name) => sum + Number(new RegExp(`^${name}:\\s+(\\d+)`, 'mu').exec(text)?.[1]),
      0,
    );
  } catch {
    return Number.POSITIVE_INFINITY; // unknown: flush the files one by one
  }
}
