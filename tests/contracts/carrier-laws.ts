/** What every carrier keeps. `connect` returns both ends of one connection. */
import { describe, expect, it } from 'vitest';
import { type Carrier, HEADROOM, LONGEST_CARRIED } from '../../src/hosts/channel/carriers/carrier.ts';
import { eventLoopTurns, until } from '../support/patience.ts';

export interface Received {
  readonly messages: Uint8Array[];
  rooms: number;
  readonly down: string[];
}

/** Collects what a carrier delivers. */
export function receive(carrier: Carrier): Received {
  const received: Received = { messages: [], rooms: 0, down: [] };
  carrier.on({
    message: (bytes) => received.messages.push(bytes),
    room: () => void received.rooms++,
    down: (reason) => received.down.push(reason),
  });
  return received;
}

const numbered = (number: number): Uint8Array => Buffer.from(`message ${number}`);
const texts = (messages: readonly Uint8Array[]): string[] => messages.map((bytes) => Buffer.from(bytes).toString());
const withHeadroom = (bytes: Uint8Array): Buffer => Buffer.concat([new Uint8Array(HEADROOM), bytes]).subarray(HEADROOM);
const MIB = 1024 * 1024;

export function describeCarrier(name: string, connect: () => Promise<readonly [Carrier, Carrier]>): void {
  describe(name, () => {
    it('delivers whole messages in order, in both directions', async () => {
      const [a, b] = await connect();
      const [atA, atB] = [receive(a), receive(b)];
      const sent = Array.from({ length: 500 }, (_, number) => numbered(number));
      for (const message of sent) {
        a.send(message);
        b.send(message);
      }
      await until(() => atA.messages.length + atB.messages.length === 2 * sent.length, 'all messages');
      expect([texts(atA.messages), texts(atB.messages)]).toEqual([texts(sent), texts(sent)]);
    });

    it('carries a message of any length up to the longest, unchanged', async () => {
      const [a, b] = await connect();
      const atB = receive(b);
      const sent = [0, 1, 125, 126, 65_535, 65_536, LONGEST_CARRIED].map((length) =>
        Buffer.alloc(length, `bytes ${length} `),
      );
      for (const message of sent) a.send(message);
      await until(() => atB.messages.length === sent.length, 'all messages');
      expect(sent.every((message, i) => message.equals(atB.messages[i]!))).toBe(true);
    });

    it('delivers what was sent, when the sender uses the memory again after `sent`', async () => {
      const [a, b] = await connect();
      const atB = receive(b);
      const sent = Array.from({ length: 50 }, (_, number) => withHeadroom(Buffer.alloc(65_600, `message ${number} `)));
      const expected = texts(sent);
      for (const message of sent) a.send(message, () => message.fill(0));
      await until(() => atB.messages.length === sent.length, 'all messages');
      expect(texts(atB.messages)).toEqual(expected);
    });

    it('sends messages of every length with a header in their headroom', async () => {
      const [a, b] = await connect();
      const [atA, atB] = [receive(a), receive(b)];
      const sent = [0, 1, 125, 126, 4095, 4096, 65_535, 65_536, 65_623, 65_700, LONGEST_CARRIED].map((length) =>
        withHeadroom(Buffer.alloc(length, `bytes ${length} `)),
      );
      const expected = texts(sent);
      for (const message of sent) {
        a.send(Buffer.from(message));
        a.send(message, () => undefined);
        b.send(withHeadroom(message), () => undefined);
      }
      await until(() => atA.messages.length + atB.messages.length === 3 * sent.length, 'all messages');
      expect(texts(atA.messages)).toEqual(expected);
      expect(texts(atB.messages)).toEqual(expected.flatMap((text) => [text, text]));
    });

    it('uses the memory of a message again only when it was released', async () => {
      const [a, b] = await connect();
      const kept: Uint8Array[] = [];
      const seen: string[] = [];
      b.on({
        message(bytes, release) {
          seen.push(Buffer.from(bytes).toString());
          if (seen.length % 2 === 0) kept.push(bytes);
          else release?.(bytes);
        },
        room() {},
        down() {},
      });
      const sent = Array.from({ length: 100 }, (_, number) => `${number} `.padEnd(20_000, `message ${number} `));
      for (const message of sent) a.send(Buffer.from(message));
      await until(() => seen.length === sent.length, 'all messages');
      expect(seen).toEqual(sent);
      expect(texts(kept)).toEqual(sent.filter((_, number) => number % 2 === 1));
    });

    it('refuses to send a longer message', async () => {
      const [a] = await connect();
      expect(() => a.send(new Uint8Array(LONGEST_CARRIED + 1))).toThrow('a message of');
    });

    it('keeps messages for the next receiver while it has none', async () => {
      const [a, b] = await connect();
      const first: Uint8Array[] = [];
      b.on({
        message(bytes) {
          first.push(bytes);
          b.on(undefined);
        },
        room() {},
        down() {},
      });
      for (let number = 0; number < 5; number++) a.send(numbered(number));
      await until(() => first.length === 1, 'the first message');
      await eventLoopTurns();
      const second = receive(b);
      await until(() => second.messages.length === 4, 'the others');
      expect([...texts(first), ...texts(second.messages)]).toEqual([0, 1, 2, 3, 4].map((n) => `message ${n}`));
    });

    it('has no room while the other end does not read, and reports room when it does', async () => {
      const [a, b] = await connect();
      const [atA, atB] = [receive(a), receive(b)];
      b.pause();
      let sent = 0;
      await until(() => {
        sent++;
        return !a.send(new Uint8Array(MIB));
      }, 'the carrier to be full');
      // A buffer of the kernel may take some of it after the first `false`: send until there is no room for long.
      for (let quiet = 0; quiet < 20; ) {
        const before = atA.rooms;
        await eventLoopTurns(20);
        if (atA.rooms === before) quiet++;
        else {
          quiet = 0;
          sent++;
          a.send(new Uint8Array(MIB));
        }
      }
      expect(atB.messages.length).toBeLessThan(3);
      expect(sent).toBeLessThan(64);
      const before = atA.rooms;
      b.resume();
      await until(() => atB.messages.length === sent, 'all messages');
      await until(() => atA.rooms > before, 'room');
    });

    it('reports its end once at both ends, with the reason', async () => {
      const [a, b] = await connect();
      const [atA, atB] = [receive(a), receive(b)];
      a.send(numbered(1));
      a.close('enough');
      a.close('again');
      await until(() => atB.down.length > 0, 'the end');
      expect(a.send(numbered(2))).toBe(true);
      b.close('too late');
      await eventLoopTurns();
      expect({ ...atA, atB: texts(atB.messages), down: [atA.down, atB.down] }).toEqual({
        messages: [],
        rooms: 0,
        atB: ['message 1'],
        down: [['enough'], ['enough']],
      });
    });

    it('reports its end to a receiver that comes later', async () => {
      const [a, b] = await connect();
      a.send(numbered(1));
      a.close('enough');
      await eventLoopTurns();
      const atB = receive(b);
      await until(() => atB.down.length > 0, 'the end');
      expect([texts(atB.messages), atB.down]).toEqual([['message 1'], ['enough']]);
    });
  });
}
