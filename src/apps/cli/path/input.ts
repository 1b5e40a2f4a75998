import { readSync } from 'node:fs';
import { pause } from '../output.ts';

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
