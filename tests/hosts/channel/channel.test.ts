import { type Duplex, duplexPair } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { type Channel, type ChannelOptions, openChannel } from '../../../src/hosts/channel/channel.ts';
import {
  creditFrame,
  frame,
  FrameReader,
  KINDS,
  type FrameKind,
  LONGEST_PART,
  LONGEST_VALUE,
  logFrames,
  messageFrame,
  STREAM_WINDOW,
} from '../../../src/hosts/channel/frames.ts';
import type { IncomingCall } from '../../../src/hosts/channel/serving.ts';
import { eventLoopTurns, until } from '../../support/patience.ts';
import { fc, runs } from '../../support/property.ts';

const lost = (reason: string): Error => new Error(`lost: ${reason}`);
type Serve = (call: IncomingCall) => Promise<unknown>;
type Extra = Partial<ChannelOptions>;

/** A connection; each side closes with the other, as those of a socket do. */
function connection(): [Duplex, Duplex] {
  const [left, right] = duplexPair();
  left.on('close', () => right.destroy()).on('error', () => {});
  right.on('close', () => left.destroy()).on('error', () => {});
  return [left, right];
}

/** Both ends of a channel; each has a list of the reasons why it was broken. */
function pair(serve?: Serve, opener: Extra = {}, acceptor: Extra = {}, [left, right] = connection()) {
  const broken: string[] = [];
  const options = { trust: 'same-build', lost, broken: (reason: string) => void broken.push(reason) } as const;
  const near = openChannel(left, { ...options, side: 'opener', ...opener });
  const far = openChannel(right, { ...options, side: 'acceptor', ...(serve && { serve }), ...acceptor });
  onTestFinished(() => {
    left.destroy();
    right.destroy();
  });
  return { near, far, broken, left, right };
}

/** A real end, and the raw connection of the other one. */
function against(options: Extra): { channel: Channel; other: Duplex; broken: string[] } {
  const [left, other] = connection();
  const broken: string[] = [];
  const channel = openChannel(left, {
    trust: 'hostile',
    side: 'opener',
    lost,
    broken: (why) => broken.push(why),
    ...options,
  });
  onTestFinished(() => {
    left.destroy();
    other.destroy();
  });
  return { channel, other, broken };
}

const long = 'é'.repeat(800_000);

