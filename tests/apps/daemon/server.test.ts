import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { greet } from '../../../src/apps/client/socket.ts';
import { greetingBytes } from '../../../src/apps/daemon/greeting.ts';
import { gatewayServer } from '../../../src/apps/daemon/server.ts';
import { Fault } from '../../../src/base/fault.ts';
import { frame, FrameReader, messageFrame, readLog } from '../../../src/hosts/channel/frames.ts';
import type { ExecContext } from '../../../src/wire/exec.ts';
import { PROTOCOL } from '../../../src/wire/message.ts';
import type { FollowEvent } from '../../../src/wire/session.ts';
import { smallGateway } from '../../fixtures/small-gateway.ts';

const caller = { agent: 'main', operator: true } as const;
const hello = { version: '1', time: 5, protocol: PROTOCOL };
const context = (extra: Partial<ExecContext> = {}): ExecContext => ({
  caller,
  folder: '/',
  environment: { PATH: process.env['PATH']! },
  ...extra,
});

/** A frame of protocol 1, whose greeting is that of all protocols: a length, high byte first, and JSON. */
function old(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from([0, 0, body.length >> 8, body.length & 0xff]), body]);
}

/** A server in this process. */
async function served(time = 5) {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-server-'));
  const socket = join(folder, 's');
  const gateway = smallGateway();
  const logged: string[] = [];
  let left = 0;
  const server = gatewayServer({
    gateway,
    build: { version: '1', time },
    leave: () => left++,
    log: (text) => logged.push(text),
  });
  await server.listen(socket);
  onTestFinished(async () => {
    server.stopListening();
    server.close();
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    socket,
    server,
    logged,
    left: () => left,
    client: (greeting = hello) => greet(connect(socket), greeting),
  };
}

/** Resolves when the server has ended the connection. */
function ended(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  socket.resume();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

describe('the server', () => {
  it('answers many requests of one client in the order in which they are done', async () => {
    const { client, folder } = await served();
    const gateway = await client();
    const order: string[] = [];
    const start = async (name: string): Promise<void> => {
      const command = `while [ ! -e '${join(folder, name)}' ]; do sleep 0.02; done`;
      await gateway.call('exec.start', { request: { command, yieldMs: 50_000 }, context: context() });
      order.push(name);
    };
    const [first, second, third] = ['first', 'second', 'third'].map(start);
    for (const [name, answer] of [
      ['third', third],
      ['second', second],
      ['first', first],
    ] as const) {
      writeFileSync(join(folder, name), '');
      await answer;
    }
    expect(order).toEqual(['third', 'second', 'first']);
  });

  it.each([
    ['HTTP', [Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')]],
    ['a request before the greeting', [messageFrame(1, { call: 'session.list', params: { caller } })]],
    ['a greeting that is none', [old({ hello: { protocol: 'x' } })]],
    ['a greeting that is no JSON', [Buffer.from('\0\0\0\u0003{,}')]],
    ['a greeting that does not end', [Buffer.from([0, 1, 0, 0]), Buffer.alloc(1000, '{')]],
    ['a request with an id of ours', [greetingBytes(hello), messageFrame(2, { call: 'x', params: {} })]],
    ['a message that is no JSON', [greetingBytes(hello), frame('message', 1, Buffer.from('{,}'))]],
    ['a request of protocol 1', [greetingBytes(hello), old({ id: 1, method: 'session.list', params: { caller } })]],
    ['output', [greetingBytes(hello), frame('log', 1, new Uint8Array(12))]],
  ])('drops a client that sends %s, and continues', async (_, frames) => {
    const { socket, client, logged } = await served();
    const garbage = connect(socket);
    const end = ended(garbage);
    for (const frame of frames) garbage.write(frame);
    await end;
    expect(await (await client()).call('session.list', { caller })).toEqual([]);
    expect(logged).toEqual([]);
  });

  it('returns a fault with all its members', async () => {
    const gateway = await (await served()).client();
    const error = await gateway.call('session.kill', { caller, sessionId: 'none' }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Fault);
    expect(error).toMatchObject({
      code: 'EXEC_SESSION_UNKNOWN',
      message: 'there is no session none',
      hint: 'pincer ps',
    });
  });

  it('returns a defect as a fault, and logs its stack', async () => {
    const { client, logged } = await served();
    const gateway = await client();
    const crash = gateway.call('exec.start', { request: { command: 'crash' }, context: context() });
    await expect(crash).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(logged.join()).toMatch(/exec\.start failed: TypeError: a defect\n {4}at/u);
  });

  it.each(['no.such', 'toString', '__proto__'])(
    'has no method %s, and the client says whose build lacks it',
    async (method) => {
      const gateway = await (await served()).client();
      const { pid, version } = gateway.daemon;
      await expect(gateway.call(method as 'session.list', { caller })).rejects.toMatchObject({
        code: 'GATEWAY_UNKNOWN_METHOD',
        message: `the daemon has no method "${method}": it runs another build (version ${version}, pid ${pid})`,
        hint: 'pincer daemon stop --force ends it and its sessions; the next command starts this build',
      });
    },
  );

  it('ends a command when its call is cancelled', async () => {
    const gateway = await (await served()).client();
    const stop = new AbortController();
    const call = gateway.call('exec.start', { request: { command: 'sleep 300' }, context: context() }, stop.signal);
    stop.abort();
    expect(await call).toMatchObject({ status: 'failed', session: { failure: 'aborted' } });
  });

  it('ends an attached session with the connection of its client, and no other', async () => {
    const { client } = await served();
    const first = await client();
    const watcher = await client();
    const request = { command: 'sleep 300' };
    await first.call('exec.start', { request, context: context({ attached: true }) });
    await first.call('exec.start', { request: { ...request, background: true }, context: context() });
    first.close();
    const wait = (sessionId: string, waitMs: number) => watcher.call('session.wait', { caller, sessionId, waitMs });
    expect(await wait('small-1', 10_000)).toMatchObject({ status: 'failed', failure: 'killed' });
    expect(await wait('small-2', 0)).toMatchObject({ status: 'running' });
  });

  it('streams output byte for byte, apart, and the end at the end', async () => {
    const gateway = await (await served()).client();
    const command = 'head -c 3000000 /dev/zero; printf "\\377\\376" >&2';
    const { session } = (await gateway.call('exec.start', {
      request: { command },
      context: context({ attached: true, streams: 'apart' }),
    })) as { session: { id: string } };
    const events: FollowEvent[] = [];
    await gateway.follow({ caller, sessionId: session.id }, (event) => void events.push(event));
    const outputs = events.filter((event) => event.type === 'output');
    const bytesOf = (stream: string) => Buffer.concat(outputs.filter((e) => e.stream === stream).map((e) => e.bytes));
    expect({ out: bytesOf('out').length, err: [...bytesOf('err')], last: events.at(-1)?.type }).toEqual({
      out: 3_000_000,
      err: [0xff, 0xfe],
      last: 'end',
    });
  });

  it('waits for a reader that does not read, and loses nothing when it resumes', async () => {
    const { socket, server, client } = await served();
    const other = await client();
    const request = { command: 'head -c 50000000 /dev/zero', background: true };
    await other.call('exec.start', { request, context: context() });
    const slow = connect(socket);
    slow.pause();
    slow.write(greetingBytes(hello));
    slow.write(messageFrame(1, { call: 'session.follow', params: { caller, sessionId: 'small-1' } }));
    await other.call('session.wait', { caller, sessionId: 'small-1', waitMs: 30_000 });
    expect(server.connections).toBe(2);
    const reader = new FrameReader();
    let bytes = 0;
    await new Promise<void>((resolve) => {
      slow.once('data', (first: Buffer) => {
        slow.on('data', (piece: Buffer) => take(piece));
        take(first.subarray(4 + first.readUInt32BE()));
      });
      const take = (piece: Buffer): void =>
        reader.read(piece, (kind, _, payload) => {
          if (kind === 'log') bytes += readLog(payload).bytes.length;
          else if ('result' in (JSON.parse(Buffer.from(payload).toString()) as object)) resolve();
        });
      slow.resume();
    });
    expect(bytes).toBe(50_000_000);
    slow.destroy();
  });

  it.each([
    { ours: 5, theirs: { time: 6 }, answer: 'leaving', left: 1 },
    { ours: 5, theirs: { time: 4 }, answer: 'served', left: 0 },
    { ours: 5, theirs: { version: '2' }, answer: 'leaving', left: 1 },
    { ours: 5, theirs: { time: 4, version: '0' }, answer: 'served', left: 0 },
    { ours: 5, theirs: { protocol: 9 }, answer: 'leaving', left: 1 },
  ])('answers $answer to a client with $theirs when it is idle', async ({ ours, theirs, answer, left }) => {
    const { client, left: times } = await served(ours);
    expect((await client({ ...hello, ...theirs })).daemon.answer).toBe(answer);
    expect(times()).toBe(left);
  });

  it.each([
    { theirs: { time: 6 }, answer: 'served' },
    { theirs: { protocol: 9 }, answer: 'refused' },
  ])('answers $answer to a client with $theirs when it is busy', async ({ theirs, answer }) => {
    const { client, left } = await served();
    const first = await client();
    await first.call('exec.start', { request: { command: 'sleep 300', background: true }, context: context() });
    expect((await client({ ...hello, ...theirs })).daemon.answer).toBe(answer);
    expect(left()).toBe(0);
  });

  it.each([
    { state: 'idle', answer: 'leaving' },
    { state: 'busy', answer: 'refused' },
  ])('answers $answer to a program of protocol 1, in its format, when it is $state', async ({ state, answer }) => {
    const { socket, client, left } = await served();
    if (state === 'busy') {
      const first = await client();
      await first.call('exec.start', { request: { command: 'sleep 300', background: true }, context: context() });
    }
    const program = connect(socket);
    program.write(old({ hello: { version: '0.1.0', time: 1_700_000_000_000, protocol: 1 } }));
    const bytes: Buffer = await new Promise((resolve) => program.once('data', resolve));
    expect(bytes.readUInt32BE()).toBe(bytes.length - 4);
    // The number itself: a client of protocol 1 must see a change of it.
    const welcome = { version: '1', time: 5, protocol: 3, pid: process.pid, answer, heartbeat: true };
    expect(JSON.parse(bytes.subarray(4).toString())).toEqual({ hello: welcome });
    if (answer === 'refused') await ended(program);
    expect(left()).toBe(answer === 'leaving' ? 1 : 0);
    program.destroy();
  });
});
