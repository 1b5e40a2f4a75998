/** How much of a disk logs may fill: the rest is reserved for approvals, the audit log and other programs. */
import { statfsSync, type StatsFs } from 'node:fs';

const MOST_RESERVE = 64 << 20;
const RESERVED_SHARE = 0.05;
/** The disk is checked again after this many bytes, because other programs write to it too. */
const LONGEST_STEP = 16 << 20;

/** How many bytes may be written to the disk of a folder before the next check; 0 if it is nearly full. */
export function roomOnDisk(folder: string): number {
  let disk: StatsFs;
  try {
    disk = statfsSync(folder);
  } catch {
    return LONGEST_STEP; // the folder was removed; writes to the open file report a full disk
  }
  const { bavail, blocks, bsize } = disk;
  const reserve = Math.min(MOST_RESERVE, blocks * bsize * RESERVED_SHARE);
  const room = bavail * bsize - reserve;
  return room <= 0 ? 0 : Math.min(LONGEST_STEP, Math.ceil(room / 2));
}
