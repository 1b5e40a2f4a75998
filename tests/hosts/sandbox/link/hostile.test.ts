import { type Duplex, duplexPair } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { Exit } from '../../../../src/hosts/process/launch.ts';
import {
  creditFrame,
  frame,
  FrameReader,
  type FrameKind,
  KINDS,
  LONGEST_PART,
  messageFrame,
  STREAM_WINDOW,
} from '../../../../src/hosts/channel/frames.ts';
import { connectInside, type InsideLink, type LinkOptions } from '../../../../src/hosts/sandbox/link/link.ts';
import { PROTOCOL } from '../../../../src/hosts/process/runner-messages.ts';
import { launchOf, sh } from '../../../support/launching.ts';

interface Stage {
  readonly link: InsideLink;
  readonly inside: Duplex;
  readonly broken: string[];
  /** What the gateway said, as messages; bytes of streams are left out. */
  readonly heard: { readonly id: number; readonly type: string; readonly n?: number }[];
  readonly said: (type: string) => Promise<{ readonly id: number; readonly n?: number }>;
  readonly hello: () => void;
  readonly say: (id: number, message: unknown) => void;
}

/** The gateway's end is real; the other one says what the test wants. */
function play(options: Partial<LinkOptions> = {}): Stage {
  const [outside, inside] = duplexPair();
  const broken: string[] = [];
  const heard: { id: number; type: string }[] = [];
  const waiting: { type: string; resolve: (message: { id: number; type: string }) => void }[] = [];
  const reader = new FrameReader();
  inside.on('data', (bytes: Buffer) =>
    reader.read(bytes, (kind: FrameKind, id, payload) => {
      const message = kind === 'message' ? JSON.parse(Buffer.from(payload).toString()) : { type: kind };
      heard.push({ ...message, id });
      for (const each of waiting.filter(({ type }) => type === message.type)) each.resolve({ ...message, id });
    }),
  );
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
    heard,
    said: (type) =>
      new Promise((resolve) => {
        const known = heard.find((message) => message.type === type);
        if (known !== undefined) resolve(known);
        else waiting.push({ type, resolve });
      }),
    hello: () => inside.write(messageFrame(0, { type: 'hello', protocol: PROTOCOL })),
    say: (id, message) => inside.write(messageFrame(id, message)),
  };
}

interface Running {
  readonly exit: Promise<Exit>;
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
  const { id } = await stage.said('launch');
  stage.say(id, started);
  await launched;
  return { exit, id, bytes: () => bytes };
}

const started = { type: 'started', pid: 5, pty: false, warnings: [] };
const ended = { type: 'exit', exit: { kind: 'code', code: 0 } };
const NOTHING = new Uint8Array(0);
/** A result as it leaves a sandbox: its head, and what stands behind it. */
function packed(head: unknown, bodies = '', headBytes?: number): Buffer {
  const text = typeof head === 'string' ? head : JSON.stringify(head);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(headBytes ?? Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text), Buffer.from(bodies)]);
}

test.each<[string, (stage: Stage) => void]>([
  ['bytes that are no frame', ({ inside }) => inside.write(Buffer.alloc(64, 0xff))],
  ['news before it', ({ say }) => say(1, started)],
  ['output before it', ({ inside }) => inside.write(frame('out', 1, Uint8Array.of(1)))],
  ['another version', ({ say }) => say(0, { type: 'hello', protocol: PROTOCOL + 1 })],
  ['a version that is no number', ({ say }) => say(0, { type: 'hello', protocol: '1' })],
  ['no JSON', ({ inside }) => inside.write(frame('message', 0, Buffer.from('{')))],
  ['no object', ({ say }) => say(0, [1])],
])('an announcement that is none ends the sandbox: %s', async (_, attack) => {
  const stage = play();
  attack(stage);
  await stage.link.ended;
  await expect(stage.link.ready).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  expect(stage.broken).toHaveLength(1);
});

test('an agent that never announces itself is given up', async () => {
  const { link, broken } = play({ helloMs: 20 });
  await expect(link.ready).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  expect(broken).toEqual(['its agent did not announce itself']);
});

