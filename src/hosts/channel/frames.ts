/**
 * The frames of a channel, in both directions:
 *   u32 length of the payload · u8 kind · u32 id · payload        (little-endian)
 * A reader refuses a frame that is too long for its kind before it allocates memory for it.
 */

import { ProtocolViolation } from './protocol-violation.ts';

/**
 * `message`: JSON. `out`, `err`, `in`, `net`: bytes of a stream, none for its end. `part`, `last`: a value in parts.
 * `credit`: how many more bytes of a stream may be sent. `log`: bytes of a session's log with their position.
 */
export const KINDS = { message: 1, out: 2, err: 3, in: 4, net: 5, part: 6, last: 7, credit: 8, log: 9 } as const;

export type FrameKind = keyof typeof KINDS;
/** The kinds that are streams with flow control. */
export type StreamKind = 'out' | 'err' | 'in' | 'net';

/** The payload is valid only during the call. */
export type FrameTaker = (kind: FrameKind, id: number, payload: Uint8Array) => void;

export const HEADER_BYTES = 9;
/** Streams and long values are sent in parts of this size, so that none blocks the others for long. */
export const LONGEST_PART = 64 * 1024;
export const LONGEST_MESSAGE = 1024 * 1024;
/** A call or a result of several parts. */
export const LONGEST_VALUE = 32 * 1024 * 1024;
/** Bytes of a stream that may be sent before its receiver has taken them. */
export const STREAM_WINDOW = 1024 * 1024;
/** The same for a connection, of which a sandbox may have many. */
export const NET_WINDOW = 256 * 1024;

const CREDIT_BYTES = 5;
/** u48 position · u8 stream, before the bytes of a log. */
const LOG_BYTES = 7;
/** Answers are sent between frames. A link sends a frame of this size in one message. */
const LONGEST_LOG = LONGEST_PART;
const LONGEST: Readonly<Record<FrameKind, number>> = {
  message: LONGEST_MESSAGE,
  out: LONGEST_PART,
  err: LONGEST_PART,
  in: LONGEST_PART,
  net: LONGEST_PART,
  part: LONGEST_PART,
  last: LONGEST_PART,
  credit: CREDIT_BYTES,
  log: LONGEST_MESSAGE,
};
const NAMES: readonly (FrameKind | undefined)[] = Object.entries(KINDS).reduce<(FrameKind | undefined)[]>(
  (names, [name, code]) => {
    names[code] = name as FrameKind;
    return names;
  },
  [],
);

/** A header without its payload. */
export function frameHeader(kind: FrameKind, id: number, length: number): Uint8Array {
  return putHeader(new Uint8Array(HEADER_BYTES), kind, id, length);
}

export function frame(kind: FrameKind, id: number, payload: Uint8Array): Uint8Array {
  const bytes = putHeader(new Uint8Array(HEADER_BYTES + payload.length), kind, id, payload.length);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

export function messageFrame(id: number, message: unknown): Uint8Array {
  const payload = Buffer.from(JSON.stringify(message));
  if (payload.length > LONGEST_MESSAGE) throw new ProtocolViolation(`a message of ${payload.length} bytes is too long`);
  return frame('message', id, payload);
}

export function creditFrame(id: number, stream: StreamKind, bytes: number): Uint8Array {
  const made = putHeader(new Uint8Array(HEADER_BYTES + CREDIT_BYTES), 'credit', id, CREDIT_BYTES);
  made[HEADER_BYTES] = KINDS[stream];
  putNumber(made, HEADER_BYTES + 1, bytes);
  return made;
}

export function readCredit(payload: Uint8Array): { readonly stream: StreamKind; readonly bytes: number } {
  const stream = NAMES[payload[0] ?? 0];
  if (payload.length !== CREDIT_BYTES || !isStream(stream)) throw new ProtocolViolation('credit for an unknown stream');
  return { stream, bytes: numberAt(payload, 1) };
}

/** Bytes of a session's log. */
export interface LogBytes {
  readonly stream: 'out' | 'err';
  /** Position of the first byte in the log. */
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** Up to this size it is cheaper to copy a payload than to write it separately from its header. */
export const WORTH_COPYING = 4096;

/** The frames in pieces. Long bytes are not copied: they must not change until they are sent. */
export function* logFrames(id: number, { stream, start, bytes }: LogBytes): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += LONGEST_LOG) {
    const piece = bytes.subarray(at, at + LONGEST_LOG);
    const isCopied = piece.length <= WORTH_COPYING;
    const length = LOG_BYTES + piece.length;
    const made = new Uint8Array(HEADER_BYTES + LOG_BYTES + (isCopied ? piece.length : 0));
    putHeader(made, 'log', id, length);
    putNumber(made, HEADER_BYTES, start + at);
    const high = Math.floor((start + at) / 2 ** 32);
    made[HEADER_BYTES + 4] = high;
    made[HEADER_BYTES + 5] = high >>> 8;
    made[HEADER_BYTES + 6] = KINDS[stream];
    if (isCopied) made.set(piece, HEADER_BYTES + LOG_BYTES);
    yield made;
    if (!isCopied) yield piece;
  }
}

