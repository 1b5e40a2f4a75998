import { close, closeSync } from 'node:fs';

/** How many descriptors are closed together, because waking a thread costs as much as closing several. */
const MOST_QUEUED = 16;
/** The kernel assigns the lowest free number: a higher one means that the threads are behind. */
const HIGHEST_QUEUED = 200;

const queue: number[] = [];

/**
 * Closes a file that was read. Closing the last descriptor of an unlinked file frees its blocks, which takes longer than all
 * the rest of writing a small file, so a libuv thread does it. Nothing was written through it, so errors do not matter.
 */
export function closeDeferred(fd: number, unlinked: boolean): void {
  if (!unlinked || fd > HIGHEST_QUEUED) {
    closeSync(fd);
    return;
  }
  queue.push(fd);
  if (queue.length === 1) setImmediate(closeQueued);
  else if (queue.length === MOST_QUEUED) closeQueued();
}

/** Passes the queue to the threads, which close it even while this one is blocked. */
export function closeQueued(): void {
  for (const fd of queue.splice(0)) close(fd, () => undefined);
}
