import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Link, type LinkOptions, openLink } from '../../../src/hosts/channel/link.ts';
import type { IncomingCall } from '../../../src/hosts/channel/serving.ts';
import { integer, json, object, string } from '../../../src/wire/schema.ts';
import { memoryCarriers, type MemoryOptions } from '../../support/memory-carrier.ts';
import { eventLoopTurns, until } from '../../support/patience.ts';
import { fc, runs } from '../../support/property.ts';

const EPOCH = 'epoch-0001';
const MIB = 1024 * 1024;

function pair(
  serve: LinkOptions['serve'] = async (call) => call.params,
  memory: MemoryOptions = {},
  both: Partial<LinkOptions> = {},
) {
  const [near, far] = memoryCarriers(memory);
  const node = openLink(near, { epoch: EPOCH, side: 'opener', serve, ...both });
  const gateway = openLink(far, { epoch: EPOCH, side: 'acceptor', ...both });
  onTestFinished(() => {
    node.close('the test has finished');
    gateway.close('the test has finished');
  });
  return { node, gateway, near, far };
}

const reasonsOf = ({ node, gateway }: { readonly node: Link; readonly gateway: Link }): Promise<readonly string[]> =>
  Promise.all([node.down, gateway.down]);

describe('a link', () => {
  it('carries calls with values of any size, in both directions', async () => {
    const { node, gateway } = pair();
    const params = { text: 'x'.repeat(5 * MIB), list: Array.from({ length: 1000 }, (_, i) => i) };
    const answers = await Promise.all([
      gateway.channel.call('echo', params),
      ...[1, 2, 3].map((n) => gateway.channel.call('echo', n)),
    ]);
    expect(answers).toEqual([params, 1, 2, 3]);
    expect([node.epoch, gateway.epoch]).toEqual([EPOCH, EPOCH]);
  });

  it('carries a log in order', async () => {
    const bytes = Buffer.alloc(3 * MIB, 'line of a log\n');
    const { gateway } = pair(async (call: IncomingCall) => {
      for (let at = 0; at < bytes.length; at += 100_000) {
        call.log({ stream: 'out', start: at, bytes: bytes.subarray(at, at + 100_000) });
        await call.room();
      }
      return 'done';
    });
    const hash = createHash('sha256');
    let end = 0;
    const log = ({ start, bytes: piece }: { readonly start: number; readonly bytes: Uint8Array }): void => {
      expect(start).toBe(end);
      end += piece.length;
      hash.update(piece);
    };
    expect(await gateway.channel.call('follow', {}, { log })).toBe('done');
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('delivers a long log without a copy, and says when it is sent', async () => {
    let sent = 0;
    const { gateway } = pair(async (call: IncomingCall) => {
      for (let start = 0; start < 4 * MIB; start += MIB / 4)
        call.log({ stream: 'out', start, bytes: new Uint8Array(MIB / 4) }, () => sent++);
      await until(() => sent === 16, 'the log to be sent');
      return 'done';
    });
    let pieces = 0;
    let copies = 0;
    const log = ({ bytes }: { readonly bytes: Uint8Array }): void => {
      pieces++;
      // A payload that was put together has memory of its own, and its position comes first in it.
      if (bytes.byteOffset + bytes.length === bytes.buffer.byteLength && bytes.byteOffset < 9) copies++;
    };
    expect(await gateway.channel.call('follow', {}, { log })).toBe('done');
    expect({ pieces, copies }).toEqual({ pieces: 64, copies: 0 });
  });

  it('delivers what arrived before it was opened', async () => {
    const [near, far] = memoryCarriers();
    const node = openLink(near, { epoch: EPOCH, side: 'opener' });
    const answer = node.channel.call('early', 1);
    await eventLoopTurns();
    openLink(far, { epoch: EPOCH, side: 'acceptor', serve: async ({ method }) => method });
    expect(await answer).toBe('early');
    node.close('done');
  });

  it('ends at both ends with the reason of the end that closed it, and calls in work fail', async () => {
    const links = pair(() => new Promise(() => undefined));
    const call = links.gateway.channel.call('never', {});
    links.node.close('the node ends');
    await expect(call).rejects.toMatchObject({
      code: 'NODE_LINK_BROKEN',
      message: 'the connection to memory:0 ended: the node ends',
    });
    expect(await reasonsOf(links)).toEqual(['the node ends', 'the node ends']);
    await expect(links.gateway.channel.call('later', {})).rejects.toMatchObject({ code: 'NODE_LINK_BROKEN' });
  });

  it('ends when its channel is closed', async () => {
    const links = pair();
    await links.gateway.channel.call('echo', 1);
    await links.gateway.channel.close();
    expect(await reasonsOf(links)).toEqual(['closed', 'closed']);
  });

  it('reports a protocol violation of the channel as its reason', async () => {
    const methods = { known: { params: json(), result: object({ count: integer() }) } };
    const links = pair(async () => ({ count: 'many' }), {}, { methods });
    await expect(links.gateway.channel.call('known', {})).rejects.toMatchObject({ code: 'NODE_LINK_BROKEN' });
    const reason = 'protocol violation: known result.count must be an integer';
    expect(await reasonsOf(links)).toEqual([reason, reason]);
  });
});

describe('a paired machine of another version', () => {
  const methods = { known: { params: object({ name: string({ max: 5 }) }), result: json() }, mine: { result: json() } };

  it('gets a fault for unknown methods and parameters, and keeps the link', async () => {
    const { gateway } = pair(async ({ params }) => params, {}, { methods });
    await expect(gateway.channel.call('unknown', {})).rejects.toMatchObject({ code: 'NODE_METHOD_REFUSED' });
    await expect(gateway.channel.call('mine', {})).rejects.toMatchObject({ code: 'NODE_METHOD_REFUSED' });
    await expect(gateway.channel.call('toString', {})).rejects.toMatchObject({ code: 'NODE_METHOD_REFUSED' });
    await expect(gateway.channel.call('known', { name: 'too long' })).rejects.toMatchObject({
      code: 'GATEWAY_BAD_REQUEST',
      message: 'known: params.name must be a string of at most 5 characters, not "too long"',
    });
    expect(await gateway.channel.call('known', { name: 'a', later: 1 })).toEqual({ name: 'a' });
  });
});

describe('a message on the way', () => {
  const flip = (message: Uint8Array, at: number): Uint8Array => {
    const changed = Uint8Array.from(message);
    changed[at]! ^= 1;
    return changed;
  };
  let held: Uint8Array = new Uint8Array(0);

  it.each<[string, (message: Uint8Array, number: number) => readonly Uint8Array[], string]>([
    ['is lost', (message, number) => (number === 1 ? [] : [message]), 'message 2 instead of 1'],
    ['is repeated', (message, number) => (number === 1 ? [message, message] : [message]), 'message 1 instead of 2'],
    [
      'is overtaken',
      (message, number) => {
        if (number === 1) held = message;
        return number === 1 ? [] : number === 2 ? [message, held] : [message];
      },
      'message 2 instead of 1',
    ],
    [
      'has another epoch',
      (message, number) => [number === 1 ? flip(message, 1) : message],
      'a message of another connection',
    ],
    ['has an unknown kind', (message, number) => [number === 1 ? flip(message, 0) : message], 'a malformed message'],
    [
      'has no header',
      (message, number) => [number === 1 ? message.subarray(0, 22) : message],
      'a message without a header',
    ],
    ['is empty', (message, number) => [number === 1 ? new Uint8Array(0) : message], 'a message without a header'],
    [
      'is longer than any that this program sends',
      (message, number) => [number === 1 ? Buffer.concat([message, new Uint8Array(65 * 1024)]) : message],
      'a malformed message',
    ],
  ])('that %s ends the link', async (_name, change, reason) => {
    let number = 0;
    const links = pair(undefined, {
      onTheWay: (message, from) => (from === 0 ? [message] : change(message, number++)),
    });
    for (let i = 0; i < 4; i++) {
      links.gateway.channel.call('echo', i).catch(() => undefined);
      await eventLoopTurns(5);
    }
    expect(await reasonsOf(links)).toEqual([`protocol violation: ${reason}`, `protocol violation: ${reason}`]);
  });

  it('that is sent back ends the link', async () => {
    const [near, far] = memoryCarriers();
    far.on({ message: (bytes) => void far.send(bytes), room() {}, down() {} });
    const node = openLink(near, { epoch: EPOCH, side: 'opener' });
    node.channel.call('x', {}).catch(() => undefined);
    expect(await node.down).toBe('protocol violation: a message of another connection');
  });

  it('of any content ends the link, and only the link', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (bytes) => {
        const [near, far] = memoryCarriers();
        const node = openLink(near, { epoch: EPOCH, side: 'opener', serve: async () => 1 });
        far.send(bytes);
        expect(await node.down).toMatch(/^protocol violation: /u);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('a half-open connection', () => {
  it('stays open while both ends ping', async () => {
    let sent = 0;
    const onTheWay = (message: Uint8Array): readonly Uint8Array[] => {
      sent++;
      return [message];
    };
    const links = pair(undefined, { onTheWay }, { pingMs: 5, silenceMs: 10_000 });
    await until(() => sent > 20, 'pings');
    expect(await links.gateway.channel.call('echo', 'alive')).toBe('alive');
  });

  it('ends after a time without a message', async () => {
    const links = pair(
      undefined,
      { onTheWay: (message, from) => (from === 0 ? [] : [message]) },
      { pingMs: 20, silenceMs: 200 },
    );
    expect(await links.gateway.down).toBe('no message for 0.2 s');
    expect(await links.node.down).toBe('no message for 0.2 s');
  });

  it('is found by its pings when a message was swallowed', async () => {
    let number = 0;
    const onTheWay = (message: Uint8Array, from: 0 | 1): readonly Uint8Array[] =>
      from === 1 && number++ === 0 ? [] : [message];
    const links = pair(undefined, { onTheWay }, { pingMs: 10, silenceMs: 60_000 });
    links.gateway.channel.call('echo', 1).catch(() => undefined);
    expect(await links.node.down).toBe('protocol violation: message 1 instead of 0');
  });
});

describe('a slow reader', () => {
  it('stops the writer, and gets everything later', async () => {
    const total = 40 * MIB;
    let written = 0;
    const { gateway, far } = pair(async (call) => {
      const bytes = new Uint8Array(256 * 1024);
      for (; written < total; written += bytes.length) {
        call.log({ stream: 'out', start: written, bytes });
        await call.room();
      }
      return 'done';
    });
    await eventLoopTurns();
    far.pause();
    let read = 0;
    const answer = gateway.channel.call('follow', {}, { log: ({ bytes }) => void (read += bytes.length) });
    far.resume();
    await until(() => read > MIB, 'the first bytes');
    far.pause();
    const before = written;
    await eventLoopTurns(500);
    expect(written - before).toBeLessThan(8 * MIB);
    expect(far.waiting).toBeLessThan(MIB);
    far.resume();
    expect(await answer).toBe('done');
    expect(read).toBe(total);
  });
});