const attacks: [string, (stage: Stage, id: number) => void][] = [
  ['a second announcement', ({ hello }) => hello()],
  ['output of no command', ({ inside }, id) => inside.write(frame('out', id + 1, Uint8Array.of(1)))],
  ['output of a stream that it does not have', ({ inside }, id) => inside.write(frame('err', id, Uint8Array.of(1)))],
  ['input', ({ inside }, id) => inside.write(frame('in', id, Uint8Array.of(1)))],
  ['a second start', ({ say }, id) => say(id, started)],
  ['the start of no command', ({ say }, id) => say(id + 7, started)],
  ['the end of no command', ({ say }, id) => say(id + 7, ended)],
  ['a second end', ({ say }, id) => [say(id, ended), say(id, ended)]],
  [
    'output behind its end',
    ({ inside }, id) => inside.write(Buffer.concat([frame('out', id, NOTHING), frame('out', id, NOTHING)])),
  ],
  [
    'the failed start of what runs',
    ({ say }, id) => say(id, { type: 'exit', exit: { kind: 'failed', reason: 'spawn-failed', message: '' } }),
  ],
  ['the end of a hunt that nobody began', ({ say }, id) => say(id, { type: 'killed', n: 1, ok: true })],
  ['an answer to no question', ({ say }) => say(0, { type: 'pong', n: 1 })],
  ['the result of no call', ({ inside }, id) => inside.write(frame('last', id, packed({})))],
  ['a connection without a way out', ({ say }) => say(1, { type: 'connect', host: 'a', port: 80 })],
  ['data without a way out', ({ inside }) => inside.write(frame('net', 1, Uint8Array.of(1)))],
  ['a credit for nothing', ({ inside }, id) => inside.write(creditFrame(id, 'out', 5))],
  ['a credit for more input than there was', ({ inside }, id) => inside.write(creditFrame(id, 'in', 5))],
  [
    'a credit of no stream',
    ({ inside }, id) => inside.write(frame('credit', id, Uint8Array.of(KINDS.part, 0, 0, 0, 0))),
  ],
  ['a kind of news that does not exist', ({ say }, id) => say(id, { type: 'toString' })],
  ['news without a kind', ({ say }, id) => say(id, { exit: 1 })],
  ['news that is too long', ({ say }, id) => say(id, { type: 'inputClosed', more: 'x'.repeat(20_000) })],
  [
    'more output than it may send',
    ({ inside }, id) => {
      for (let sent = 0; sent <= STREAM_WINDOW; sent += LONGEST_PART)
        inside.write(frame('out', id, new Uint8Array(LONGEST_PART)));
    },
  ],
  ...[Number.NaN, null, -1, 256, 1.5, '0', 1e300].map((code): [string, (stage: Stage, id: number) => void] => [
    `the exit code ${code}`,
    ({ say }, id) => say(id, { type: 'exit', exit: { kind: 'code', code } }),
  ]),
  ...['KILL', 'SIG', 'SIGKILL; rm', '\x1b[2J', 9].map((signal): [string, (stage: Stage, id: number) => void] => [
    `the signal ${JSON.stringify(signal)}`,
    ({ say }, id) => say(id, { type: 'exit', exit: { kind: 'signal', signal } }),
  ]),
];

test.each(attacks)('what its agent never says ends the sandbox, and all in it is lost: %s', async (_, attack) => {
  // The listener takes nothing more after the first piece, so nothing is allowed again.
  const stage = play();
  stage.hello();
  await stage.link.ready;
  const { exit, id } = await start(stage, { stdin: 'open' }, () => false);
  const call = stage.link.callTool('read', { path: 'a' });
  const { id: callId } = await stage.said('last');
  expect(callId).not.toBe(id);
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
])('a result of another shape ends the sandbox: %s', async (_, bytes) => {
  const { link, hello, said, inside, broken } = play();
  hello();
  const call = link.callTool('read', { path: 'a' });
  const { id } = await said('last');
  let at = 0;
  for (; bytes.length - at > LONGEST_PART; at += LONGEST_PART)
    inside.write(frame('part', id, bytes.subarray(at, at + LONGEST_PART)));
  inside.write(frame('last', id, bytes.subarray(at)));
  await expect(call).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  expect(broken).toHaveLength(1);
});

