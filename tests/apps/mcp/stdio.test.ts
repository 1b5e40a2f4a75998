import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { stdioTransport } from '../../../src/apps/mcp/stdio/transport.ts';
import { isAlive } from '../../../src/hosts/files/locks/owner.ts';
import { until, untilIdle, UNTIL_GO } from '../../support/patience.ts';
import { anyCharacter, fc, runs } from '../../support/property.ts';
import { callOf, INITIALIZE, INITIALIZED, startRaw } from './raw.ts';
import { connect, ERAS, ground } from './serving.ts';

const ALLOWED = { tools: { exec: { host: 'gateway', security: 'full', ask: 'off' } } };

/** For tests of thousands of calls, which keep a processor busy. */
const MANY_MS = 150_000;
const ALL_ANSWERED_MS = 120_000;

const bytesWrittenBy = (pid: number): number =>
  Number(/wchar: (\d+)/u.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))![1]);

describe('the server on its streams', () => {
  it.each([
    ['no JSON', '{"jsonrpc":', -32700],
    ['no message', '{"hello":1}', -32600],
    ['a list of messages', JSON.stringify([INITIALIZE]), -32600],
    ['a number', '42', -32600],
    ['nothing', 'null', -32600],
    ['too long', `"${'x'.repeat(17 * 2 ** 20)}"`, -32600],
  ])('answers a line that is %s, and continues', async (_, line, code) => {
    const at = ground({}, { 'a.txt': 'one\n' });
    const { write, answerTo, messages, end } = startRaw(at);
    write(INITIALIZE, INITIALIZED, line, callOf(1, 'read', { path: 'a.txt' }));
    expect(await answerTo(1)).toMatchObject({ result: { content: [{ type: 'text', text: 'one\n' }] } });
    expect(messages.filter(({ error }) => error !== undefined)).toEqual([
      { jsonrpc: '2.0', error: { code, message: expect.any(String) } },
    ]);
    expect(await end()).toBe(0);
  });

  it('answers an invalid request with its id', async () => {
    const { write, answerTo, end } = startRaw(ground());
    write(INITIALIZE, '{"jsonrpc":"1.0","id":7,"method":"tools/list"}');
    expect(await answerTo(7)).toMatchObject({ error: { code: -32600 } });
    expect(await end()).toBe(0);
  });

  it.each([
    ['before it is initialized', []],
    ['after it is', [INITIALIZE, INITIALIZED]],
  ])('answers a request %s, and one that it does not know', async (_, opening) => {
    const { write, answerTo, end } = startRaw(ground());
    write(...opening, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { jsonrpc: '2.0', id: 2, method: 'no/such' });
    expect(await answerTo(1)).toMatchObject({ result: { tools: expect.any(Array) } });
    expect(await answerTo(2)).toMatchObject({ error: { code: -32601 } });
    expect(await end()).toBe(0);
  });

  it('answers what was asked before the input ended', async () => {
    const at = ground({}, { 'a.txt': 'one\n' });
    const { write, messages, end } = startRaw(at);
    write(INITIALIZE, INITIALIZED, callOf(1, 'read', { path: 'a.txt' }));
    expect(await end()).toBe(0);
    expect(messages.map(({ id }) => id)).toEqual(['init', 1]);
  });

  it('ends a command at the end of input, and itself with 0', async () => {
    const at = ground(ALLOWED);
    const { write, messages, end } = startRaw(at);
    write(
      INITIALIZE,
      INITIALIZED,
      callOf(1, 'exec', { command: 'echo $$ > pid.txt; exec sleep 300', yieldMs: 40_000 }),
    );
    const file = join(at.workspace, 'pid.txt');
    await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'), 'the start of the command');
    expect(await end()).toBe(0);
    expect(() => process.kill(Number(readFileSync(file, 'utf8')), 0)).toThrow('ESRCH');
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { isError: true } });
  });

  it('runs one of two requests with one id', async () => {
    const at = ground(ALLOWED);
    const { write, answerTo, messages, end } = startRaw(at);
    write(INITIALIZE, INITIALIZED);
    write(
      callOf(1, 'exec', { command: `echo a >> ran.txt; ${UNTIL_GO}`, yieldMs: 40_000 }),
      callOf(1, 'exec', { command: 'echo b >> ran.txt' }),
    );
    await until(() => messages.some(({ error }) => error !== undefined), 'the refusal of the second');
    writeFileSync(join(at.workspace, 'go'), '');
    await answerTo(1);
    expect(readFileSync(join(at.workspace, 'ran.txt'), 'utf8')).toBe('a\n');
    expect(messages.filter(({ error }) => error !== undefined)).toMatchObject([{ error: { code: -32600 } }]);
    expect(await end()).toBe(0);
  });

  it('answers thousands of concurrent calls', { timeout: MANY_MS }, async () => {
    const at = ground({}, { 'a.txt': 'one\n' });
    const { write, answerTo, messages, end } = startRaw(at);
    write(INITIALIZE, INITIALIZED, ...Array.from({ length: 2_000 }, (_, id) => callOf(id, 'read', { path: 'a.txt' })));
    await answerTo('init');
    await until(() => messages.length === 2_001, 'all answers', ALL_ANSWERED_MS);
    expect(messages.filter(({ result }) => result?.['structuredContent'] !== undefined)).toHaveLength(2_000);
    expect(await end()).toBe(0);
  });

  it('refuses calls beyond its limit, and continues', { timeout: MANY_MS }, async () => {
    const at = ground({}, { 'a.txt': 'one\n' });
    const { write, messages, end } = startRaw(at);
    write(INITIALIZE, INITIALIZED, ...Array.from({ length: 6_000 }, (_, id) => callOf(id, 'read', { path: 'a.txt' })));
    await until(() => messages.length === 6_001, 'all answers', ALL_ANSWERED_MS);
    const refused = messages.filter(({ error }) => error !== undefined);
    for (const { error } of refused) expect(error!.message).toContain('calls are running or queued');
    expect(await end()).toBe(0);
  });

  it('buffers little for a client that stops reading, and answers everything when it resumes', {
    timeout: MANY_MS,
  }, async () => {
    const at = ground({}, { 'big.txt': `${'x'.repeat(79)}\n`.repeat(500) });
    const { child, write, read, messages, end } = startRaw(at, { reads: false });
    write(
      INITIALIZE,
      INITIALIZED,
      ...Array.from({ length: 2_000 }, (_, id) => callOf(id, 'read', { path: 'big.txt' })),
    );
    await until(() => bytesWrittenBy(child.pid!) > 100_000, 'the first answers');
    await untilIdle(child.pid!); // nobody reads, so it can do no more
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    expect(Number(/VmRSS:\s+(\d+)/u.exec(status)![1])).toBeLessThan(250_000);
    read();
    await until(() => messages.length === 2_001, 'all answers', ALL_ANSWERED_MS);
    expect(await end()).toBe(0);
  });

  it('exits when its reader is gone', async () => {
    const at = ground({}, { 'a.txt': 'one\n' });
    const { child, write, answerTo, end } = startRaw(at);
    write(INITIALIZE, INITIALIZED);
    await answerTo('init');
    child.stdout!.destroy();
    write(callOf(1, 'read', { path: 'a.txt' }), callOf(2, 'read', { path: 'a.txt' }));
    expect(await end()).toBe(0);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('leaves with 0 at %s', async (signal) => {
    const { child, write, answerTo, end } = startRaw(ground());
    write(INITIALIZE, INITIALIZED);
    await answerTo('init');
    child.kill(signal);
    expect(await end()).toBe(0);
  });

  it('survives whatever is written to it', async () => {
    const at = ground({}, { 'a.txt': 'one\n' });
    const { write, answerTo, end } = startRaw(at);
    write(INITIALIZE, INITIALIZED);
    const name = fc.constantFrom(
      'tools/call',
      'tools/list',
      'initialize',
      'resources/read',
      'server/discover',
      'ping',
      'x',
    );
    const params = fc.oneof(
      fc.jsonValue(),
      fc.record({
        name: fc.constantFrom('read', 'path', 'write', 'nope'),
        arguments: fc.jsonValue(),
        _meta: fc.jsonValue(),
      }),
      fc.record({ uri: fc.string(), _meta: fc.dictionary(fc.string(), fc.jsonValue()) }),
    );
    const message = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0'),
        id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
        method: name,
        params,
      },
      { requiredKeys: [] },
    );
    const line = fc.oneof(
      message.map((value) => JSON.stringify(value)),
      fc.tuple(message, fc.nat(), fc.string()).map(([value, at, text]) => {
        const json = JSON.stringify(value);
        return `${json.slice(0, at % json.length)}${text.replaceAll('\n', ' ')}`;
      }),
      fc.string({ unit: anyCharacter }).map((text) => text.replaceAll('\n', ' ')),
    );
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (lines) => {
        const id = `sound-${round++}`;
        write(...lines, { jsonrpc: '2.0', id, method: 'tools/list' });
        expect(await answerTo(id)).toMatchObject({ result: { tools: expect.any(Array) } });
      }),
      { numRuns: runs(100) },
    );
    expect(await end()).toBe(0);
  });
});

