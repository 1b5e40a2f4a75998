/**
 * Opening a named pipe for reading blocks until it has a writer. A program that opens its ended input again by name, such as
 * `cat /dev/stdin`, would block for ever. So the pipe is opened for writing and closed again from time to time.
 */
import { closeSync, constants, existsSync, openSync } from 'node:fs';

/** Linux: a descriptor that can neither read nor write. */
const O_PATH = 0o10000000;
const FIRST_MS = 5;
const LAST_MS = 500;

/** For the pipe that this descriptor writes to. Returns a function that stops it. */
export function letLateReadersIn(descriptor: number): () => void {
  if (!existsSync('/proc/self/fd')) return () => {}; // other systems cannot reopen a pipe that has no name
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
    // No process reads or waits, or there are no free descriptors.
  }
}
