import { describe, expect, it } from 'vitest';
import * as ws from 'ws';
import { HEADROOM, LONGEST_CARRIED } from '../../../../src/hosts/channel/carriers/carrier.ts';
import { LongMessages, withFrameHeader } from '../../../../src/hosts/channel/carriers/websocket-frames.ts';
import { fc } from '../../../support/property.ts';

/** The parts of `ws` that its types leave out. */
interface Receiver {
  on(event: string, listener: (value: unknown) => void): void;
  write(chunk: Buffer): boolean;
}
const { Receiver, Sender } = ws as unknown as {
  readonly Receiver: new (options: object) => Receiver;
  readonly Sender: { frame(data: Buffer, options: object): Buffer[] };
};

type Seen = readonly [event: string, value: string];

/** A receiver of `ws`, and what it reports, in order. */
function receiver(isServer: boolean): { readonly seen: Seen[]; readonly parser: Receiver } {
  const seen: Seen[] = [];
  const parser = new Receiver({ isServer, maxPayload: LONGEST_CARRIED });
  for (const event of ['message', 'ping', 'pong', 'conclude'])
    parser.on(event, (value) => seen.push([event, Buffer.from(String(value)).toString('hex')]));
  parser.on('error', (error) => seen.push(['error', (error as Error).message]));
  return { seen, parser };
}

function split(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    chunks.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return chunks;
}

const frame = fc.record({
  opcode: fc.constantFrom(2, 2, 2, 2, 2, 2, 2, 0, 1, 8, 9, 10, 3),
  fin: fc.constantFrom(true, true, true, true, false),
  rsv1: fc.constantFrom(false, false, false, false, false, true),
  isZero: fc.constantFrom(true, true, true, false),
  wrongMask: fc.constantFrom(false, false, false, false, false, false, true),
  length: fc.oneof(
    fc.integer({ min: 0, max: 200 }),
    fc.constantFrom(4095, 4096, 5000, 65_535, 65_536, 65_664, 65_665, 70_000, LONGEST_CARRIED + 1),
  ),
});

describe('the fast path of long messages', () => {
  it('delivers what the package ws alone delivers, in the same order, however the bytes are divided', () => {
    const property = fc.property(
      fc.array(frame, { minLength: 1, maxLength: 8 }),
      fc.array(fc.constantFrom(1, 2, 3, 13, 100, 16_384, 70_000), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      (frames, sizes, isServer) => {
        const sizesInUse = sizes.every((size) => size < 100) ? [...sizes, 16_384] : sizes;
        const bytes = Buffer.concat(
          frames.flatMap(({ opcode, fin, rsv1, isZero, wrongMask, length }, i) => {
            const mask = isServer !== wrongMask;
            const generateMask = (key: Buffer) => void key.fill(isZero ? 0 : 7);
            return Sender.frame(Buffer.alloc(opcode > 7 ? length % 126 : length, `${i} `), {
              opcode,
              fin,
              rsv1,
              mask,
              generateMask,
              readOnly: true,
            });
          }),
        );
        const alone = receiver(isServer);
        for (const chunk of split(bytes, sizesInUse)) alone.parser.write(chunk);
        const { seen, parser } = receiver(isServer);
        const long = new LongMessages(isServer, {
          message: (message, release) => {
            seen.push(['message', Buffer.from(message).toString('hex')]);
            release(message);
          },
          rest: (rest) => parser.write(Buffer.from(rest)),
        });
        for (const chunk of split(bytes, sizesInUse)) {
          long.read(chunk);
          chunk.fill(0xee); // the memory is used for the next read
        }
        expect(seen.length).toBe(alone.seen.length);
        expect(seen.every(([event, value], i) => event === alone.seen[i]![0] && value === alone.seen[i]![1])).toBe(
          true,
        );
      },
    );
    fc.assert(property);
  });

  it('reads long messages itself', () => {
    const own: number[] = [];
    const rest: number[] = [];
    const long = new LongMessages(false, {
      message: ({ length }) => void own.push(length),
      rest: ({ length }) => rest.push(length) > 0,
    });
    const options = { opcode: 2, fin: true, mask: false };
    for (const length of [10, 4096, 65_600, 4095])
      long.read(Buffer.concat(Sender.frame(Buffer.alloc(length), options)));
    expect({ own, rest }).toEqual({ own: [4096, 65_600], rest: [12, 4099] });
  });
});

describe('the header of a frame', () => {
  it.each([0, 1, 125, 126, 65_535, 65_536, 70_000])('of %i bytes is the one of the package ws', (length) => {
    for (const mask of [true, false]) {
      const message = Buffer.alloc(HEADROOM + length, 'x').subarray(HEADROOM);
      const generateMask = (key: Buffer) => void key.fill(0);
      const expected = Buffer.concat(Sender.frame(Buffer.from(message), { opcode: 2, fin: true, mask, generateMask }));
      expect(withFrameHeader(message, mask).equals(expected)).toBe(true);
    }
  });
});
