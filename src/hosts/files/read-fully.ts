import { readSync } from 'node:fs';

/** Fills `into` from a position of a file and returns the number of bytes read, which is less only at the end. */
export function readFully(fd: number, into: Uint8Array, position: number): number {
  let done = 0;
  while (done < into.length) {
    const count = readSync(fd, into, done, into.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}
