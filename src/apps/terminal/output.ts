import { fstatSync, statSync, writeSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { visible, visibleStyled } from './visible.ts';

/** The output of a command; `--stdin` collects it instead of printing. */
export interface Output {
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
  /** Whether stderr is a terminal. */
  readonly errorIsTerminal: boolean;
  readonly colour: boolean;
  /** Results and errors only, no notices. */
  readonly quiet: boolean;
  out(text: string | Uint8Array): void;
  /** Never throws: a message that cannot be written must not change the result. */
  err(text: string | Uint8Array): void;
  /** `out` and `err` without the filter for terminals, if they have one. */
  readonly unfiltered?: Pick<Output, 'out' | 'err'>;
}

/** For control sequences of pincer itself, and for program output that is already filtered or requested raw. */
export function unfiltered(output: Output): Pick<Output, 'out' | 'err'> {
  return output.unfiltered ?? output;
}

export function processOutput(): Output {
  const isTerminal = isTerminalAt(1);
  const colour = isTerminal && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  const errorIsTerminal = isTerminalAt(2);
  const plain = { out: (text: string | Uint8Array): void => writeAll(1, text), err: tryToWrite };
  return {
    isTerminal,
    errorIsTerminal,
    colour,
    quiet: false,
    out: isTerminal ? terminalSafe(plain.out) : plain.out,
    err: errorIsTerminal ? terminalSafe(plain.err) : plain.err,
    unfiltered: plain,
  };
}

/** The filter before a terminal: names, values and messages are untrusted. */
function terminalSafe(write: (text: string) => void): Output['out'] {
  // A chunk may end inside a character.
  const decoder = new TextDecoder();
  return (text) => write(visibleStyled(typeof text === 'string' ? text : decoder.decode(text, { stream: true })));
}

/** Without notices, for `--quiet`. */
export function quietly(output: Output, quiet: boolean): Output {
  if (!quiet) return output;
  const { isTerminal, errorIsTerminal, colour, unfiltered: plain } = output;
  return {
    isTerminal,
    errorIsTerminal,
    colour,
    quiet,
    out: (text) => output.out(text),
    err: (text) => output.err(text),
    ...(plain === undefined ? {} : { unfiltered: plain }),
  };
}

/** Writes file content unchanged, but filtered on a terminal. */
export function showContent(bytes: Uint8Array, output: Output): void {
  output.out(output.isTerminal ? visible(Buffer.from(bytes).toString()) : bytes);
}

/** For JSON: the same data, with control characters escaped. */
export function jsonOutput(output: Output): Output {
  if (!output.isTerminal) return output;
  // A chunk may end inside a character.
  const decoder = new TextDecoder();
  const out = (text: string | Uint8Array): void =>
    output.out(visible(typeof text === 'string' ? text : decoder.decode(text, { stream: true })));
  return { ...output, out };
}

function tryToWrite(text: string | Uint8Array): void {
  try {
    writeAll(2, text);
  } catch {
    // Nowhere to report it; the exit code remains.
  }
}

/** `process.stdout.isTTY` would create a stream, which costs a tenth of a whole run. */
function isTerminalAt(fd: number): boolean {
  try {
    if (process.platform !== 'win32') {
      const status = fstatSync(fd);
      if (!status.isCharacterDevice() || status.rdev === statSync('/dev/null').rdev) return false;
    }
    return process.getBuiltinModule('node:tty').isatty(fd);
  } catch {
    return false; // stdout is closed
  }
}

/** The reader has closed the pipe, which is not an error. */
export class BrokenPipe extends Error {}

/** Writes everything: a pipe may accept a part, or be full for a moment. */
function writeAll(fd: number, text: string | Uint8Array): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at, bytes.length - at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') throw new BrokenPipe();
      if (code !== 'EAGAIN') throw cannotPrint(error as Error);
      pause();
    }
  }
}

/** Usually a full disk behind `>`. Changes that the command made before stay. */
function cannotPrint(cause: Error): Fault {
  return new Fault('FS_OUTPUT_FAILED', `cannot write the output: ${cause.message}`, {
    hint: 'the command may have made its changes; free disk space for the output, and check',
    cause,
  });
}

/** Waits a moment for a full or empty pipe. */
export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}
