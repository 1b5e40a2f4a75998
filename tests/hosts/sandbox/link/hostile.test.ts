import { type Duplex, duplexPair } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { Exit, Launched } from '../../../../src/hosts/process/launch.ts';
import {
  creditFrame,
  frame,
  FrameReader,
  type FrameKind,
  KINDS,
  logFrames,
  LONGEST_PART,
  messageFrame,
  STREAM_WINDOW,
} from '../../../../src/hosts/channel/frames.ts';
import { BYTES } from '../../../../src/hosts/channel/outbox.ts';
import { connectInside, type InsideLink, type LinkOptions } from '../../../../src/hosts/sandbox/link/link.ts';
import { PROTOCOL } from '../../../../src/hosts/process/runner-messages.ts';
import { launchOf, sh } from '../../../support/launching.ts';
import { until } from '../../../support/patience.ts';

type Heard = { readonly id: number } & Readonly<Record<string, unknown>>;

interface Stage {
  readonly link: InsideLink;
  readonly inside: Duplex;
  readonly broken: string[];
  /** Resolves with the id of the call of a method, when the gateway has made it. */
  readonly called: (method: string) => Promise<number>;
  /** The ids of all calls of a method so far. */
  readonly calls: (method: string) => readonly number[];
  /** Resolves with the message that has this member, when the gateway has sent it. */
  readonly said: (member: string) => Promise<Heard>;
  /** Answers the first call. */
  readonly hello: () => void;
  readonly say: (id: number, message: unknown) => void;
  readonly event: (id: number, event: unknown) => void;
  readonly result: (id: number, result: unknown) => void;
}

/** The id of the first call. */
const WELCOME = 1;

/** The gateway's end is real; the other one says what the test wants. */
function play(options: Partial<LinkOptions> = {}): Stage {
  const [outside, inside] = duplexPair();
  const broken: string[] = [];
  const heard: Heard[] = [];
  const waiting: { fits: (message: Heard) => boolean; resolve: (message: Heard) => void }[] = [];
  const reader = new FrameReader();
  inside.on('data', (bytes: Buffer) =>
    reader.read(bytes, (kind: FrameKind, id, payload) => {
      if (kind !== 'message') return;
      const message: Heard = { ...JSON.parse(Buffer.from(payload).toString()), id };
      heard.push(message);
      for (const each of waiting.filter(({ fits }) => fits(message))) each.resolve(message);
    }),
  );
  const find = (fits: (message: Heard) => boolean): Promise<Heard> =>
    new Promise((resolve) => {
      const known = heard.find(fits);
      if (known !== undefined) resolve(known);
      else waiting.push({ fits, resolve });
    });
  const say = (id: number, message: unknown): void => void inside.write(messageFrame(id, message));
  inside.on('error', () => {});
  const link = connectInside(outside, { breakDown: (reason) => broken.push(reason), ...options });
  onTestFinished(() => {
    inside.destroy();
    outside.destroy();
  });
  return {
    link,
    inside,
    broken,
    called: async (method) => (await find(({ call }) => call === method)).id,
    calls: (method) => heard.filter(({ call }) => call === method).map(({ id }) => id),
    said: (member) => find((message) => member in message),
    hello: () => {
      say(0, { working: true });
      say(WELCOME, { result: { protocol: PROTOCOL } });
    },
    say,
    event: (id, event) => say(id, { event }),
    result: (id, result) => say(id, { result }),
  };
}

interface Running {
  readonly exit: Promise<Exit>;
  readonly launched: Launched;
  readonly bytes: () => number;
  readonly id: number;
}

/** A command that the other end has started. */
async function start(stage: Stage, more: object = {}, output: () => boolean = () => true): Promise<Running> {
  let bytes = 0;
  let tell: (exit: Exit) => void = () => {};
  const exit = new Promise<Exit>((resolve) => {
    tell = resolve;
  });
  const launched = stage.link.launcher.launch(launchOf([sh('true')], more), {
    output: (_stream, part) => {
      bytes += part.length;
      return output();
    },
    exited: tell,
  });
  const id = await stage.called('run.start');
  stage.event(id, started);
  return { exit, launched: await launched, id, bytes: () => bytes };
}

