import { fstatSync, statSync, writeSync } from 'node:fs';

/** Where a command writes; `--stdin` collects instead of printing. */
export interface Output {
  /** A person reads it: standard output is a terminal. */
  readonly isTerminal: boolean;
  readonly colour: boolean;
  out(text: string | Uint8Array): void;
  err(text: string): void;
}

/** The process's own standard output and error. */
export function processOutput(): Output {
  const isTerminal = isTerminalAt(1);
  const colour = isTerminal && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  return { isTerminal, colour, out: (text) => writeAll(1, text), err: (text) => writeAll(2, text) };
}

/** `process.stdout.isTTY` would make a stream first, which costs a tenth of a whole run. */
function isTerminalAt(fd: number): boolean {
  try {
    if (process.platform !== 'win32') {
      const status = fstatSync(fd);
      if (!status.isCharacterDevice() || status.rdev === statSync('/dev/null').rdev) return false;
    }
    return process.getBuiltinModule('node:tty').isatty(fd);
  } catch {
    return false; // a closed standard output is no terminal
  }
}

/** The reader went away: nothing is wrong, and there is nobody left to tell. */
export class BrokenPipe extends Error {}

/** Writes everything: a pipe may take a part, or be full for a moment. */
function writeAll(fd: number, text: string | Uint8Array): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at, bytes.length - at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') throw new BrokenPipe();
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
