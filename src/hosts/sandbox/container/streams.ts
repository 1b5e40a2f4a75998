/**
 * The attached stream of a container without a terminal. What comes out is cut into pieces, each behind a header of 8 bytes:
 *   u8 stream (1 output, 2 errors) · 3 bytes of zero · u32 length       (the high byte first)
 * What goes in is plain, and its end is the end of our half of the connection.
 */
import { Duplex } from 'node:stream';
import type { Hijacked } from './engine.ts';

const HEADER_BYTES = 8;
const OUTPUT = 1;
const ERRORS = 2;
/** How much of what a container says about itself is kept: the end of it. */
const KEPT_ERRORS = 16 * 1024;

/** Who takes pieces; the bytes are only good during the call. */
export type PieceTaker = (stream: 'out' | 'err', bytes: Uint8Array) => void;

/** Cuts an engine's stream into what it carries. Throws an Error for what is no such stream. */
export class PieceReader {
  readonly #header = new Uint8Array(HEADER_BYTES);
  #filled = 0;
  #stream: 'out' | 'err' = 'out';
  #left = 0;

  read(bytes: Uint8Array, take: PieceTaker): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#left === 0) {
        const missing = Math.min(HEADER_BYTES - this.#filled, bytes.length - at);
        this.#header.set(bytes.subarray(at, at + missing), this.#filled);
        this.#filled += missing;
        at += missing;
        if (this.#filled === HEADER_BYTES) this.#begin();
        continue;
      }
      const part = bytes.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      take(this.#stream, part);
    }
  }

  #begin(): void {
    const [stream, a, b, c] = this.#header;
    if ((stream !== OUTPUT && stream !== ERRORS) || a !== 0 || b !== 0 || c !== 0)
      throw new Error('the engine sent something that is not the stream of a container');
    this.#stream = stream === OUTPUT ? 'out' : 'err';
    this.#left = new DataView(this.#header.buffer).getUint32(4);
    this.#filled = 0;
  }
}

/** What is attached to a container: its input and output as one stream, and the end of what it said beside that. */
export interface Attached {
  readonly channel: Duplex;
  /** The last of its error output. */
  readonly complaints: () => string;
}

/** Makes the channel of a connection. It reads no faster than it is read from. */
export function attached({ socket, head }: Hijacked): Attached {
  const pieces = new PieceReader();
  let errors = Buffer.alloc(0);
  let hasEnded = false;
  const take: PieceTaker = (stream, bytes) => {
    if (stream === 'err') errors = Buffer.concat([errors, bytes]).subarray(-KEPT_ERRORS);
    // The engine's buffer is ours to keep: it is never written again.
    else if (!channel.push(bytes)) socket.pause();
  };
  const read = (bytes: Uint8Array): void => {
    try {
      pieces.read(bytes, take);
    } catch (error) {
      channel.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const channel = new Duplex({
    allowHalfOpen: true,
    read: () => void socket.resume(),
    write: (chunk: Uint8Array, _encoding, done) => void socket.write(chunk, (error) => done(error ?? null)),
    final: (done) => void socket.end(() => done()),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  const isOver = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    channel.push(null);
  };
  // Its end is told by `close`; whoever takes the channel over later must find it alive until then.
  channel.on('error', () => {});
  socket.on('data', read);
  socket.on('end', isOver);
  socket.on('error', (error) => channel.destroy(error));
  socket.on('close', () => {
    isOver();
    // What came before the end is still to be read.
    if (channel.readableEnded) channel.destroy();
    else channel.once('end', () => channel.destroy());
  });
  if (head.length > 0) read(head);
  return { channel, complaints: () => errors.toString('utf8').trim() };
}
