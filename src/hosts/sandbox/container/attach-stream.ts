/**
 * The attached stream of a container without a terminal. Its output consists of frames, each with a header of 8 bytes:
 *   u8 stream (1 stdout, 2 stderr) · 3 zero bytes · u32 length       (big-endian)
 * Its input is plain; closing our half of the connection ends it.
 */
import { Duplex } from 'node:stream';
import type { Hijacked } from './engine.ts';

const HEADER_BYTES = 8;
const STDOUT = 1;
const STDERR = 2;
/** How much of the end of stderr is kept. */
const KEPT_STDERR = 16 * 1024;

/** The bytes are valid only during the call. */
export type FrameHandler = (stream: 'out' | 'err', bytes: Uint8Array) => void;

/** Splits an engine's stream into frames. Throws an Error for an invalid header. */
export class FrameReader {
  readonly #header = new Uint8Array(HEADER_BYTES);
  #filled = 0;
  #stream: 'out' | 'err' = 'out';
  #left = 0;

  read(bytes: Uint8Array, take: FrameHandler): void {
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
    if ((stream !== STDOUT && stream !== STDERR) || a !== 0 || b !== 0 || c !== 0)
      throw new Error('the engine sent an invalid container stream');
    this.#stream = stream === STDOUT ? 'out' : 'err';
    this.#left = new DataView(this.#header.buffer).getUint32(4);
    this.#filled = 0;
  }
}

/** Stdin and stdout of a container as one stream. */
export interface AttachedStream {
  readonly channel: Duplex;
  /** The end of stderr. */
  readonly stderr: () => string;
}

/** Applies backpressure: the socket is paused while the channel is full. */
export function attachStream({ socket, head }: Hijacked): AttachedStream {
  const frames = new FrameReader();
  let errors = Buffer.alloc(0);
  let hasEnded = false;
  const take: FrameHandler = (stream, bytes) => {
    if (stream === 'err') errors = Buffer.concat([errors, bytes]).subarray(-KEPT_STDERR);
    // No copy needed: Node never reuses the socket's buffer.
    else if (!channel.push(bytes)) socket.pause();
  };
  const read = (bytes: Uint8Array): void => {
    try {
      frames.read(bytes, take);
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
  const endOutput = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    channel.push(null);
  };
  // `close` reports the end; without this listener an error would throw before the channel has its user.
  channel.on('error', () => {});
  socket.on('data', read);
  socket.on('end', endOutput);
  socket.on('error', (error) => channel.destroy(error));
  socket.on('close', () => {
    endOutput();
    // Data from before the end must still be read.
    if (channel.readableEnded) channel.destroy();
    else channel.once('end', () => channel.destroy());
  });
  if (head.length > 0) read(head);
  return { channel, stderr: () => errors.toString('utf8').trim() };
}
