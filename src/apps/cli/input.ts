import { readSync } from 'node:fs';
import { pause } from '../terminal/output.ts';

const CHUNK = 1 << 16;

/** Standard input in pieces as they come; each piece is the caller's own. */
export function* readInput(): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let count = readSome(buffer); count > 0; count = readSome(buffer)) yield Buffer.from(buffer.subarray(0, count));
}

/** Blocks until something comes; a terminal or pipe in non-blocking mode is asked again after a moment. */
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

/** All of standard input. */
export function readAllInput(): Buffer {
  return Buffer.concat([...readInput()]);
}

/** A line of standard input; one that is longer than the bound is passed over and has no bytes. */
export interface InputLine {
  readonly bytes: Buffer | undefined;
  /** Whether more lines have been read already: else whoever waits for an answer must get it first. */
  readonly more: boolean;
}

/** Standard input line by line, without the line feeds. */
export function* inputLines(longest: number): Generator<InputLine> {
  let waiting: Buffer[] = [];
  let held = 0;
  let tooLong = false;
  const finish = (last: Buffer): Buffer | undefined => {
    const whole = waiting.length === 0 ? last : Buffer.concat([...waiting, last]);
    const bytes = tooLong || whole.length > longest ? undefined : whole;
    waiting = [];
    held = 0;
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
    held += piece.length - start;
    if (held > longest) {
      tooLong = true;
      waiting = [];
    } else waiting.push(piece.subarray(start));
  }
  if (held > 0) yield { bytes: finish(Buffer.alloc(0)), more: false };
}
