/** Calls that once kept everybody waiting, or ended the server: the process that answers all clients does little for each. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boundedBy, PATIENCE_MS } from '../../support/patience.ts';
import { processorMsOf } from '../../support/processes.ts';
import { type Answer, type Home, makeHome, runPincer, type Server, startServer } from './serving.ts';

/** A tenth of it is usual; each of these calls once took from many seconds to for ever. */
const MOST_MS = 2_000;

let home: Home;
let server: Server;
let daemon: number;
beforeAll(async () => {
  home = makeHome({ tools: { exec: { denyRules: [{ pattern: '/usr/bin/rm' }] } } });
  server = await startServer(home);
  await server.call('exec', { command: 'true' });
  const { stdout } = await runPincer(home, ['daemon', 'status', '--json']);
  daemon = (JSON.parse(stdout) as { pid: number }).pid;
});
afterAll(async () => {
  await server.end();
  await home.remove();
});

const codeOf = ({ details, error }: Answer): unknown => details?.['code'] ?? error?.code;
const put = (name: string, content: string): void => writeFileSync(join(home.workspace, name), content);

/** The answer of a call that costs server and daemon little processor time. */
async function cheaply(tool: string, args: unknown): Promise<Answer> {
  const before = processorMsOf(server.pid) + processorMsOf(daemon);
  const inTime = boundedBy(PATIENCE_MS, () => server.child.kill('SIGKILL'));
  const { body } = await server.call(tool, args).finally(inTime);
  const spent = processorMsOf(server.pid) + processorMsOf(daemon) - before;
  expect(spent).toBeLessThan(MOST_MS);
  return body;
}

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('S-2: a pattern', () => {
  it.each([
    ['with many **', nested(20), '**.**.**.**/**.**.**.**/**.**.**.z'],
    ['with many ** in a deep document', nested(120), '**.**.**.**/**.**.**.a'],
    ['with unions of the same', nested(9), Array.from({ length: 7 }, () => '{a,a,a,a,a,a,a,a,a,a,a}').join('.')],
  ])('%s is answered', async (_, content, pattern) => {
    put('deep.json', content);
    const { details } = await cheaply('path', { verb: 'find', path: `oc://deep.json/${pattern}` });
    expect(details?.['pattern']).toBeDefined();
  });
});

describe('S-3: aliases in aliases', () => {
  /** YAML of six levels, each with nine times the one before. */
  const bomb = (item: (level: number, name: string) => string): string =>
    Array.from({ length: 6 }, (_, level) => `a${level}: &a${level} ${item(level, `*a${level - 1}`)}\n`).join('');
  const list = bomb((level, before) => `[${Array.from({ length: 9 }, () => (level === 0 ? 'x' : before)).join(', ')}]`);
  const map = bomb(
    (level, before) =>
      `{${Array.from({ length: 9 }, (_, i) => `${'k'.repeat(150)}${i}: ${level === 0 ? 'x' : before}`).join(', ')}}`,
  );

  it.each([
    ['in lists', list],
    ['in maps with long names', map],
  ])('%s give the first matches', async (_, content) => {
    put('bomb.yaml', content);
    const { details, isError } = await cheaply('path', { verb: 'find', path: 'oc://bomb.yaml/**' });
    expect({ isError, truncated: details?.['truncated'] }).toEqual({ isError: undefined, truncated: true });
    expect(details?.['count']).toBeLessThanOrEqual(10_000);
  });

  it('never exceed the limit of a value', async () => {
    put('bomb.yaml', map);
    const { details } = await cheaply('path', { verb: 'resolve', path: 'oc://bomb.yaml/a5' });
    expect(['TOOL_TOO_LARGE', 'TOOL_TIMEOUT']).toContain(details?.['code']);
  });
});

describe('S-4: output of a terminal', () => {
  it('with huge counts is drawn without stalling the daemon', async () => {
    const command = `for final in b L S T I M Z @ P X; do printf "a\\033[2147483647$final"; done; echo over`;
    const { content } = await cheaply('exec', { command, pty: true });
    expect(content?.[0]?.text).toContain('over');
  });
});

describe('S-1, S-5: a long command', () => {
  it('with many login options is masked quickly', async () => {
    const { details } = await cheaply('exec', { command: `: ${'--user='.repeat(12_000)}` });
    expect(details).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['the same words', `ls ${'a '.repeat(60_000)}`],
    ['other words', `ls ${Array.from({ length: 20_000 }, (_, i) => i).join(' ')}`],
    ['braces', `ls ${'{a,'.repeat(20_000)}`],
    ['options', `git ${'-c a=b '.repeat(15_000)}status`],
  ])('of %s is not read by the rules', async (_, command) => {
    const { details } = await cheaply('exec', { command, host: 'gateway', security: 'allowlist', ask: 'always' });
    expect(['approval-pending', 'failed', 'denied']).toContain(details?.['status']);
  });

  it('that no shell takes is refused', async () => {
    const { details } = await cheaply('exec', { command: `ls ${'a '.repeat(1_000_000)}` });
    expect(details).toMatchObject({ status: 'failed', code: 'EXEC_COMMAND_INVALID' });
  });
});

describe('S-6: parameters', () => {
  const many = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`N${i}`, '1']));

  it.each([
    ['exec', { command: 'ls', env: many(200_000) }, 'SERVE_TOO_LARGE'],
    ['exec', { command: 'ls', env: many(2_000) }, 'EXEC_ENV_REFUSED'],
    ['read', many(300_000), 'SERVE_TOO_LARGE'],
    ['edit', { path: 'a.txt', edits: Array.from({ length: 1_000_000 }, () => ({})) }, 'SERVE_TOO_LARGE'],
  ])('of %s are refused before they are looked at, %#', async (tool, args, code) => {
    expect(codeOf(await cheaply(tool, args))).toBe(code);
  });
});

describe('H5, M10: a file of secrets', () => {
  it.each([
    ['a long word in a comment', `#${'a'.repeat(200_000)}\n`],
    ['a long run of blanks', `A=b${' '.repeat(200_000)}c\n`],
  ])('with %s is read', async (_, content) => {
    put('.env', content);
    expect((await cheaply('read', { path: '.env' })).isError).toBeUndefined();
    await cheaply('path', { verb: 'find', path: 'oc://.env/*' });
  });
});
