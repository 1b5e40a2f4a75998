/** The library that opens terminals. Reads all output of a program before it closes its terminal. */
import { closeSync, constants as files, openSync, readSync } from 'node:fs';
import { constants as system } from 'node:os';
import type { Socket } from 'node:net';
import type { Exit } from './launch.ts';

/**
 * The part of the library that is used, with two internals: the name of the terminal's other side, and its stream.
 * Never call its `kill` or `destroy`: on a terminal that was not opened they signal every process of the user.
 */
export interface LibraryTerminal {
  readonly pid: number;
  readonly fd: number;
  readonly _pty: string;
  readonly _socket: Socket;
  onExit(listener: (exit: { exitCode: number; signal?: number }) => void): unknown;
  resize(cols: number, rows: number): void;
}

export interface TerminalLibrary {
  spawn(file: string, args: string[], options: Record<string, unknown>): LibraryTerminal;
}

/** Throws where it is not installed or not built for this machine. */
export async function loadTerminalLibrary(): Promise<TerminalLibrary> {
  const loaded = (await import('@lydell/node-pty')) as unknown as TerminalLibrary & { default?: TerminalLibrary };
  return loaded.default ?? loaded;
}

/**
 * Keeps the terminal from hanging up when its program ends: Node 20 takes a hang-up for the end of the data and loses
 * unread output. Undefined where it cannot be opened.
 */
export function holdOtherSide({ _pty }: LibraryTerminal): number | undefined {
  try {
    return openSync(_pty, files.O_RDWR | files.O_NOCTTY | files.O_NONBLOCK);
  } catch {
    return undefined; // the program has ended already and hung up
  }
}

/** What reads a terminal. */
export interface TerminalReader {
  /** It waits until its receiver has room. */
  readonly isBlocked: boolean;
}

const POLL_MS = 8;
const BLOCKED_MS = 2;
const CHUNK_BYTES = 65_536;

/** Reports the exit after all output was read. The library itself destroys the stream some time after the exit, read or not. */
export function watchTerminalEnd(
  terminal: LibraryTerminal,
  otherSide: number | undefined,
  reader: TerminalReader,
  ended: (exit: Exit) => void,
): void {
  const screen = terminal['_socket'];
  const destroy = screen.destroy.bind(screen);
  let isRead = false;
  screen.destroy = (error?: Error) => (isRead ? destroy(error) : screen);
  const finish = (): void => {
    isRead = true;
    if (otherSide !== undefined) closeSync(otherSide);
    destroy();
  };
  const drain = (): void => {
    if (reader.isBlocked || screen.readableLength > 0) {
      setTimeout(drain, BLOCKED_MS);
      return;
    }
    const bytes = readNow(terminal.fd);
    if (bytes === undefined) {
      finish();
      return;
    }
    screen.emit('data', bytes);
    setImmediate(drain);
  };
  const watch = setInterval(() => {
    if (isAlive(terminal.pid)) return;
    clearInterval(watch);
    drain();
  }, POLL_MS);
  terminal.onExit(({ exitCode, signal }) =>
    ended(
      signal === undefined || signal === 0
        ? { kind: 'code', code: exitCode }
        : { kind: 'signal', signal: signalName(signal) },
    ),
  );
}

/**
 * The unread output of a terminal; undefined when there is none. The kernel passes output to the reader with a delay, but a read
 * that would block gets it immediately. A stream is not notified before that.
 */
function readNow(fd: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    const length = readSync(fd, bytes);
    return length === 0 ? undefined : bytes.subarray(0, length);
  } catch {
    return undefined; // EAGAIN: no more output; EIO: and no process left that could write any
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function signalName(number: number): string {
  return Object.entries(system.signals).find(([, value]) => value === number)?.[0] ?? `SIG${number}`;
}
