/** `pincer call --batch` through the real program. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../../support/folder.ts';

const program = resolve(import.meta.dirname, '../../../../dist/pincer.cjs');

interface Answer {
  readonly id: unknown;
  readonly isError?: true;
  readonly error?: string;
  readonly details: { readonly code?: string; readonly hash?: string };
  readonly content: readonly { readonly text?: string }[];
}

function batch(input: string | Buffer, files: Readonly<Record<string, string>> = {}) {
  const folder = makeFolder({ 'ws/a.txt': 'alpha\n', ...files });
  const ran = spawnSync(process.execPath, [program, 'call', '--batch', '--workspace', join(folder, 'ws')], {
    input,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder },
    maxBuffer: 1 << 28,
    timeout: 60_000,
  });
  const lines = ran.stdout.split('\n').filter((line) => line !== '');
  const answers = lines.map((line) => JSON.parse(line) as Answer);
  return { status: ran.status, stderr: ran.stderr, lines, answers };
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const readA = (id: unknown) => line({ id, tool: 'read', args: { path: 'a.txt' } });

describe('a batch', () => {
  it('answers thousands of calls in their order', () => {
    const { status, stderr, answers } = batch(Array.from({ length: 3000 }, (_, id) => readA(id)).join(''));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 3000 }, (_, id) => id));
    expect(answers.every(({ isError }) => isError === undefined)).toBe(true);
  });

  it.each([
    ['no JSON', 'oops\n', 'USAGE_JSON'],
    ['a number', '5\n', 'USAGE_CALL'],
    ['null', 'null\n', 'USAGE_CALL'],
    ['a call without a tool', '{}\n', 'USAGE_CALL'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22, 0x0a]), 'USAGE_JSON'],
  ])('answers a line that is %s with a null id and goes on', (_, bad, code) => {
    const { status, answers } = batch(Buffer.concat([Buffer.from(readA(1)), Buffer.from(bad), Buffer.from(readA(2))]));
    expect(status).toBe(0);
    expect(answers.map(({ id, details }) => [id, details.code])).toEqual([
      [1, undefined],
      [null, code],
      [2, undefined],
    ]);
  });

  it.each(['12345678901234567890', '1.10', '1e30', '7', '"7"', '"\\u2028"', 'true', 'null'])(
    'gives the id %s back',
    (id) => {
      const line = `{"id":${id},"tool":"read","args":{"path":"a.txt"}}\n`;
      expect(batch(line).lines[0]).toMatch(`{"id":${id === '"\\u2028"' ? '"\u2028"' : id},"content":`);
    },
  );

  it('survives a call that is nested too deep to be walked', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const { status, answers } = batch(
      `{"id":${deep},"tool":"read"}\n{"id":1,"tool":"edit","args":{"path":"a.txt","edits":${deep}}}\n${readA(2)}`,
    );
    expect(status).toBe(0);
    expect(answers.map(({ id, isError }) => [id, isError])).toEqual([
      [null, true],
      [null, true],
      [2, undefined],
    ]);
  });

  it('passes over a line that is too long to be held', () => {
    const { answers } = batch(Buffer.concat([Buffer.alloc(65 << 20, 'x'), Buffer.from(`\n${readA(2)}`)]));
    expect(answers.map(({ id, details }) => [id, details.code])).toEqual([
      [null, 'USAGE_LINE_TOO_LONG'],
      [2, undefined],
    ]);
  });

  it('takes the last line without a line feed, Windows line ends, blank lines and a byte order mark', () => {
    const text = `\ufeff${readA(1).trim()}\r\n\r\n  \n${readA(2).trim()}`;
    expect(batch(text).answers.map(({ id, isError }) => [id, isError])).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
  });

  it('sees what earlier lines wrote', () => {
    const { answers } = batch(
      line({ id: 1, tool: 'write', args: { path: 'b.txt', content: 'b' } }) +
        line({ id: 2, tool: 'edit', args: { path: 'b.txt', oldText: 'b', newText: 'c' } }) +
        line({ id: 3, tool: 'read', path: 'b.txt' }),
    );
    expect(answers.at(-1)?.content[0]?.text).toBe('c');
  });

  it('answers each call before it waits for the next', async () => {
    const folder = makeFolder({ 'a.txt': 'alpha\n' });
    const child = spawn(process.execPath, [program, 'call', '--batch', '--workspace', folder], {
      env: { PATH: process.env['PATH'], HOME: folder },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const answers = createInterface({ input: child.stdout });
    for (let id = 0; id < 3; id++) {
      const answer = once(answers, 'line');
      child.stdin.write(readA(id));
      expect(JSON.parse(String((await answer)[0]))).toMatchObject({ id });
    }
    child.stdin.end();
    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  it.runIf(process.platform === 'linux')('holds nothing of the workspace while it waits for input', async () => {
    const folder = makeFolder({ 'ws/d/e/f': 'inside\n' });
    const ws = join(folder, 'ws');
    const child = spawn(process.execPath, [program, 'call', '--batch', '--workspace', ws], {
      env: { PATH: process.env['PATH'], HOME: folder },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const held = () =>
      readdirSync(`/proc/${child.pid}/fd`)
        .map((fd) => readlinkSync(`/proc/${child.pid}/fd/${fd}`))
        .filter((place) => place.startsWith(`${ws}/`));
    const answers = createInterface({ input: child.stdout });
    const ask = async (tool: string, args: object) => {
      const answer = once(answers, 'line');
      child.stdin.write(line({ id: tool, tool, args }));
      expect(JSON.parse(String((await answer)[0]))).toMatchObject({ id: tool, content: [{ type: 'text' }] });
    };
    for (let i = 0; i < 3; i++) await ask('read', { path: 'd/e/f' });
    expect(held()).toEqual([]);
    await ask('edit', { path: 'd/e/f', oldText: 'inside', newText: 'INSIDE' });
    await expect.poll(held).toEqual([]); // replaced files are closed in a thread
    child.stdin.end();
    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  it('ends quietly when the reader goes away', () => {
    const folder = makeFolder({
      'a.txt': 'alpha\n',
      calls: Array.from({ length: 20_000 }, (_, id) => readA(id)).join(''),
    });
    const script = `'${process.execPath}' '${program}' call --batch < calls | head -n 1 | cut -c 1-8; echo done`;
    const { stdout, stderr } = spawnSync('sh', ['-c', script], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder },
    });
    expect({ stdout, stderr }).toEqual({ stdout: '{"id":0,\ndone\n', stderr: '' });
  });
});