export function readLog(payload: Uint8Array): LogBytes {
  const stream = NAMES[payload[6] ?? 0];
  if (stream !== 'out' && stream !== 'err') throw new ProtocolViolation('a log of an unknown stream');
  const high = (payload[4] ?? 0) | ((payload[5] ?? 0) << 8);
  return { stream, start: high * 2 ** 32 + numberAt(payload, 0), bytes: payload.subarray(LOG_BYTES) };
}

/** Splits a payload into pieces that fit into frames. An empty payload is one empty piece. */
export function* piecesOf(payload: Uint8Array): Generator<Uint8Array> {
  if (payload.length === 0) yield payload;
  for (let at = 0; at < payload.length; at += LONGEST_PART) yield payload.subarray(at, at + LONGEST_PART);
}

/**
 * Splits incoming bytes into frames. A frame that is complete in one read is passed on without a copy. Otherwise it is collected
 * in its own buffer, so that a sender of single bytes costs no more than others.
 */
export class FrameReader {
  /** Only for a header that is divided between reads, which is rare. */
  #header: Uint8Array | undefined;
  #headerBytes = 0;
  #kind: FrameKind = 'message';
  #id = 0;
  #payload: Uint8Array | undefined;
  #filled = 0;
  #broken: ProtocolViolation | undefined;

  /** Passes on complete frames. Throws a ProtocolViolation for an invalid header, and for everything after it. */
  read(bytes: Uint8Array, take: FrameTaker): void {
    if (this.#broken !== undefined) throw this.#broken;
    for (let at = 0; at < bytes.length; ) {
      at = this.#payload === undefined ? this.#readHeader(bytes, at, take) : this.#collect(bytes, at, take);
    }
  }

  /** Returns the position of the first byte that was not read. */
  #readHeader(bytes: Uint8Array, from: number, take: FrameTaker): number {
    const used = Math.min(HEADER_BYTES - this.#headerBytes, bytes.length - from);
    let at = from;
    let header = bytes;
    let headerAt = from;
    if (used < HEADER_BYTES) {
      this.#header ??= new Uint8Array(HEADER_BYTES);
      this.#header.set(bytes.subarray(from, from + used), this.#headerBytes);
      this.#headerBytes += used;
      if (this.#headerBytes < HEADER_BYTES) return from + used;
      header = this.#header;
      headerAt = 0;
    }
    at += used;
    this.#headerBytes = 0;
    const length = this.#parseHeader(header, headerAt);
    if (bytes.length - at >= length) {
      take(this.#kind, this.#id, bytes.subarray(at, at + length));
      return at + length;
    }
    this.#payload = new Uint8Array(length);
    this.#filled = 0;
    return at;
  }

  #parseHeader(header: Uint8Array, at: number): number {
    const length = numberAt(header, at);
    const code = header[at + 4] ?? 0;
    const kind = NAMES[code];
    if (kind === undefined) throw this.#breakWith(`unknown frame kind ${code}`);
    if (length > LONGEST[kind]) throw this.#breakWith(`a frame of ${length} bytes is too long for ${kind}`);
    this.#kind = kind;
    this.#id = numberAt(header, at + 5);
    return length;
  }

  #collect(bytes: Uint8Array, at: number, take: FrameTaker): number {
    const payload = this.#payload ?? new Uint8Array(0);
    const used = Math.min(payload.length - this.#filled, bytes.length - at);
    payload.set(bytes.subarray(at, at + used), this.#filled);
    this.#filled += used;
    if (this.#filled === payload.length) {
      this.#payload = undefined;
      take(this.#kind, this.#id, payload);
    }
    return at + used;
  }

  #breakWith(message: string): ProtocolViolation {
    this.#broken = new ProtocolViolation(message);
    return this.#broken;
  }
}

function isStream(kind: FrameKind | undefined): kind is StreamKind {
  return kind === 'out' || kind === 'err' || kind === 'in' || kind === 'net';
}

function putHeader(bytes: Uint8Array, kind: FrameKind, id: number, length: number): Uint8Array {
  putNumber(bytes, 0, length);
  bytes[4] = KINDS[kind];
  putNumber(bytes, 5, id);
  return bytes;
}

function putNumber(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

function numberAt(bytes: Uint8Array, at: number): number {
  const byte = (i: number): number => bytes[at + i] ?? 0;
  return (byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24)) >>> 0;
}
