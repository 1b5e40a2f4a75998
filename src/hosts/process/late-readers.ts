/**
 * A named pipe keeps whoever opens it waiting while nobody writes to it. A program that opens its input again by name, such
 * as `cat /dev/stdin`, would wait for ever once that has ended; so somebody comes as a writer of nothing, now and then.
 */
import { closeSync, constants, existsSync, openSync } from 'node:fs';

/** Linux: a hold on the file that neither reads nor writes. */
const O_PATH = 0o10000000;
const FIRST_MS = 5;
const LAST_MS = 500;

/** Begins, for the pipe that this descriptor writes to. What it gives ends it. */
export function letLateReadersIn(descriptor: number): () => void {
  if (!existsSync('/proc/self/fd')) return () => {}; // other systems have no way to come back to a pipe without a name
  const hold = openSync(`/proc/self/fd/${descriptor}`, O_PATH);
  let timer: NodeJS.Timeout | undefined;
  const visit = (after: number): void => {
    timer = setTimeout(() => {
      writeNothing(hold);
      visit(Math.min(LAST_MS, 2 * after));
    }, after);
    timer.unref();
  };
  visit(FIRST_MS);
  return () => {
    clearTimeout(timer);
    closeSync(hold);
  };
}

function writeNothing(hold: number): void {
  try {
    closeSync(openSync(`/proc/self/fd/${hold}`, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    // Nobody reads and nobody waits, or there are no descriptors left for now.
  }
}