const started = { type: 'started', pid: 5, pty: false, warnings: [] };
const ended = { kind: 'code', code: 0 };
const exited = { type: 'exited', exit: ended };
const NOTHING = new Uint8Array(0);
/** A result as it leaves a sandbox: its head, and what stands behind it. */
function packed(head: unknown, bodies = '', headBytes?: number): Buffer {
  const text = typeof head === 'string' ? head : JSON.stringify(head);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(headBytes ?? Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text), Buffer.from(bodies)]);
}

/** The frames of a result that is bytes. */
function resultFrame(id: number, bytes: Uint8Array): Uint8Array {
  const value = Buffer.concat([Uint8Array.of(BYTES), bytes]);
  const frames: Uint8Array[] = [];
  let at = 0;
  for (; value.length - at > LONGEST_PART; at += LONGEST_PART)
    frames.push(frame('part', id, value.subarray(at, at + LONGEST_PART)));
  return Buffer.concat([...frames, frame('last', id, value.subarray(at))]);
}

test.each<[string, (stage: Stage) => unknown]>([
  ['bytes that are no frame', ({ inside }) => inside.write(Buffer.alloc(64, 0xff))],
  ['news before it', ({ event }) => event(3, started)],
  [
    'news before it, of a command',
    async ({ link, called, event }) => {
      void link.launcher.launch(launchOf([sh('true')]), { output: () => true, exited: () => {} }).catch(() => {});
      event(await called('run.start'), started);
    },
  ],
  [
    'the end of a command before it',
    async ({ link, called, result }) => {
      void link.launcher.launch(launchOf([sh('true')]), { output: () => true, exited: () => {} }).catch(() => {});
      result(await called('run.start'), { kind: 'failed', message: '' });
    },
  ],
  [
    'the result of a tool before it',
    async ({ link, called, inside }) => {
      void link.callTool('read', { path: 'a' }).catch(() => {});
      inside.write(resultFrame(await called('tool.call'), packed(good)));
    },
  ],
  ['output before it', ({ inside }) => inside.write(frame('out', 3, Uint8Array.of(1)))],
  ['another version', ({ result }) => result(WELCOME, { protocol: PROTOCOL + 1 })],
  ['a version that is no number', ({ result }) => result(WELCOME, { protocol: '1' })],
  ['two announcements', ({ say }) => [say(0, { working: true }), say(0, { working: true })]],
  ['no version', ({ result }) => result(WELCOME, null)],
  ['bytes', ({ inside }) => inside.write(resultFrame(WELCOME, Buffer.from('{"protocol":5}')))],
  ['an event', ({ event }) => event(WELCOME, started)],
  ['a fault', ({ say }) => say(WELCOME, { fault: { code: 'INTERNAL_ERROR', message: '' } })],
  ['no JSON', ({ inside }) => inside.write(frame('message', WELCOME, Buffer.from('{')))],
  ['no object', ({ say }) => say(WELCOME, [1])],
])('an invalid start of the protocol ends the sandbox: %s', async (_, attack) => {
  const stage = play();
  attack(stage);
  await stage.link.ended;
  await expect(stage.link.ready).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  expect(stage.broken).toHaveLength(1);
});

test('a runner that never answers the first call ends the sandbox', async () => {
  const { link, broken } = play({ helloMs: 20 });
  await expect(link.ready).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  expect(broken).toEqual(['its runner did not start in time']);
});

