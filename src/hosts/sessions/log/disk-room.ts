/** How much of a disk logs may fill: the last of it belongs to approvals, the audit log and everybody else. */
import { statfsSync, type StatsFs } from 'node:fs';

const MOST_RESERVE = 64 << 20;
const RESERVED_SHARE = 0.05;
/** The disk is looked at again after so much at most: others write to it, too. */
const LONGEST_STEP = 16 << 20;

/** How many bytes may be written to the disk of a folder before it has to be asked again; 0 when it is nearly full. */
export function roomOnDisk(folder: string): number {
  let disk: StatsFs;
  try {
    disk = statfsSync(folder);
  } catch {
    return LONGEST_STEP; // the folder lost its name; the open file says by itself when its disk is full
  }
  const { bavail, blocks, bsize } = disk;
  const reserve = Math.min(MOST_RESERVE, blocks * bsize * RESERVED_SHARE);
  const room = bavail * bsize - reserve;
  return room <= 0 ? 0 : Math.min(LONGEST_STEP, Math.ceil(room / 2));
}