describe('a call', () => {
  it.each<[string, unknown]>([
    ['a short value', { a: [1, 'x'] }],
    ['a long value', { long }],
    ['bytes', Buffer.alloc(70_000, 7)],
    ['no bytes', Buffer.alloc(0)],
    ['nothing', null],
  ])('is answered with %s', async (_, value) => {
    const { near } = pair(async () => value);
    const result = await near.call('m', {});
    expect(result instanceof Uint8Array ? Buffer.from(result) : result).toEqual(value);
  });

  it('carries parameters of any length, in both directions at once', async () => {
    const echo: Serve = async ({ method, params }) => [method, params];
    const { near, far } = pair(echo, { serve: echo });
    const answers = [near.call('a', { long }), far.call('b', { long }), near.call('c', 1), far.call('d', 2)];
    expect(await Promise.all(answers)).toEqual([
      ['a', { long }],
      ['b', { long }],
      ['c', 1],
      ['d', 2],
    ]);
  });

  it('is answered when it is done, in any order', async () => {
    const done: Record<string, () => void> = {};
    const { near } = pair(({ method }) => new Promise((resolve) => (done[method] = () => resolve(method))));
    const order: unknown[] = [];
    const calls = ['a', 'b', 'c'].map((method) => near.call(method, {}).then((answer) => order.push(answer)));
    await until(() => Object.keys(done).length === 3, 'the calls');
    for (const method of ['c', 'a', 'b']) {
      done[method]?.();
      await eventLoopTurns(5);
    }
    await Promise.all(calls);
    expect(order).toEqual(['c', 'a', 'b']);
  });

  it('is rejected with the fault of the other end', async () => {
    const details = { name: 'AbortError', more: [1] };
    const { near } = pair(async () => {
      throw new Fault('EXEC_CLOSED', 'closed', { hint: 'h', details });
    });
    await expect(near.call('m', {})).rejects.toMatchObject({
      name: 'AbortError',
      code: 'EXEC_CLOSED',
      message: 'closed',
      hint: 'h',
      details,
    });
  });

  it('is rejected with INTERNAL_ERROR for any other error', async () => {
    const { near, broken } = pair(() => {
      throw new TypeError('a defect');
    });
    await expect(near.call('m', {})).rejects.toMatchObject({ code: 'INTERNAL_ERROR', message: 'unexpected a defect' });
    expect(broken).toEqual([]);
  });

  it('delivers events and logs in their order and before the answer, whatever their length', async () => {
    const bytes = new Uint8Array(3_000_000).fill(5);
    const { near } = pair(async ({ event, log }) => {
      event({ long });
      log({ stream: 'err', start: 2 ** 40, bytes });
      event('short');
      return long;
    });
    const heard: unknown[] = [];
    let logged = 0;
    const answer = await near.call(
      'm',
      {},
      {
        event: (value) => heard.push(value),
        log: ({ stream, start, bytes: piece }) => {
          heard.push([stream, start - logged]);
          logged += piece.length;
        },
      },
    );
    heard.push(answer);
    const logs = heard.splice(1, heard.length - 3);
    expect(heard).toEqual([{ long }, 'short', long]);
    expect([logged, ...new Set(logs.map(String))]).toEqual([bytes.length, `err,${2 ** 40}`]);
  });

  it.each([{}, { long }])('is cancelled by its signal and still has its answer', async (params) => {
    const { near } = pair(
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('cancelled'))),
    );
    const [now, later] = [AbortSignal.abort(), new AbortController()];
    const calls = [near.call('m', params, { signal: now }), near.call('m', params, { signal: later.signal })];
    later.abort();
    expect(await Promise.all(calls)).toEqual(['cancelled', 'cancelled']);
  });

  it('ends without the others when its listener throws', async () => {
    const { near, broken } = pair(async ({ method, event, signal }) => {
      if (method === 'events') {
        event(1);
        event(2);
        await until(() => signal.aborted, 'the cancellation');
      }
      return method;
    });
    const fails = near.call(
      'events',
      {},
      {
        event: () => {
          throw new RangeError('full');
        },
      },
    );
    const other = near.call('other', {});
    await expect(fails).rejects.toThrow(new RangeError('full'));
    expect([await other, await near.call('later', {}), broken]).toEqual(['other', 'later', []]);
  });

  it('has room for more of a log when its reader reads, and when it has ended', async () => {
    const waits: unknown[] = [];
    const bytes = new Uint8Array(1024 * 1024);
    const { near, left } = pair(async ({ log, room, signal }) => {
      for (let i = 0; i < 6; i++) {
        log({ stream: 'out', start: 0, bytes });
        const wait = room();
        waits.push(wait);
        await wait;
      }
      return signal.aborted;
    });
    left.pause();
    const answer = near.call('m', {});
    await until(() => waits.some((wait) => wait !== undefined), 'a full channel');
    expect(waits.length).toBeLessThan(6);
    left.resume();
    expect(await answer).toBe(false);
  });
});

describe('bounds', () => {
  it('refuses a request and an answer that are too long', async () => {
    const { near } = pair(async () => 'x'.repeat(LONGEST_VALUE));
    const code = 'GATEWAY_TOO_LARGE';
    await expect(near.call('m', 'x'.repeat(LONGEST_VALUE))).rejects.toMatchObject({ code });
    await expect(near.call('m', 1)).rejects.toMatchObject({ code, message: expect.stringContaining('answer to m') });
    const { near: other } = pair(async () => Buffer.alloc(LONGEST_VALUE));
    await expect(other.call('m', 1)).rejects.toMatchObject({ code });
  });

  it('answers GATEWAY_BUSY to one call too many, and ends the channel of a hostile end', async () => {
    const never: Serve = () => new Promise(() => {});
    const { near, broken } = pair(never, {}, { bounds: { calls: 1 } });
    near.call('first', {}).catch(() => {});
    await expect(near.call('second', {})).rejects.toMatchObject({ code: 'GATEWAY_BUSY' });
    expect(broken).toEqual([]);
    const hostile = pair(never, {}, { trust: 'hostile' });
    const calls = Array.from({ length: 9 }, () => hostile.near.call('m', {}));
    await Promise.all(calls.map((call) => expect(call).rejects.toThrow('lost: ')));
    expect(hostile.broken).toEqual(['protocol violation: too many calls at the same time']);
  });

  it('ends when the other end does not read', async () => {
    const [left, right] = duplexPair();
    const { near, broken } = pair(undefined, { bounds: { waiting: 1024 * 1024 } }, {}, [left, right]);
    right.pause();
    const calls = [1, 2, 3].map(() => near.call('m', 'x'.repeat(900_000)).catch(String));
    expect(await near.ended).toBe('it does not read what is sent');
    expect([...new Set(await Promise.all(calls)), ...broken]).toEqual([
      'Error: lost: it does not read what is sent',
      'it does not read what is sent',
    ]);
  });
});

