import { describe, expect, it } from 'vitest';
import {
  BrokenFrame,
  type Frame,
  FrameReader,
  LONGEST_FRAME,
  LONGEST_OUTPUT,
  messageFrame,
  outputFrames,
} from '../../../src/apps/daemon/frames.ts';
import { fc } from '../../support/property.ts';

/** Cuts bytes at these places and reads them piece by piece. */
function readCut(bytes: Buffer, cuts: readonly number[]): readonly Frame[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const reader = new FrameReader();
  return places.slice(1).flatMap((end, at) => [...reader.read(bytes.subarray(places[at], end))]);
}

const sent = fc.oneof(
  fc.record({ json: fc.record({ id: fc.nat(), text: fc.string() }) }),
  fc.record({
    id: fc.integer({ min: 0, max: 0xffff_ffff }),
    stream: fc.constantFrom('out' as const, 'err' as const),
    start: fc.integer({ min: 0, max: 2 ** 47 }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }),
  }),
);

describe('frames', () => {
  it('come out as they went in, however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(sent), fc.array(fc.nat()), (all, cuts) => {
        const bytes = all.flatMap((one) =>
          'json' in one
            ? [messageFrame(one.json)!]
            : [...outputFrames(one.id, { type: 'output', stream: one.stream, start: one.start, bytes: one.bytes })],
        );
        const read = readCut(Buffer.concat(bytes), cuts).map((frame) =>
          frame.kind === 'json'
            ? { json: frame.message }
            : {
                id: frame.id,
                stream: frame.event.stream,
                start: frame.event.start,
                bytes: new Uint8Array(frame.event.bytes),
              },
        );
        expect(read).toEqual(all);
      }),
    );
  });

  it('carry long output in pieces that follow each other', () => {
    const bytes = new Uint8Array(2 * LONGEST_OUTPUT + 5).fill(7);
    const frames = [...outputFrames(3, { type: 'output', stream: 'err', start: 10, bytes })];
    const starts = readCut(Buffer.concat(frames), []).map((frame) => frame.kind === 'output' && frame.event.start);
    expect(starts).toEqual([10, 10 + LONGEST_OUTPUT, 10 + 2 * LONGEST_OUTPUT]);
  });

  it.each([
    ['a length of nothing', Buffer.from([0, 0, 0, 0])],
    ['a length beyond the bound', Buffer.from([0x7f, 0, 0, 0])],
    ['text that is not JSON', Buffer.from('\0\0\0\u0002{x')],
    ['an unknown kind', Buffer.from('\0\0\0\u0001Z')],
    ['output without its head', Buffer.from([0, 0, 0, 2, 1, 0])],
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('are refused as broken: %s', (_, bytes) => {
    expect(() => [...new FrameReader().read(bytes)]).toThrow(BrokenFrame);
  });

  it('are not made from a message beyond the bound', () => {
    expect(messageFrame({ text: 'x'.repeat(LONGEST_FRAME) })).toBeUndefined();
  });
});
