import { readSync } from 'node:fs';
import { pause } from '../terminal/output.ts';

const CHUNK = 1 << 16;

/** Reads standard input in chunks. The caller may keep each chunk. */
export function* readInput(): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let count = readSome(buffer); count > 0; count = readSome(buffer)) yield Buffer.from(buffer.subarray(0, count));
}

/** Blocks until data arrives; retries after a pause if the descriptor is non-blocking. */
function readSome(buffer: Buffer): number {
  for (;;) {
    try {
      return readSync(0, buffer, 0, buffer.length, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      pause();
    }
  }
}

export function readAllInput(): Buffer {
  return Buffer.concat([...readInput()]);
}

/** `bytes` is undefined for a line over the limit. */
export interface InputLine {
  readonly bytes: Buffer | undefined;
  /** Whether the next line is already read. If not, flush output first: the sender may wait for it. */
  readonly more: boolean;
}

/** Reads standard input line by line, without the newlines. */
export function* inputLines(longest: number): Generator<InputLine> {
  let pieces: Buffer[] = [];
  let size = 0;
  let tooLong = false;
  const finish = (last: Buffer): Buffer | undefined => {
    const whole = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
    const bytes = tooLong || whole.length > longest ? undefined : whole;
    pieces = [];
    size = 0;
    tooLong = false;
    return bytes;
  };
  for (const piece of readInput()) {
    let start = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, start)) {
      const bytes = finish(piece.subarray(start, end));
      start = end + 1;
      yield { bytes, more: piece.indexOf(10, start) >= 0 };
    }
    if (start === piece.length) continue;
    size += piece.length - start;
    if (size > longest) {
      tooLong = true;
      pieces = [];
    } else pieces.push(piece.subarray(start));
  }
  if (size > 0) yield { bytes: finish(Buffer.alloc(0)), more: false };
}
