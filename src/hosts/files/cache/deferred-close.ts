import { close, closeSync } from 'node:fs';

/** So many wait for each other, because waking a thread costs as much as several of them. */
const MOST_WAITING = 16;
/** Descriptors are given out lowest first: past this number the threads have more than enough to do. */
const MOST_OPEN = 200;

const waiting: number[] = [];

/**
 * Closes a file that was open to be read. Behind the last descriptor of one that has lost its name its space is freed,
 * which takes longer than all the rest of writing a small file; so that is done in a thread beside this one. Nothing
 * was written through it, so no failure of closing it means anything.
 */
export function shut(fd: number, lost: boolean): void {
  if (!lost || fd > MOST_OPEN) {
    closeSync(fd);
    return;
  }
  waiting.push(fd);
  if (waiting.length === 1) setImmediate(shutWaiting);
  else if (waiting.length === MOST_WAITING) shutWaiting();
}

/** Hands all that waits to the threads, which close it even while this one is blocked. */
export function shutWaiting(): void {
  for (const fd of waiting.splice(0)) close(fd, () => undefined);
}
