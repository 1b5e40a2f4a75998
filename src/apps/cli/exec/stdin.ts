/** Forwards standard input to a session. */
import { fstatSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Caller } from '../../../wire/exec.ts';
import type { Gateway } from '../../../wire/methods.ts';
import { Fault } from '../../../base/fault.ts';

/** `none`: /dev/null, or closed. */
export type InputKind = 'stream' | 'file' | 'terminal' | 'none';

const CHUNK = 1 << 16;

export function inputKind(): InputKind {
  try {
    const stats = fstatSync(0);
    if (stats.isFIFO() || stats.isSocket()) return 'stream';
    if (stats.isFile()) return 'file';
    return stats.isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(0) ? 'terminal' : 'none';
  } catch {
    return 'none'; // closed
  }
}

export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** Ignores input after the session ended or closed its input. */
export function sessionSink(gateway: Gateway, caller: Caller, sessionId: string): Sink {
  let open = true;
  const send = async (input: Parameters<typeof toParams>[0]): Promise<void> => {
    if (!open) return;
    try {
      await gateway.call('session.input', { caller, sessionId, input: toParams(input) });
    } catch (error) {
      open = false;
      if (!(error instanceof Fault)) throw error;
    }
  };
  return { write: (bytes) => send(bytes), end: () => send(undefined) };
}

function toParams(bytes: Uint8Array | undefined) {
  if (bytes === undefined) return { kind: 'write', data: '', eof: true } as const;
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return { kind: 'raw', base64 } as const;
}

/** Forwards a pipe or a file with backpressure, until it ends or `stop`. */
export function forwardInput(kind: 'stream' | 'file', sink: Sink, failed: (error: unknown) => void): { stop(): void } {
  return kind === 'file' ? forwardFile(sink, failed) : forwardStream(sink, failed);
}

function forwardFile(sink: Sink, failed: (error: unknown) => void): { stop(): void } {
  let stopped = false;
  const work = async (): Promise<void> => {
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (let count = 0; !stopped && (count = readSync(0, buffer, 0, CHUNK, null)) > 0; )
      await sink.write(buffer.subarray(0, count));
    if (!stopped) await sink.end();
  };
  work().catch(failed);
  return { stop: () => (stopped = true) };
}

/** Not `process.stdin`: creating it takes longer than the rest of a short command. */
function forwardStream(sink: Sink, failed: (error: unknown) => void): { stop(): void } {
  const input = new Socket({ fd: 0, readable: true, writable: false });
  let last: Promise<void> = Promise.resolve();
  input.on('data', (bytes: Buffer) => {
    input.pause();
    last = sink.write(bytes);
    last.then(() => input.resume(), failed);
  });
  // A paused socket still emits `end`, which must not overtake the last data.
  input.on('end', () => void last.then(() => sink.end()).catch(failed));
  input.on('error', failed);
  return { stop: () => void input.destroy() };
}