const attacks: [string, (stage: Stage, id: number) => unknown][] = [
  ['a second first answer', ({ result }) => result(WELCOME, { protocol: PROTOCOL })],
  ['output of no command', ({ inside }, id) => inside.write(frame('out', id + 20, Uint8Array.of(1)))],
  ['output of a stream that it does not have', ({ inside }, id) => inside.write(frame('err', id, Uint8Array.of(1)))],
  ['input', ({ inside }, id) => inside.write(frame('in', id, Uint8Array.of(1)))],
  ['a second start', ({ event }, id) => event(id, started)],
  ['the start of no command', ({ event }, id) => event(id + 20, started)],
  ['the end of no command', ({ result }, id) => result(id + 20, ended)],
  ['a second end', ({ result }, id) => [result(id, ended), result(id, ended)]],
  ['a second end as an event', ({ event }, id) => [event(id, exited), event(id, exited)]],
  ['an event after the end', ({ result, event }, id) => [result(id, ended), event(id, exited)]],
  ['output after the end', ({ result, inside }, id) => [result(id, ended), inside.write(frame('out', id, NOTHING))]],
  [
    'a terminal that was not asked for',
    async ({ link, event, called }, id) => {
      void link.launcher.launch(launchOf([sh('true')]), { output: () => true, exited: () => {} }).catch(() => {});
      await called('run.start');
      event(id + 4, { ...started, pty: true });
    },
  ],
  [
    'the end of what has not started',
    ({ link, result }, id) => {
      void link.launcher.launch(launchOf([sh('true')]), { output: () => true, exited: () => {} }).catch(() => {});
      setImmediate(() => result(id + 4, ended));
    },
  ],
  [
    'output behind its end',
    ({ inside }, id) => inside.write(Buffer.concat([frame('out', id, NOTHING), frame('out', id, NOTHING)])),
  ],
  ['the failed start of what runs', ({ result }, id) => result(id, { kind: 'failed', message: '' })],
  [
    'the failed start of what runs, as an event',
    ({ event }, id) => event(id, { type: 'exited', exit: { kind: 'failed', message: '' } }),
  ],
  ['the answer to no kill', ({ result }, id) => result(id + 20, { ok: true })],
  ['an answer to no ping', ({ say }) => say(0, { pong: 1 })],
  ['a ping', ({ say }) => say(0, { ping: 1 })],
  ['a second announcement', ({ say }) => say(0, { working: true })],
  ['a fault', ({ say }, id) => say(id, { fault: { code: 'INTERNAL_ERROR', message: '' } })],
  [
    'a log',
    ({ inside }, id) => {
      for (const each of logFrames(id, { stream: 'out', start: 0, bytes: Uint8Array.of(1) })) inside.write(each);
    },
  ],
  ['the result of no call', ({ inside }, id) => inside.write(resultFrame(id + 20, packed({})))],
  ['bytes as the end of a command', ({ inside }, id) => inside.write(resultFrame(id, packed({})))],
  ['JSON as the result of a tool', ({ result }, id) => result(id + 2, { content: [], details: {} })],
  ['an event of a tool', ({ event }, id) => event(id + 2, started)],
  ['a connection without a way out', ({ say }) => say(2, { call: 'net.connect', params: { host: 'a', port: 80 } })],
  ['a call of an unknown method', ({ say }) => say(2, { call: 'toString', params: {} })],
  ['a call of a method of the gateway', ({ say }) => say(2, { call: 'run.start', params: {} })],
  ['a call in parts', ({ inside }) => inside.write(frame('part', 2, new Uint8Array(LONGEST_PART)))],
  ['a cancellation of no call', ({ say }) => say(2, { cancel: true })],
  ['data without a way out', ({ inside }) => inside.write(frame('net', 2, Uint8Array.of(1)))],
  ['a credit for nothing', ({ inside }, id) => inside.write(creditFrame(id, 'out', 5))],
  ['a credit for more input than there was', ({ inside }, id) => inside.write(creditFrame(id, 'in', 5))],
  [
    'a credit of no stream',
    ({ inside }, id) => inside.write(frame('credit', id, Uint8Array.of(KINDS.part, 0, 0, 0, 0))),
  ],
  ['a kind of news that does not exist', ({ event }, id) => event(id, { type: 'toString' })],
  ['news without a kind', ({ event }, id) => event(id, { exit: 1 })],
  ['news without a call', ({ say }) => say(0, { event: started })],
  ['a message of no kind', ({ say }, id) => say(id, { exit: 1 })],
  ['news that is too long', ({ event }, id) => event(id, { type: 'inputClosed', more: 'x'.repeat(20_000) })],
  [
    'news that is too long, in parts',
    ({ inside }, id) =>
      inside.write(
        frame('last', id, Buffer.from(JSON.stringify({ event: { type: 'limited', more: 'x'.repeat(20_000) } }))),
      ),
  ],
  [
    'more output than it may send',
    ({ inside }, id) => {
      for (let sent = 0; sent <= STREAM_WINDOW; sent += LONGEST_PART)
        inside.write(frame('out', id, new Uint8Array(LONGEST_PART)));
    },
  ],
  ...[Number.NaN, null, -1, 256, 1.5, '0', 1e300].map((code): [string, (stage: Stage, id: number) => unknown] => [
    `the exit code ${code}`,
    ({ result }, id) => result(id, { kind: 'code', code }),
  ]),
  ...['KILL', 'SIG', 'SIGKILL; rm', '\x1b[2J', 9].map((signal): [string, (stage: Stage, id: number) => unknown] => [
    `the signal ${JSON.stringify(signal)}`,
    ({ event }, id) => event(id, { type: 'exited', exit: { kind: 'signal', signal } }),
  ]),
];

