/** How much a call may read and do: in a process that others share, and in a worker. */
import type { Allowance } from '../../hosts/workers/meter.ts';

/** A file is locked, recorded, written and flushed in 1 to 7 ms. */
const SHARED_NAMES = 48;
const WORKER_NAMES = 5_000;

/**
 * What takes less than about 50 ms whatever stands in the files. Documents of `path` are parsed, some of them at 500 bytes
 * per millisecond; the other tools compare and copy text.
 */
export function sharedAllowance(tool: string): Allowance {
  return tool === 'path'
    ? { whole: 16 << 10, windows: 128 << 10, work: 16 << 10, names: SHARED_NAMES }
    : { whole: 256 << 10, windows: 4 << 20, work: 256 << 10, names: SHARED_NAMES };
}

/**
 * What is refused before it is read or written: no document of this size fits into the heap of a worker, and so many
 * files are not written within its deadline on a slow disk. The other tools have limits of their own.
 */
export function workerAllowance(tool: string): Allowance {
  const unbounded = Number.POSITIVE_INFINITY;
  const whole = tool === 'path' ? 64 << 20 : unbounded;
  return { whole, windows: unbounded, work: unbounded, names: WORKER_NAMES };
}
