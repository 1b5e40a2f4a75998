import { setImmediate } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/**
 * The turn of the next part of a long search. Each part has a turn of the event loop of its own, so that many searches at once
 * stop the other work of the process no longer than one of them does.
 */
export function searchTurn(): Promise<void> {
  last = last.then(() => setImmediate());
  return last;
}

/** The number of rows in one part: a search with many terms compares each row many times. */
export function rowsAtOnce(comparisons: number, terms: number): number {
  return Math.ceil(comparisons / (terms + 1));
}