test('credits for a command that is gone end with the input that it had', async () => {
  const stage = play();
  stage.hello();
  const { id, exit } = await start(stage, { stdin: 'open' });
  stage.say(id, ended);
  stage.inside.write(frame('out', id, NOTHING));
  await exit;
  expect(stage.broken).toEqual([]);
  stage.inside.write(creditFrame(id, 'in', 1));
  await stage.link.ended;
  expect(stage.broken).toEqual(['a credit for nothing came out of it']);
});

test('a result in small parts ends the sandbox: each would cost more than it has', async () => {
  const { link, hello, said, inside, broken } = play();
  hello();
  const call = link.callTool('read', { path: 'a' });
  const { id } = await said('last');
  inside.write(frame('part', id, Uint8Array.of(1)));
  await expect(call).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  expect(broken).toEqual(['a part that is not whole came out of it']);
});

test('a result has only what a result may have', async () => {
  const { link, hello, said, inside } = play();
  hello();
  const call = link.callTool('read', { path: 'a' });
  const { id } = await said('last');
  const extra = { ...good, content: [{ type: 'text', text: 'x', steer: 1 }], more: 1, error: 'e', isError: true };
  inside.write(frame('last', id, packed(extra)));
  expect(await call).toEqual({ ...good, error: 'e', isError: true });
});

test('C8: of its details a result has the members that file tools have, and no others', async () => {
  const { link, hello, said, inside } = play();
  hello();
  const call = link.callTool('read', { path: 'a' });
  const { id } = await said('last');
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
  inside.write(frame('last', id, packed({ ...good, details })));
  expect((await call).details).toEqual({ path: 'a' });
});

test('a result without end is refused before it is all in memory', async () => {
  const { link, hello, said, inside, broken } = play();
  hello();
  const call = link.callTool('read', { path: 'a' });
  const { id } = await said('last');
  const refused = expect(call).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  const part = frame('part', id, new Uint8Array(LONGEST_PART));
  for (let i = 0; i <= 512 && !inside.destroyed && broken.length === 0; i++)
    if (!inside.write(part)) await new Promise((resolve) => setImmediate(resolve));
  await refused;
  expect(broken).toEqual(['a result without bounds came out of it']);
});

test('a call that was stopped is answered at once, and its result may come later, once', async () => {
  const { link, hello, said, inside, broken } = play();
  hello();
  const controller = new AbortController();
  const call = link.callTool('read', { path: 'a' }, {}, { signal: controller.signal });
  const { id } = await said('last');
  controller.abort();
  expect(await call).toMatchObject({ isError: true, details: { code: 'TOOL_ABORTED' } });
  expect((await said('abort')).id).toBe(id);
  inside.write(frame('last', id, packed(good)));
  const ping = link.ping();
  const { n } = await said('ping');
  inside.write(messageFrame(0, { type: 'pong', n }));
  await ping;
  expect(broken).toEqual([]);
  inside.write(frame('last', id, packed(good)));
  await link.ended;
  expect(broken).toEqual(['the result of no call came out of it']);
});

test('words from inside cannot steer a terminal', async () => {
  const stage = play();
  stage.hello();
  const launched = stage.link.launcher.launch(launchOf([sh('true')]), { output: () => true, exited: () => {} });
  const { id } = await stage.said('launch');
  stage.say(id, { ...started, warnings: ['a\u001b[2J\u202eb\nc'] });
  expect((await launched).warnings).toEqual(['a [2J b c']);
});

test('an agent that does not answer in time is given up', async () => {
  const { link, hello, broken } = play();
  hello();
  await expect(link.ping(20)).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  expect(broken).toEqual(['its agent does not answer']);
});

test('a session that was ended and whose end is never told ends the sandbox', async () => {
  const stage = play();
  stage.hello();
  const { exit, id } = await start(stage);
  const launcher = stage.link.launcher;
  const closing = launcher.close();
  const { n } = await stage.said('kill');
  stage.say(id, { type: 'killed', n, ok: true });
  await closing;
  expect((await exit).kind).toBe('lost');
  expect(stage.broken.length).toBeLessThanOrEqual(1);
});

test('what waits for a silent listener is bounded, however small its pieces are', async () => {
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
  const { n } = await stage.said('ping');
  stage.say(0, { type: 'pong', n });
  await ping;
  expect([bytes(), stage.broken]).toEqual([1, []]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
});
