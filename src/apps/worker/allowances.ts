/** Limits of a call: in a shared process, and in a worker. */
import type { Allowance } from '../../hosts/workers/meter.ts';

/** Lock, record, write and fsync of one file take 1 to 7 ms. */
const SHARED_NAMES = 48;
const WORKER_NAMES = 5_000;

/**
 * Work within these limits takes less than about 50 ms for any file content. `path` parses documents, some of them at
 * 500 bytes per millisecond; the other tools compare and copy text.
 */
export function sharedAllowance(tool: string): Allowance {
  return tool === 'path'
    ? { whole: 16 << 10, windows: 128 << 10, work: 16 << 10, names: SHARED_NAMES }
    : { whole: 256 << 10, windows: 4 << 20, work: 256 << 10, names: SHARED_NAMES };
}

/**
 * A call beyond these limits is refused before it reads or writes: a larger document does not fit into a worker's heap,
 * and more files cannot be written before its deadline on a slow disk. The other tools have their own limits.
 */
export function workerAllowance(tool: string): Allowance {
  const unbounded = Number.POSITIVE_INFINITY;
  const whole = tool === 'path' ? 64 << 20 : unbounded;
  return { whole, windows: unbounded, work: unbounded, names: WORKER_NAMES };
}