describe('a start that cannot succeed', () => {
  it.each([
    ['a folder that is not there', ['--workspace', '/nowhere/at/all'], /folder not found: \/nowhere\/at\/all/u],
    ['a preset that nobody knows', ['--preset', 'frob'], /--preset must be claude or codex or openclaw or minimal/u],
    ['a flag that nobody knows', ['--frob'], /unknown option --frob/u],
  ])('reports why: %s', async (_, args, why) => {
    const { spawnSync } = await import('node:child_process');
    const { PROGRAM } = await import('./serving.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'mcp', ...args], {
      input: '',
      encoding: 'utf8',
      env: ground().env,
    });
    expect([status === 0, stdout]).toEqual([false, '']);
    expect(stderr).toMatch(why);
  });
});

describe.each(ERAS)('a listening client of the %s era', (era) => {
  it('is left when it closes the connection', async () => {
    const { client, close, pid } = await connect(ground(), { era });
    if (era === 'modern') await client.listen({ toolsListChanged: true });
    await close();
    await until(() => !isAlive({ pid, start: '' }), 'the end of the server');
  });
});

describe('at the end of input', () => {
  /** A connection whose client has sent this and then closed its end; the clock stands still. */
  async function ended(request: object) {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const input = new PassThrough();
    const transport = stdioTransport({ input, output: new PassThrough().resume(), log: () => undefined });
    const heard = new Promise((resolve) => Object.assign(transport, { onmessage: resolve }));
    await transport.start();
    input.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, ...request })}\n`);
    await heard;
    let isClosed = false;
    void transport.closed().then(() => (isClosed = true));
    return { transport, isClosed: () => isClosed };
  }

  it('a client that only listens is not waited for', async () => {
    const { transport } = await ended({ method: 'subscriptions/listen', params: { notifications: {} } });
    await transport.closed();
  });

  it('a call that is open has time to be answered', async () => {
    const { transport, isClosed } = await ended({ method: 'tools/call', params: { name: 'read', arguments: {} } });
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(isClosed()).toBe(false);
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    await transport.closed();
  });
});
