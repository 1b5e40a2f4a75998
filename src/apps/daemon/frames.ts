/**
 * Frames on a stream of bytes. Each begins with the length of its body, four bytes, the highest first.
 *
 *   json   = "{" …                                  one message
 *   output = 0x01 id(4) stream(1) start(6) bytes     what a session wrote, as it is
 */
import type { FollowEvent } from '../../wire/session.ts';

/** No body is longer: whoever announces more is not one of ours. */
export const LONGEST_FRAME = 32 << 20;
/** Output goes in pieces of at most this, so that answers find their way in between. */
export const LONGEST_OUTPUT = 1 << 20;

const LENGTH = 4;
const OUTPUT_HEAD = 12;
const OUTPUT = 1;
const BRACE = 0x7b;

export type OutputEvent = Extract<FollowEvent, { type: 'output' }>;

/** What a frame held. */
export type Frame =
  | { readonly kind: 'json'; readonly message: Readonly<Record<string, unknown>> }
  | { readonly kind: 'output'; readonly id: number; readonly event: OutputEvent };

/** What came is no frame of ours. */
export class BrokenFrame extends Error {}

/** One message as a frame; undefined when it is too long to be sent. */
export function messageFrame(message: object): Buffer | undefined {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  if (length > LONGEST_FRAME) return undefined;
  const frame = Buffer.allocUnsafe(LENGTH + length);
  frame.writeUInt32BE(length, 0);
  frame.write(text, LENGTH);
  return frame;
}

/** Output as frames; the bytes are copied, so that whoever gave them may use their place again. */
export function* outputFrames(id: number, { stream, start, bytes }: OutputEvent): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += LONGEST_OUTPUT) {
    const piece = bytes.subarray(at, at + LONGEST_OUTPUT);
    const frame = Buffer.allocUnsafe(LENGTH + OUTPUT_HEAD + piece.length);
    frame.writeUInt32BE(OUTPUT_HEAD + piece.length, 0);
    frame[LENGTH] = OUTPUT;
    frame.writeUInt32BE(id, LENGTH + 1);
    frame[LENGTH + 5] = stream === 'out' ? 1 : 2;
    frame.writeUIntBE(start + at, LENGTH + 6, 6);
    frame.set(piece, LENGTH + OUTPUT_HEAD);
    yield frame;
  }
}

/** Puts frames together from whatever pieces the socket gives. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #held = 0;
  #longest: number;

  constructor(longest = LONGEST_FRAME) {
    this.#longest = longest;
  }

  /** Frames up to this length from now on. */
  set longest(bytes: number) {
    this.#longest = bytes;
  }

  /** The frames that this piece completes. Throws BrokenFrame; then the stream cannot be read any further. */
  *read(piece: Buffer): Generator<Frame> {
    this.#pieces.push(piece);
    this.#held += piece.length;
    while (this.#held >= LENGTH) {
      const length = this.#length();
      if (length === 0 || length > this.#longest) throw new BrokenFrame(`a frame of ${length} bytes`);
      if (this.#held < LENGTH + length) return;
      const whole = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces, this.#held);
      const rest = whole.subarray(LENGTH + length);
      this.#pieces = rest.length === 0 ? [] : [rest];
      this.#held = rest.length;
      yield parse(whole.subarray(LENGTH, LENGTH + length));
    }
  }

  #length(): number {
    const first = this.#pieces[0]!;
    if (first.length >= LENGTH) return first.readUInt32BE(0);
    // The length itself was cut: join the few pieces once.
    this.#pieces = [Buffer.concat(this.#pieces, this.#held)];
    return this.#pieces[0]!.readUInt32BE(0);
  }
}

function parse(body: Buffer): Frame {
  if (body[0] === BRACE) {
    try {
      return { kind: 'json', message: JSON.parse(body.toString('utf8')) as Record<string, unknown> };
    } catch (error) {
      throw new BrokenFrame('a message that is not JSON', { cause: error });
    }
  }
  if (body[0] !== OUTPUT || body.length < OUTPUT_HEAD) throw new BrokenFrame('a frame of an unknown kind');
  const event: OutputEvent = {
    type: 'output',
    stream: body[5] === 1 ? 'out' : 'err',
    start: body.readUIntBE(6, 6),
    bytes: body.subarray(OUTPUT_HEAD),
  };
  return { kind: 'output', id: body.readUInt32BE(1), event };
}
