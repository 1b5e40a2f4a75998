import { expect, it } from 'vitest';
import { LONGEST_CARRIED } from '../../../../src/hosts/channel/carriers/carrier.ts';
import { NATS_WINDOW, NatsCarrier } from '../../../../src/hosts/channel/carriers/nats-carrier.ts';
import {
  creditPayload,
  NATS_KINDS,
  type NatsFrame,
  natsFrame,
  readNatsFrame,
} from '../../../../src/hosts/channel/carriers/nats-frames.ts';
import { receive } from '../../../contracts/carrier-laws.ts';
import { eventLoopTurns } from '../../../support/patience.ts';

const CONNECTION = 'ab'.repeat(16);

interface Alone {
  readonly carrier: NatsCarrier;
  readonly sent: NatsFrame[];
  /** Bytes of messages that were published. */
  readonly bytes: () => number;
}

function alone(maxPayload = 1024 * 1024): Alone {
  const sent: NatsFrame[] = [];
  const carrier = new NatsCarrier({
    connection: CONNECTION,
    remote: 'test',
    maxPayload,
    publish: (frame) => void sent.push(readNatsFrame(frame)!),
    ended: () => undefined,
  });
  const isData = ({ kind }: NatsFrame): boolean => kind === NATS_KINDS.data || kind === NATS_KINDS.part;
  return {
    carrier,
    sent,
    bytes: () => sent.filter(isData).reduce((sum, { payload }) => sum + payload.length, 0),
  };
}

const frame = (kind: number, number: number, payload: Uint8Array = new Uint8Array(0)): NatsFrame =>
  readNatsFrame(natsFrame(kind as never, CONNECTION, number, payload))!;

it.each<readonly [string, readonly NatsFrame[], string]>([
  ['a missing frame', [frame(NATS_KINDS.data, 1)], 'message 1 instead of 0'],
  ['a repeated frame', [frame(NATS_KINDS.data, 0), frame(NATS_KINDS.data, 0)], 'message 0 instead of 1'],
  ['an unknown kind', [frame(99, 0)], 'a malformed message'],
  ['credit for bytes that were not sent', [frame(NATS_KINDS.credit, 0, creditPayload(1))], 'a malformed message'],
  ['credit of a wrong size', [frame(NATS_KINDS.credit, 0, Buffer.from([1]))], 'a malformed message'],
  ['an empty part', [frame(NATS_KINDS.part, 0)], 'a malformed message'],
  [
    'a message that never ends',
    Array.from({ length: 9 }, (_, number) => frame(NATS_KINDS.part, number, new Uint8Array(NATS_WINDOW / 2))),
    'a message that is too long',
  ],
])('ends the connection on %s', async (_, frames, reason) => {
  const { carrier, sent } = alone();
  const received = receive(carrier);
  await eventLoopTurns();
  for (const each of frames) carrier.receive(each);
  await eventLoopTurns();
  expect(received.down).toEqual([reason]);
  expect(Buffer.from(sent.at(-1).payload).toString()).toBe(reason);
});

it('ends the connection on more bytes than it gave room for, while nobody reads', () => {
  const { carrier, sent } = alone();
  carrier.receive(frame(NATS_KINDS.data, 0, new Uint8Array(NATS_WINDOW)));
  expect(sent).toEqual([]);
  carrier.receive(frame(NATS_KINDS.data, 1, new Uint8Array(1)));
  expect(sent.map(({ kind }) => kind)).toEqual([NATS_KINDS.close]);
});

it('has at most one window of bytes on the way', () => {
  const { carrier, bytes } = alone();
  const received = receive(carrier);
  expect(carrier.send(new Uint8Array(LONGEST_CARRIED))).toBe(false);
  expect(bytes()).toBe(NATS_WINDOW);
  let number = 0;
  for (let taken = 0; taken < LONGEST_CARRIED; ) {
    taken = bytes();
    carrier.receive(frame(NATS_KINDS.credit, number++, creditPayload(taken)));
    expect(bytes() - taken).toBeLessThanOrEqual(NATS_WINDOW);
  }
  expect(bytes()).toBe(LONGEST_CARRIED);
  expect(received.rooms).toBe(1);
});

it('says that a message is sent after its last part, of which it keeps nothing', () => {
  const { carrier, sent, bytes } = alone();
  const messages = [NATS_WINDOW, 1].map((length) => Buffer.alloc(length, 'a'));
  const released: number[] = [];
  for (const [number, message] of messages.entries())
    carrier.send(message, () => {
      released.push(number);
      message.fill('b');
    });
  expect([released, bytes()]).toEqual([[0], NATS_WINDOW]);
  carrier.receive(frame(NATS_KINDS.credit, 0, creditPayload(NATS_WINDOW)));
  expect([released, bytes()]).toEqual([[0, 1], NATS_WINDOW + 1]);
  expect(sent.every(({ payload }) => payload.every((byte) => byte === 97))).toBe(true);
});

it('sends no frame that the server would refuse', () => {
  const { carrier, sent } = alone(1024);
  carrier.send(new Uint8Array(10_000));
  expect(sent.every((each) => each.payload.length + 23 <= 1024)).toBe(true);
});

it('shows no control characters of the other end', async () => {
  const { carrier } = alone();
  const received = receive(carrier);
  carrier.receive(frame(NATS_KINDS.close, 0, Buffer.from('a\u001b[2Jb')));
  await eventLoopTurns();
  expect(received.down).toEqual(['a [2Jb']);
});

it('keeps no part of a message, however many there are', async () => {
  const { carrier } = alone();
  const received = receive(carrier);
  await eventLoopTurns();
  const parts = Array.from({ length: 2_000 }, (_, i) => Buffer.from([i % 251]));
  const expected = Buffer.concat(parts);
  for (const [number, part] of parts.entries()) {
    carrier.receive({ kind: NATS_KINDS.part, connection: CONNECTION, number, payload: part });
    part.fill(0xff); // a part that is still used would show it
  }
  carrier.receive(frame(NATS_KINDS.data, parts.length));
  await eventLoopTurns();
  expect(received.messages.map((message) => Buffer.from(message).equals(expected))).toEqual([true]);
});