describe('the life of a channel', () => {
  it('accepts a heartbeat from an end with a table of methods only as its announcement', async () => {
    const { near, broken } = pair(undefined, { trust: 'hostile', methods: {} }, { announce: true, heartbeatMs: 1 });
    await near.ping();
    expect(broken).toEqual([]);
    const { other, channel } = against({ methods: {} });
    for (let i = 0; i < 2; i++) other.write(messageFrame(0, { working: true }));
    expect(await channel.ended).toBe('protocol violation: an unknown message');
  });

  it('pings, and ends when the other end does not answer', async () => {
    const { near, far } = pair();
    expect([await near.ping(), await far.ping()].every((ms) => ms >= 0)).toBe(true);
    const { channel, broken } = against({});
    await expect(channel.ping(5)).rejects.toThrow('lost: it did not answer within 5 ms');
    expect(broken).toHaveLength(1);
  });

  it('sends heartbeats while a call is open, and none later', async () => {
    let answer: (value: unknown) => void = () => {};
    const [left, right] = duplexPair();
    const serve: Serve = () => new Promise((resolve) => (answer = resolve));
    openChannel(right, { trust: 'same-build', side: 'acceptor', lost, serve, heartbeatMs: 2 });
    const heard: string[] = [];
    const reader = new FrameReader();
    left.on('data', (bytes: Buffer) =>
      reader.read(bytes, (_, id, payload) => heard.push(`${id}${Buffer.from(payload).toString()}`)),
    );
    left.write(messageFrame(1, { call: 'm', params: {} }));
    await until(() => heard.filter((text) => text === '0{"working":true}').length > 1, 'heartbeats');
    answer(1);
    await until(() => heard.at(-1) === '1{"result":1}', 'the answer');
    left.destroy();
  });

  it('loses its calls and cancels those it serves when the connection ends', async () => {
    let signal: AbortSignal | undefined;
    const { near, far, left, broken } = pair((call) => {
      signal = call.signal;
      return new Promise(() => {});
    });
    const call = near.call('m', {});
    await until(() => signal !== undefined, 'the call');
    left.destroy();
    await expect(call).rejects.toThrow('lost: the connection was closed');
    await expect(near.call('m', {})).rejects.toThrow('lost: ');
    await expect(near.ping()).rejects.toThrow('lost: ');
    await far.ended;
    expect([signal?.aborted, broken]).toEqual([true, []]);
  });

  it('closes', async () => {
    const { near, far } = pair(async () => 1);
    expect(await near.call('m', {})).toBe(1);
    await Promise.all([near.close(), far.ended]);
  });
});

