/**
 * A fast path for the WebSocket frames of long messages that links send: whole, binary, unmasked or with a mask of zeros. The
 * package `ws` makes two new buffers for each of them; here the memory is used again.
 */
import { BufferPool } from '../../buffer-pool.ts';
import { HEADROOM, LONGEST_CARRIED, type Release } from './carrier.ts';

const WHOLE_BINARY = 0x82;
const MASKED = 0x80;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
const MASK_BYTES = 4;
/** `ws` reads shorter and longer messages. */
const SHORTEST = 4 * 1024;
const LONGEST = 64 * 1024 + 128;
/** Shared by all connections. */
const messages = new BufferPool(LONGEST);
const release: Release = (bytes) => messages.release(bytes);

/** Writes the header of a frame into the HEADROOM of a message, and returns both. */
export function withFrameHeader({ buffer, byteOffset, length }: Uint8Array, isMasked: boolean): Buffer {
  const bytes = Buffer.from(buffer, byteOffset - HEADROOM, HEADROOM + length);
  const mask = isMasked ? MASKED : 0;
  let at = HEADROOM - (isMasked ? MASK_BYTES : 0);
  bytes.fill(0, at, HEADROOM);
  if (length < LENGTH_16) bytes[--at] = mask | length;
  else if (length < 0x1_0000) {
    bytes.writeUInt16BE(length, (at -= 2));
    bytes[--at] = mask | LENGTH_16;
  } else {
    bytes.writeUIntBE(length, (at -= 6), 6);
    bytes.writeUInt16BE(0, (at -= 2));
    bytes[--at] = mask | LENGTH_64;
  }
  bytes[--at] = WHOLE_BINARY;
  return bytes.subarray(at);
}

export interface FrameTakers {
  message(bytes: Uint8Array, release: Release): void;
  /** The bytes of all other frames, in order. False: it has no room for more. */
  rest(bytes: Buffer): boolean;
}

/** Splits the bytes of a connection into long messages and the rest. After a frame that is not a message, all is the rest. */
export class LongMessages {
  readonly #takers: FrameTakers;
  /** What the other end must set in the second byte. */
  readonly #mask: number;
  /** A header that is not complete. */
  #begun: Buffer | undefined;
  #message: Buffer | undefined;
  #filled = 0;
  /** Bytes of the rest that follow. */
  #rest = 0;

  constructor(isMasked: boolean, takers: FrameTakers) {
    this.#mask = isMasked ? MASKED : 0;
    this.#takers = takers;
  }

  /** Returns false when the taker of the rest has no room for more. */
  read(received: Buffer): boolean {
    const chunk = this.#begun === undefined ? received : Buffer.concat([this.#begun, received]);
    this.#begun = undefined;
    let hasRoom = true;
    for (let at = 0; at < chunk.length; ) {
      if (this.#message !== undefined) at += this.#collect(this.#message, chunk, at);
      else if (this.#rest === 0) at += this.#readHeader(chunk, at);
      if (this.#rest === 0) continue;
      const part = chunk.subarray(at, at + this.#rest);
      this.#rest -= part.length;
      at += part.length;
      if (part.length > 0) hasRoom = this.#takers.rest(part);
    }
    return hasRoom;
  }

  #collect(message: Buffer, chunk: Buffer, at: number): number {
    const copied = chunk.copy(message, this.#filled, at);
    this.#filled += copied;
    if (this.#filled < message.length) return copied;
    this.#message = undefined;
    this.#takers.message(message, release);
    return copied;
  }

  /** Returns how many bytes were read. */
  #readHeader(chunk: Buffer, at: number): number {
    const header = chunk.subarray(at, at + HEADROOM);
    const [first, second = this.#mask] = header;
    if (first !== WHOLE_BINARY || (second & MASKED) !== this.#mask) return this.#leave(Number.POSITIVE_INFINITY);
    const length = headerBytes(header);
    if (header.length < length) {
      this.#begun = Buffer.from(header);
      return header.length;
    }
    const payload = payloadBytes(header);
    if (payload > LONGEST_CARRIED) return this.#leave(Number.POSITIVE_INFINITY);
    const isPlain = this.#mask === 0 || header.readUInt32LE(length - MASK_BYTES) === 0;
    if (!isPlain || payload < SHORTEST || payload > LONGEST) return this.#leave(length + payload);
    this.#message = messages.allocate(payload);
    this.#filled = 0;
    return length;
  }

  /** These bytes belong to the rest; none of them is read yet. */
  #leave(bytes: number): 0 {
    this.#rest = bytes;
    return 0;
  }
}

/** The length of a header, of which some bytes may be missing. */
function headerBytes([, second]: Uint8Array): number {
  if (second === undefined) return 2;
  const code = second % MASKED;
  return 2 + (code === LENGTH_64 ? 8 : code === LENGTH_16 ? 2 : 0) + (second >= MASKED ? MASK_BYTES : 0);
}

function payloadBytes(header: Buffer): number {
  const code = header[1]! % MASKED;
  if (code === LENGTH_64) return header.readUInt32BE(2) * 2 ** 32 + header.readUInt32BE(6);
  return code === LENGTH_16 ? header.readUInt16BE(2) : code;
}