test.each(attacks)('a protocol violation ends the sandbox, and all in it is lost: %s', async (_, attack) => {
  // The listener takes nothing more after the first piece, so nothing is allowed again.
  const stage = play();
  stage.hello();
  await stage.link.ready;
  const { exit, id } = await start(stage, { stdin: 'open' }, () => false);
  const call = stage.link.callTool('read', { path: 'a' });
  expect(await stage.called('tool.call')).toBe(id + 2);
  attack(stage, id);
  await expect(call).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  expect(stage.broken).toHaveLength(1);
  expect(await stage.link.ended).toBe(stage.broken[0]);
  expect(['lost', 'code']).toContain((await exit).kind);
  const listener = { output: () => true, exited: () => {} };
  await expect(stage.link.launcher.launch(launchOf([sh('true')]), listener)).rejects.toMatchObject({
    code: 'SANDBOX_BROKEN',
  });
  await expect(stage.link.ping()).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
});

const good = { content: [{ type: 'text', text: 'x' }], details: {} };
/** Deeper than anyone can write down again. */
const deep = `{"content":[],"details":{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;

const withContent = (...content: readonly unknown[]) => ({ ...good, content });

test.each<[string, Buffer]>([
  ['no head', Buffer.alloc(3)],
  ['half a head', packed(good, '', 1000)],
  ['no JSON', packed('{"content":')],
  ['a list', packed([])],
  ['nothing', packed(null)],
  ['no content', packed({ details: {} })],
  ['no details', packed({ content: [] })],
  ['details that are a list', packed({ ...good, details: [] })],
  ['details without end', packed(deep)],
  ['details with another parent', packed('{"content":[],"details":{"a":{"__proto__":{"isAdmin":true}}}}')],
  ['more details than anyone reads', packed({ ...good, details: { many: new Array(600_000).fill(0) } })],
  ['content of another kind', packed(withContent({ type: 'tool_use', text: 'x' }))],
  ['a text that is none', packed(withContent({ type: 'text', text: 5 }))],
  ['a text that is not there', packed(withContent({ type: 'text' }), 'abc')],
  ['less than it says', packed(withContent({ type: 'text', bytes: 4 }), 'abc')],
  ['more than it says', packed(withContent({ type: 'text', bytes: 2 }), 'abc')],
  ['a part that goes back', packed(withContent({ type: 'text', bytes: 4 }, { type: 'text', bytes: -1 }), 'abc')],
  ['half a byte', packed(withContent({ type: 'text', bytes: 2.5 }), 'abc')],
  ['a picture that is none', packed(withContent({ type: 'image', data: '<svg>', mimeType: 'image/png' }))],
  ['a picture that is a page', packed(withContent({ type: 'image', bytes: 3, mimeType: 'text/html' }), 'abc')],
  [
    'C8: a drawing with programs in it',
    packed(withContent({ type: 'image', bytes: 3, mimeType: 'image/svg+xml' }), 'abc'),
  ],
  ['C8: a picture of another kind', packed(withContent({ type: 'image', bytes: 3, mimeType: 'image/png' }), 'abc')],
  ['C8: a text without end', packed(withContent({ type: 'text', bytes: 9_000_000 }), 'x'.repeat(9_000_000))],
  ['C8: a code that is none', packed({ ...good, details: { code: 'ok\n' } })],
  ['C8: a hint that is no text', packed({ ...good, details: { hint: { command: 'ls' } } })],
  ['too many parts', packed(withContent(...Array.from({ length: 1001 }, () => ({ type: 'text', text: '' }))))],
  ['a question to a person', packed({ ...good, details: { status: 'approval-pending', command: 'ls' } })],
  ['the name of a question', packed({ ...good, details: { approvalId: 'a1' } })],
  ['a head of nothing but depth', packed('['.repeat(3_000_000))],
  ['a head of nothing but values', packed(`{"content":[],"details":{},"more":[${'[],'.repeat(1_000_000)}0]}`)],
  ['half an error', packed({ ...good, isError: 'yes' })],
  ['an error without words', packed({ ...good, isError: true, error: 5 })],
])('an invalid result ends the sandbox: %s', async (_, bytes) => {
  const { link, hello, called, inside, broken } = play();
  hello();
  const call = link.callTool('read', { path: 'a' });
  const id = await called('tool.call');
  inside.write(resultFrame(id, bytes));
  await expect(call).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  expect(broken).toHaveLength(1);
});

test('a credit for a command that is gone ends the sandbox', async () => {
  const stage = play();
  stage.hello();
  const { id, exit } = await start(stage, { stdin: 'open' });
  stage.result(id, ended);
  await exit;
  expect(stage.broken).toEqual([]);
  stage.inside.write(creditFrame(id, 'in', 1));
  await stage.link.ended;
  expect(stage.broken).toEqual(['protocol violation: an answer to an unknown call']);
});

test('output after the exit of the programs is delivered, until the answer', async () => {
  const stage = play();
  stage.hello();
  const { id, exit, bytes } = await start(stage);
  stage.event(id, exited);
  expect(await exit).toEqual(ended);
  stage.inside.write(frame('out', id, Uint8Array.of(1, 2)));
  stage.result(id, ended);
  const ping = stage.link.ping();
  stage.say(0, { pong: (await stage.said('ping'))['ping'] });
  await ping;
  expect([bytes(), stage.broken]).toEqual([2, []]);
});

test('a result in small parts ends the sandbox', async () => {
  const { link, hello, called, inside, broken } = play();
  hello();
  const call = link.callTool('read', { path: 'a' });
  const id = await called('tool.call');
  inside.write(frame('part', id, Uint8Array.of(1)));
  await expect(call).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  expect(broken).toEqual(['protocol violation: a part that is too short']);
});

test('unknown members of a result are dropped', async () => {
  const { link, hello, called, inside } = play();
  hello();
  const call = link.callTool('read', { path: 'a' });
  const id = await called('tool.call');
  const extra = { ...good, content: [{ type: 'text', text: 'x', steer: 1 }], more: 1, error: 'e', isError: true };
  inside.write(resultFrame(id, packed(extra)));
  expect(await call).toEqual({ ...good, error: 'e', isError: true });
});

test('C8: of its details a result has the members that file tools have, and no others', async () => {
  const { link, hello, called, inside } = play();
  hello();
  const call = link.callTool('read', { path: 'a' });
  const id = await called('tool.call');
  const details = {
    path: 'a',
    elevated: true,
    sandbox: false,
    host: 'gateway',
    status: 'running',
    pid: 1,
    obeyed: [],
    x: 1,
  };
  inside.write(resultFrame(id, packed({ ...good, details })));
  expect((await call).details).toEqual({ path: 'a' });
});

test('a result that is too long ends the sandbox before it is in memory', async () => {
  const { link, hello, called, inside, broken } = play();
  hello();
  const call = link.callTool('read', { path: 'a' });
  const id = await called('tool.call');
  const refused = expect(call).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  const part = frame('part', id, new Uint8Array(LONGEST_PART));
  for (let i = 0; i <= 512 && !inside.destroyed && broken.length === 0; i++)
    if (!inside.write(part)) await new Promise((resolve) => setImmediate(resolve));
  await refused;
  expect(broken).toEqual(['protocol violation: a value that is too long']);
});

test('a cancelled call is answered immediately, and its result may arrive later, once', async () => {
  const { link, hello, called, said, say, inside, broken } = play();
  hello();
  const controller = new AbortController();
  const call = link.callTool('read', { path: 'a' }, {}, { signal: controller.signal });
  const id = await called('tool.call');
  controller.abort();
  expect(await call).toMatchObject({ isError: true, details: { code: 'TOOL_ABORTED' } });
  expect((await said('cancel')).id).toBe(id);
  inside.write(resultFrame(id, packed(good)));
  const ping = link.ping();
  say(0, { pong: (await said('ping'))['ping'] });
  await ping;
  expect(broken).toEqual([]);
  inside.write(resultFrame(id, packed(good)));
  await link.ended;
  expect(broken).toEqual(['protocol violation: an answer to an unknown call']);
});

test('a call that waits for its turn is made after cancelled ones', async () => {
  const { link, hello, calls, inside, broken } = play();
  hello();
  const open = Array.from({ length: 8 }, () => link.callTool('read', {}));
  const controller = new AbortController();
  const cancelled = Array.from({ length: 8 }, () => link.callTool('read', {}, {}, { signal: controller.signal }));
  const next = link.callTool('read', {});
  await until(() => calls('tool.call').length === 8, 'eight calls');
  controller.abort();
  for (const id of calls('tool.call')) inside.write(resultFrame(id, packed(good)));
  await Promise.all([...open, ...cancelled]);
  await until(() => calls('tool.call').length === 9, 'the next call', 5000);
  inside.write(resultFrame(calls('tool.call')[8]!, packed(good)));
  expect([await next, broken]).toEqual([good, []]);
});

test('a waiting call that is cancelled is answered immediately', async () => {
  const { link, hello } = play();
  hello();
  for (let i = 0; i < 8; i++) link.callTool('read', {}).catch(() => {});
  const controller = new AbortController();
  const call = link.callTool('read', {}, {}, { signal: controller.signal });
  controller.abort();
  expect(await call).toMatchObject({ details: { code: 'TOOL_ABORTED' } });
});

test('calls that wait for their turn are rejected when the sandbox ends', async () => {
  const { link, hello, inside } = play();
  hello();
  const controller = new AbortController();
  const { signal } = controller;
  const cancelled = Array.from({ length: 8 }, () => link.callTool('read', {}, {}, { signal }));
  const waiting = Promise.allSettled(Array.from({ length: 20 }, () => link.callTool('read', {})));
  controller.abort();
  await Promise.all(cancelled);
  inside.end();
  expect((await waiting).map(({ status }) => status)).toEqual(new Array(20).fill('rejected'));
});

test('a command whose listener throws an error is killed and lost', async () => {
  const stage = play();
  stage.hello();
  const { id, exit } = await start(stage, {}, () => {
    throw new Error('the disk is full');
  });
  stage.inside.write(frame('out', id, Uint8Array.of(1)));
  stage.result(await stage.called('run.kill'), { ok: true });
  expect(await exit).toEqual({ kind: 'lost' });
  expect([stage.link.running, stage.broken]).toEqual([0, []]);
});

test('a runner that never answers interrupts ends the sandbox', async () => {
  const stage = play();
  stage.hello();
  const { exit, launched } = await start(stage);
  for (let i = 0; i <= 1000; i++) launched.interrupt();
  expect(await exit).toEqual({ kind: 'lost' });
  expect(stage.broken).toEqual(['it does not answer run.interrupt']);
});

test('an error of pincer while it reads ends the sandbox, and is reported with its stack', async () => {
  const reported: unknown[] = [];
  const { link, hello, called, inside } = play({ breakDown: (...report) => reported.push(...report) });
  hello();
  const { signal } = new AbortController();
  const call = link.callTool('read', {}, {}, { signal });
  const id = await called('tool.call');
  const defect = new Error('a defect');
  Object.defineProperty(signal, 'aborted', {
    get: () => {
      throw defect;
    },
  });
  inside.write(resultFrame(id, packed(good)));
  await expect(call).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  expect(reported).toEqual(['unexpected Error: a defect', defect]);
});

test('texts from inside cannot control a terminal', async () => {
  const stage = play();
  stage.hello();
  const launched = stage.link.launcher.launch(launchOf([sh('true')]), { output: () => true, exited: () => {} });
  const id = await stage.called('run.start');
  stage.event(id, { ...started, warnings: ['a\u001b[2J\u202eb\nc'] });
  expect((await launched).warnings).toEqual(['a [2J b c']);
});

test('a runner that does not answer a ping in time ends the sandbox', async () => {
  const { link, hello, broken } = play();
  hello();
  await expect(link.ping(20)).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  expect(broken).toEqual(['it did not answer within 20 ms']);
});

test('a killed session whose exit is never reported ends the sandbox', async () => {
  const stage = play();
  stage.hello();
  const { exit } = await start(stage);
  const launcher = stage.link.launcher;
  const closing = launcher.close();
  stage.result(await stage.called('run.kill'), { ok: true });
  await closing;
  expect((await exit).kind).toBe('lost');
  expect(stage.broken.length).toBeLessThanOrEqual(1);
});

test('output that waits for a paused listener is bounded, however small its pieces are', async () => {
  const stage = play();
  stage.hello();
  const { id, bytes } = await start(stage, {}, () => false);
  const before = process.memoryUsage().arrayBuffers;
  const one = frame('out', id, Uint8Array.of(1));
  const many = Buffer.concat(Array.from({ length: 4096 }, () => one));
  for (let i = 0; i < STREAM_WINDOW / 4096; i++) {
    stage.inside.write(many);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const ping = stage.link.ping();
  stage.say(0, { pong: (await stage.said('ping'))['ping'] });
  await ping;
  expect([bytes(), stage.broken]).toEqual([1, []]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
});

const egress = { allow: ['example.com'], resolve: () => new Promise<never>(() => {}), maxConnections: 2 };
const connect = { call: 'net.connect', params: { host: 'example.com', port: 80 } };

test.each<[string, (stage: Stage) => unknown]>([
  ['a connection before the first answer', ({ say }) => say(2, connect)],
  ['a host that is none', ({ hello, say }) => [hello(), say(2, { ...connect, params: { host: 1, port: 80 } })]],
  [
    'a host without end',
    ({ hello, say }) => [hello(), say(2, { ...connect, params: { host: 'x'.repeat(256), port: 80 } })],
  ],
  ['a port that is none', ({ hello, say }) => [hello(), say(2, { ...connect, params: { host: 'a', port: 65_536 } })]],
  [
    'data before it is open',
    ({ hello, say, inside }) => [hello(), say(2, connect), inside.write(frame('net', 2, Uint8Array.of(1)))],
  ],
  [
    'a credit before it is open',
    ({ hello, say, inside }) => [hello(), say(2, connect), inside.write(creditFrame(2, 'net', 1))],
  ],
  ['an id that was used', ({ hello, say }) => [hello(), say(4, connect), say(4, connect)]],
  ['an id below one that was used', ({ hello, say }) => [hello(), say(4, connect), say(2, connect)]],
  ['data of no connection', ({ hello, inside }) => [hello(), inside.write(frame('net', 2, Uint8Array.of(1)))]],
  [
    'more connections than are refused',
    ({ hello, inside }) => {
      hello();
      inside.write(Buffer.concat(Array.from({ length: 67 }, (_, i) => messageFrame(2 * i + 2, connect))));
    },
  ],
])('an attack on the way out ends the sandbox: %s', async (_, attack) => {
  const stage = play({ egress });
  attack(stage);
  await stage.link.ended;
  expect(stage.broken).toHaveLength(1);
});

test('connections above the greatest number are refused', async () => {
  const stage = play({ egress });
  stage.hello();
  for (const id of [2, 4, 6]) stage.say(id, connect);
  expect(await stage.said('result')).toMatchObject({ id: 6, result: { end: 'refused', reason: 'too-many' } });
  stage.say(2, { cancel: true });
  stage.inside.write(frame('net', 6, Uint8Array.of(1))); // it has not read the refusal yet
  const ping = stage.link.ping();
  stage.say(0, { pong: (await stage.said('ping'))['ping'] });
  await ping;
  expect(stage.broken).toEqual([]);
});

test('a connection that is not allowed is reported, even when it is cancelled immediately', async () => {
  const refused: string[] = [];
  const stage = play({ egress: { ...egress, onRefused: ({ host }) => refused.push(host) } });
  stage.hello();
  await stage.link.ready;
  const evil = { call: 'net.connect', params: { host: 'evil.test', port: 443 } };
  stage.inside.write(Buffer.concat([messageFrame(2, evil), messageFrame(2, { cancel: true })]));
  expect(await stage.said('result')).toMatchObject({ id: 2, result: { end: 'refused', reason: 'not-allowed' } });
  expect([refused, stage.broken]).toEqual([['evil.test'], []]);
});