describe('streams', () => {
  /** Copies `in` to `out` and `err`. */
  const copy: Serve = ({ streams }) =>
    new Promise((resolve) => {
      const [out, err] = [streams.outgoing('out'), streams.outgoing('err')];
      const written: Promise<void>[] = [];
      const stream = streams.incoming('in', {
        deliver: (bytes) => {
          const both = Promise.all([out.write(bytes), err.write(bytes)]).then(() => stream.resume());
          written.push(both);
          return false;
        },
        ended: () => {
          out.end();
          void Promise.all(written).then(() => resolve('copied'));
        },
      });
    });

  it('carry bytes both ways, and end', async () => {
    const { near } = pair(copy);
    const heard: Record<string, Buffer[]> = { out: [], err: [] };
    const ended: string[] = [];
    const bytes = Buffer.from(Array.from({ length: 5 * STREAM_WINDOW }, (_, i) => i % 251));
    const answer = await near.call(
      'm',
      {},
      {
        streams: (streams) => {
          for (const kind of ['out', 'err'] as const)
            streams.incoming(kind, {
              deliver: (piece) => heard[kind]!.push(Buffer.from(piece)) > 0,
              ended: () => ended.push(kind),
            });
          const input = streams.outgoing('in');
          void input.write(bytes).then(() => input.end());
        },
      },
    );
    expect([
      answer,
      ended,
      Buffer.concat(heard['out']!).equals(bytes),
      Buffer.concat(heard['err']!).equals(bytes),
    ]).toEqual(['copied', ['out', 'err'], true, true]);
  });

  it('wait for a paused listener, and lose nothing', async () => {
    let written = 0;
    const { near } = pair(async ({ streams }) => {
      const out = streams.outgoing('out');
      for (let i = 0; i < 40; i++) {
        await out.write(new Uint8Array(LONGEST_PART));
        written++;
      }
      return 'done';
    });
    let heard = 0;
    let isSilent = true;
    let stream: { resume(): void } | undefined;
    const answer = near.call(
      'm',
      {},
      {
        streams: (streams) => {
          stream = streams.incoming('out', {
            deliver: (bytes) => {
              heard += bytes.length;
              return !isSilent;
            },
            ended: () => {},
          });
        },
      },
    );
    await until(() => heard > 0, 'the first bytes');
    await eventLoopTurns(50);
    expect([heard, written]).toEqual([LONGEST_PART, STREAM_WINDOW / LONGEST_PART]);
    isSilent = false;
    stream?.resume();
    expect([await answer, heard]).toEqual(['done', 40 * LONGEST_PART]);
  });

  it('acknowledge input when its listener is done with it', async () => {
    let resume: () => void = () => {};
    const { near } = pair(
      ({ streams }) =>
        new Promise((resolve) => {
          const stream = streams.incoming('in', { deliver: () => false, ended: () => resolve('read') });
          resume = () => stream.resume();
        }),
    );
    let isTaken = false;
    const call = near.call(
      'm',
      {},
      {
        streams: (streams) => {
          const input = streams.outgoing('in', { done: 'taken' });
          void input.write(Uint8Array.of(1)).then(() => {
            isTaken = true;
            input.end();
          });
        },
      },
    );
    await eventLoopTurns(10);
    expect(isTaken).toBe(false);
    resume();
    expect([await call, isTaken]).toEqual(['read', true]);
  });

  it('push until there is no room, and go on when there is', async () => {
    const pushed: boolean[] = [];
    const part = new Uint8Array(LONGEST_PART);
    const { near } = pair(
      ({ streams }) =>
        new Promise((resolve) => {
          const out = streams.outgoing('out', { onRoom: () => resolve(pushed.length) });
          do pushed.push(out.push(part));
          while (out.hasRoom);
        }),
    );
    let bytes = 0;
    const answer = await near.call(
      'm',
      {},
      {
        streams: (streams) =>
          streams.incoming('out', { deliver: (piece) => (bytes += piece.length) > 0, ended: () => {} }),
      },
    );
    expect([answer, bytes, pushed.indexOf(false)]).toEqual([16, STREAM_WINDOW, 15]);
  });

  it('refuse what is written when the call has ended', async () => {
    const { near } = pair(async () => 1);
    let write: (bytes: Uint8Array) => Promise<void> = async () => {};
    await near.call('m', {}, { streams: (streams) => ({ write } = streams.outgoing('in')) });
    await expect(write(Uint8Array.of(1))).rejects.toThrow('the call has ended');
  });
});

it('gives the same answers however the connection cuts what is sent', async () => {
  const request = fc.record({
    text: fc.string({ maxLength: 40 }),
    times: fc.constantFrom(0, 1, 1, 1, 40_000),
    events: fc.nat(3),
    fails: fc.boolean(),
    bytes: fc.uint8Array({ maxLength: 100 }),
  });
  type Asked = typeof request extends fc.Arbitrary<infer T> ? T : never;
  const serve: Serve = async ({ params, event, log, streams }) => {
    const { text, times, events, fails, bytes } = params as Asked & { bytes: number[] };
    const out = streams.outgoing('out');
    const taken = out.write(Uint8Array.from(bytes));
    for (let i = 0; i < events; i++) {
      event(text.repeat(times));
      log({ stream: 'out', start: i, bytes: Uint8Array.from(bytes) });
      if (i === 1) await taken;
    }
    await taken;
    out.end();
    if (fails) throw new Fault('EXEC_CLOSED', text);
    return { text: text.repeat(times) };
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 3000 })),
      async (asked, sizes) => {
        const [left, leftEnd] = duplexPair();
        const [right, rightEnd] = connection();
        recut(leftEnd, rightEnd, sizes);
        recut(rightEnd, leftEnd, sizes);
        const { near, far, broken } = pair(serve, { serve }, {}, [left, right]);
        const answers = asked.map(async (each, at) => {
          const heard: unknown[] = [];
          const streamed: number[] = [];
          const channel = at % 2 === 0 ? near : far;
          const call = channel.call(
            'm',
            { ...each, bytes: [...each.bytes] },
            {
              event: (value) => heard.push(value),
              log: ({ bytes }) => heard.push([...bytes]),
              streams: (streams) =>
                void streams.incoming('out', { deliver: (bytes) => streamed.push(...bytes) >= 0, ended: () => {} }),
            },
          );
          const answer = await call.catch((error: Error) => error.message);
          expect(answer).toEqual(each.fails ? each.text : { text: each.text.repeat(each.times) });
          const logged = each.bytes.length === 0 ? [] : [[...each.bytes]];
          expect(heard).toEqual(
            Array.from({ length: each.events }, () => [each.text.repeat(each.times), ...logged]).flat(),
          );
          expect(streamed).toEqual([...each.bytes]);
        });
        await Promise.all(answers);
        expect(broken).toEqual([]);
        left.destroy();
        right.destroy();
      },
    ),
    { numRuns: runs(30) },
  );
});

