import { fstatSync, statSync, writeSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { visible, visibleStyled } from './visible.ts';

/** Where a command writes; `--stdin` collects instead of printing. */
export interface Output {
  /** A person reads it: standard output is a terminal. */
  readonly isTerminal: boolean;
  /** A person reads the errors: standard error is a terminal. */
  readonly errorIsTerminal: boolean;
  readonly colour: boolean;
  /** Results and errors only, no notices. */
  readonly quiet: boolean;
  out(text: string | Uint8Array): void;
  /** Never throws: a message that nobody can take changes no answer. */
  err(text: string | Uint8Array): void;
  /** Where `out` and `err` end at a terminal and are filtered: the same without the filter. */
  readonly unfiltered?: Pick<Output, 'out' | 'err'>;
}

/** For what a terminal is to obey: cursor and screens of our own, and output of programs that is filtered already or asked for raw. */
export function unfiltered(output: Output): Pick<Output, 'out' | 'err'> {
  return output.unfiltered ?? output;
}

/** The process's own standard output and error. */
export function processOutput(): Output {
  const isTerminal = isTerminalAt(1);
  const colour = isTerminal && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  const errorIsTerminal = isTerminalAt(2);
  const plain = { out: (text: string | Uint8Array): void => writeAll(1, text), err: tryToTell };
  return {
    isTerminal,
    errorIsTerminal,
    colour,
    quiet: false,
    out: isTerminal ? harmless(plain.out) : plain.out,
    err: errorIsTerminal ? harmless(plain.err) : plain.err,
    unfiltered: plain,
  };
}

/** The one filter in front of a terminal: names, values and messages may come from anybody. */
function harmless(write: (text: string) => void): Output['out'] {
  // Bytes come in pieces, which may end inside of a character.
  const decoder = new TextDecoder();
  return (text) => write(visibleStyled(typeof text === 'string' ? text : decoder.decode(text, { stream: true })));
}

/** The same output without notices, where `--quiet` asks for that. */
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

/** The content of a file for the one who asked: byte for byte, but harmless on a terminal. */
export function showContent(bytes: Uint8Array, output: Output): void {
  output.out(output.isTerminal ? visible(Buffer.from(bytes).toString()) : bytes);
}

/** For JSON: the same data, but nothing in it that a terminal would obey. */
export function jsonOutput(output: Output): Output {
  if (!output.isTerminal) return output;
  // Bytes come in pieces, which may end inside of a character.
  const decoder = new TextDecoder();
  const out = (text: string | Uint8Array): void =>
    output.out(visible(typeof text === 'string' ? text : decoder.decode(text, { stream: true })));
  return { ...output, out };
}

function tryToTell(text: string | Uint8Array): void {
  try {
    writeAll(2, text);
  } catch {
    // There is nowhere left to say it; the exit code still does.
  }
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
      if (code !== 'EAGAIN') throw cannotPrint(error as Error);
      pause();
    }
  }
}

/** A full disk behind `>`, most likely. What the command did before it answered stays done. */
function cannotPrint(cause: Error): Fault {
  return new Fault('FS_OUTPUT_FAILED', `the answer could not be printed: ${cause.message}`, {
    hint: 'a change that was asked for may have been written; make room for the output and look',
    cause,
  });
}

/** Waits a moment for a pipe that is full, or empty, just now. */
export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}
