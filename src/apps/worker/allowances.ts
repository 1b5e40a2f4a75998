/** How much a call may read and do: in a process that others share, and in a worker. */
import type { Allowance } from '../../hosts/workers/meter.ts';

/**
 * What takes less than about 50 ms whatever stands in the files. Documents of `path` are parsed, some of them at 500 bytes
 * per millisecond; the other tools compare and copy text.
 */
export function sharedAllowance(tool: string): Allowance {
  return tool === 'path'
    ? { whole: 16 << 10, windows: 128 << 10, work: 16 << 10 }
    : { whole: 256 << 10, windows: 4 << 20, work: 256 << 10 };
}

/**
 * What is refused before it is read: no document of this size fits into the heap of a worker. The other tools have limits
 * of their own.
 */
export function workerAllowance(tool: string): Allowance {
  const unbounded = Number.POSITIVE_INFINITY;
  return { whole: tool === 'path' ? 64 << 20 : unbounded, windows: unbounded, work: unbounded };
}