/** Passes bytes on in pieces of these sizes, again and again. */
function recut(from: Duplex, to: Duplex, sizes: readonly number[]): void {
  let turn = 0;
  from.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; ) {
      const size = sizes.length === 0 ? bytes.length : sizes[turn++ % sizes.length]!;
      to.write(Buffer.from(bytes.subarray(at, at + size)));
      at += size;
    }
  });
  from.on('close', () => to.destroy());
}

describe('an end that breaks the protocol', () => {
  const text = (content: string): Uint8Array => frame('message', 1, Buffer.from(content));
  const say = (id: number, message: unknown): Uint8Array => messageFrame(id, message);
  const part = new Uint8Array(LONGEST_PART);

  it.each<[string, readonly Uint8Array[], string]>([
    ['bytes that are no frame', [Buffer.alloc(64, 0xff)], 'unknown frame kind 255'],
    ['no JSON', [text('{')], 'a message that is not JSON'],
    ['a list', [text('[]')], 'a message that is not an object'],
    ['no value', [text('null')], 'a message that is not an object'],
    ['depth', [text('['.repeat(100))], 'a message that is too deep or has too many values'],
    ['many values', [text(`[${'0,'.repeat(60_000)}0]`)], 'a message that is too deep or has too many values'],
    ['a message of no kind', [say(1, { hello: 1 })], 'an unknown message'],
    ['a message of no call', [say(0, { call: 'm' })], 'an unknown message'],
    ['an answer to no call', [say(3, { result: 1 })], 'an answer to an unknown call'],
    ['a second answer', [say(1, { result: 1 }), say(1, { result: 1 })], 'an answer to an unknown call'],
    ['an event after the answer', [say(1, { result: 1 }), say(1, { event: 1 })], 'an answer to an unknown call'],
    ['parts of no call', [frame('part', 3, part)], 'an answer to an unknown call'],
    ['a part that is not whole', [frame('part', 1, Uint8Array.of(1))], 'a part that is too short'],
    ['an answer without end', Array.from({ length: 513 }, () => frame('part', 1, part)), 'a value that is too long'],
    ['an answer to no ping', [say(0, { pong: 3 })], 'an answer to an unknown ping'],
    [
      'a log that nobody asked for',
      [...logFrames(2, { stream: 'out', start: 0, bytes: part })],
      'a log that was not requested',
    ],
    ['a log of no stream', [frame('log', 1, new Uint8Array(9))], 'a log of an unknown stream'],
    ['a log that is too short', [frame('log', 1, new Uint8Array(3))], 'a log of an unknown stream'],
    ['a stream that is not open', [frame('out', 1, Uint8Array.of(1))], 'bytes of the stream out, which is not open'],
    ['credit for no stream', [creditFrame(1, 'out', 1)], 'credit for the stream out, which is not open'],
    ['credit for more than was sent', [creditFrame(1, 'in', 9)], 'credit for more than was sent'],
    ['credit of no kind', [frame('credit', 1, Uint8Array.of(KINDS.part, 0, 0, 0, 0))], 'credit for an unknown stream'],
    [
      'more than it may send',
      Array.from({ length: 17 }, () => frame('err', 1, part)),
      'more bytes of a stream than there was credit for',
    ],
    [
      'bytes after the end',
      [frame('err', 1, part.subarray(0, 0)), frame('err', 1, part)],
      'bytes after the end of a stream',
    ],
    ['a call', [say(2, { call: 'm', params: {} })], 'a call, which this end does not accept'],
    ['bytes as a call', [frame('last', 2, Uint8Array.of(0, 1))], 'bytes instead of a call'],
    ['a fault that is none', [say(1, { fault: 5 })], 'a fault that is not an object'],
    ['a fault without a code', [say(1, { fault: { code: 'a\nb', message: '' } })], 'a fault without a valid code'],
    ['a fault without words', [say(1, { fault: { code: 'EXEC_X', message: 1 } })], 'a fault without a valid text'],
  ])('is ended with a reason: %s', async (_, frames, reason) => {
    const { channel, other, broken } = against({});
    const call = channel.call(
      'm',
      {},
      {
        streams: (streams) => {
          streams.incoming('err', { deliver: () => false, ended: () => {} });
          void streams
            .outgoing('in')
            .write(Uint8Array.of(1))
            .catch(() => {});
        },
      },
    );
    call.catch(() => {});
    await eventLoopTurns(2);
    for (const each of frames) other.write(each);
    const violation = `protocol violation: ${reason}`;
    expect(await channel.ended).toBe(violation);
    expect(broken).toEqual([violation]);
    await expect(channel.call('m', {})).rejects.toThrow(`lost: ${violation}`);
  });

  it('cannot control a terminal through a fault', async () => {
    const { channel, other } = against({});
    const call = channel.call('m', {});
    other.write(say(1, { fault: { code: 'EXEC_X', message: 'a\u001b[2J\u202eb', hint: 'c\nd', details: { a: 1 } } }));
    const fault = (await call.catch((error: unknown) => error)) as Fault;
    expect([fault.message, fault.hint, fault.details]).toEqual(['a [2J b', 'c d', undefined]);
  });

  it.each([
    ['EXEC_CLOSED', 'EXEC_CLOSED'],
    ['GATEWAY_TOO_LARGE', 'GATEWAY_TOO_LARGE'],
    ['GATEWAY_NOT_RUNNING', 'INTERNAL_ERROR'],
    ['USAGE_ARGUMENTS', 'INTERNAL_ERROR'],
  ])('says nothing about this machine with the code of a fault: %s', async (code, read) => {
    const { channel, other } = against({});
    const call = channel.call('m', {});
    other.write(say(1, { fault: { code, message: 'text' } }));
    await expect(call).rejects.toMatchObject({ code: read, message: 'text' });
  });

  it('calls twice with one id, and is ended', async () => {
    const { channel, other } = against({ serve: () => new Promise(() => {}) });
    for (const id of [2, 2]) other.write(say(id, { call: 'm' }));
    expect(await channel.ended).toBe('protocol violation: a message that is not a call');
  });

  it('may send what belongs to a call that has ended here', async () => {
    const { channel, other, broken } = against({ serve: async () => 1 });
    other.write(say(2, { call: 'm' }));
    await eventLoopTurns(5);
    other.write(
      Buffer.concat([frame('in', 2, part), creditFrame(2, 'out', 5), say(2, { cancel: true }), say(0, { ping: 9 })]),
    );
    await eventLoopTurns(5);
    void channel.ping(5_000).catch(() => {});
    expect(broken).toEqual([]);
  });

  it('never throws through, whatever it sends', async () => {
    const anyMessage = fc.oneof(
      fc.json().map((json) => Buffer.from(json)),
      fc.uint8Array({ maxLength: 40 }),
      fc
        .record({
          key: fc.constantFrom('call', 'cancel', 'event', 'result', 'fault', 'ping', 'pong', 'working'),
          value: fc.jsonValue(),
        })
        .map(({ key, value }) => Buffer.from(JSON.stringify({ [key]: value, params: value }))),
    );
    const anyFrame = fc.record({
      kind: fc.constantFrom(...(Object.keys(KINDS) as FrameKind[])),
      id: fc.oneof(fc.nat(6), fc.nat(0xffff_ffff)),
      payload: anyMessage,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyFrame, { minLength: 1, maxLength: 12 }),
        fc.constantFrom('same-build' as const, 'paired' as const, 'hostile' as const),
        async (frames, trust) => {
          const { channel, other, broken } = against({ trust, serve: async ({ params }) => params });
          const call = channel.call('m', {}, { event: () => {}, log: () => {} });
          const settled = call.then(String, String);
          for (const { kind, id, payload } of frames)
            if (kind !== 'credit' || payload.length <= 5) other.write(frame(kind, id, payload));
          await eventLoopTurns(3);
          other.destroy();
          await channel.ended;
          expect(broken.length).toBeLessThanOrEqual(1);
          await settled;
        },
      ),
      { numRuns: runs(200, 20_000) },
    );
  });
});
