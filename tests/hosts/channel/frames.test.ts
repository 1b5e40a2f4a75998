import { describe, expect, it } from 'vitest';
import {
  creditFrame,
  frame,
  type FrameKind,
  FrameReader,
  KINDS,
  LONGEST_MESSAGE,
  LONGEST_PART,
  messageFrame,
  piecesOf,
  readCredit,
} from '../../../src/hosts/channel/frames.ts';
import { ProtocolViolation } from '../../../src/hosts/channel/protocol-violation.ts';
import { fc } from '../../support/property.ts';
import { processorMs } from '../../support/patience.ts';

interface Read {
  readonly kind: FrameKind;
  readonly id: number;
  readonly payload: Uint8Array;
}

const anyFrame = fc.record({
  kind: fc.constantFrom(...(Object.keys(KINDS) as FrameKind[]).filter((kind) => kind !== 'credit')),
  id: fc.nat(0xffff_ffff),
  payload: fc.uint8Array({ maxLength: 300 }),
});

/** Reads each piece out of one and the same place, as a socket with a buffer of its own does. */
function readAll(reader: FrameReader, pieces: readonly Uint8Array[]): Read[] {
  const read: Read[] = [];
  const place = Buffer.alloc(Math.max(0, ...pieces.map(({ length }) => length)));
  for (const piece of pieces) {
    place.set(piece);
    reader.read(place.subarray(0, piece.length), (kind, id, payload) =>
      read.push({ kind, id, payload: Uint8Array.from(payload) }),
    );
    place.fill(0xee);
  }
  return read;
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const size of sizes) {
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...pieces, bytes.subarray(at)];
}

describe('frames', () => {
  it('are read as they were written, however the stream is cut and whatever becomes of its buffer', () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 8 }), fc.array(fc.nat(60)), (sent, sizes) => {
        const bytes = Buffer.concat(sent.map(({ kind, id, payload }) => frame(kind, id, payload)));
        expect(readAll(new FrameReader(), cut(bytes, sizes))).toEqual(sent);
      }),
    );
  });

  it('are passed on where they lie when they came in whole', () => {
    const bytes = frame('out', 1, Uint8Array.of(1, 2, 3));
    new FrameReader().read(bytes, (_kind, _id, payload) => expect(payload.buffer).toBe(bytes.buffer));
    expect.assertions(1);
  });

  it('of the longest kind cost no more byte by byte than at once', () => {
    const sent = frame('message', 1, new Uint8Array(LONGEST_MESSAGE).fill(0x20));
    const reader = new FrameReader();
    const began = processorMs();
    let read = 0;
    for (let at = 0; at < sent.length; at++) reader.read(sent.subarray(at, at + 1), () => read++);
    expect(read).toBe(1);
    expect(processorMs() - began).toBeLessThan(20_000); // copying all that there is each time takes minutes
  });

  it('carry long payloads in pieces, and nothing as one', () => {
    const payload = new Uint8Array(LONGEST_PART * 2 + 5).fill(7);
    expect([...piecesOf(payload)].map(({ length }) => length)).toEqual([LONGEST_PART, LONGEST_PART, 5]);
    expect([...piecesOf(new Uint8Array(0))].map(({ length }) => length)).toEqual([0]);
  });

  it.each([
    ['a kind that does not exist', Uint8Array.of(0, 0, 0, 0, 99, 0, 0, 0, 0)],
    ['no kind', Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0)],
    ['a part that is too long', Uint8Array.of(1, 0, 1, 0, KINDS.out, 0, 0, 0, 0)],
    ['a message that is too long', Uint8Array.of(1, 0, 16, 0, KINDS.message, 0, 0, 0, 0)],
    ['a credit that is too long', Uint8Array.of(6, 0, 0, 0, KINDS.credit, 0, 0, 0, 0)],
    ['a length beyond all bounds', Uint8Array.of(255, 255, 255, 255, KINDS.in, 0, 0, 0, 0)],
  ])('are refused at their header, and all behind them: %s', (_, header) => {
    const reader = new FrameReader();
    const taken: string[] = [];
    expect(() => reader.read(header, (kind) => taken.push(kind))).toThrow(ProtocolViolation);
    expect(() => reader.read(frame('out', 1, Uint8Array.of(1)), (kind) => taken.push(kind))).toThrow(ProtocolViolation);
    expect(taken).toEqual([]);
  });

  it('of messages hold JSON', () => {
    const [read] = readAll(new FrameReader(), [messageFrame(4, { type: 'hello', text: 'ä' })]);
    expect([read?.id, JSON.parse(Buffer.from(read!.payload).toString())]).toEqual([4, { type: 'hello', text: 'ä' }]);
    expect(() => messageFrame(4, 'x'.repeat(2 ** 20))).toThrow(ProtocolViolation);
  });

  it('of credit name a stream and a number', () => {
    const [read] = readAll(new FrameReader(), [creditFrame(9, 'err', 0xffff_fffe)]);
    expect([read?.id, readCredit(read!.payload)]).toEqual([9, { stream: 'err', bytes: 0xffff_fffe }]);
    expect(() => readCredit(Uint8Array.of(KINDS.message, 1, 0, 0, 0))).toThrow(ProtocolViolation);
    expect(() => readCredit(Uint8Array.of(KINDS.out, 1))).toThrow(ProtocolViolation);
  });
});
