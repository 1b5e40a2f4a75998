import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Progress } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { until } from '../../support/patience.ts';
import { isThere } from '../../support/processes.ts';
import { connect, ERAS, type Ground, ground, pincer } from './serving.ts';

const FREE = { host: 'gateway', security: 'full', ask: 'off' };
const ALLOWED = { tools: { exec: FREE } };
/** A command that tells its process and then sleeps. */
const SLEEPS = { command: 'echo $$ > pid.txt; exec sleep 300', yieldMs: 40_000 };

async function pidIn(at: Ground): Promise<number> {
  const file = join(at.workspace, 'pid.txt');
  await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'), 'the start of the command');
  return Number(readFileSync(file, 'utf8'));
}

describe.each(ERAS)('a call of the %s era', (era) => {
  it('that is cancelled ends its command', async () => {
    const at = ground(ALLOWED);
    const { client } = await connect(at, { era });
    const cancelling = new AbortController();
    const call = client.callTool({ name: 'exec', arguments: SLEEPS }, { signal: cancelling.signal });
    const failed = call.catch((error: Error) => error);
    const pid = await pidIn(at);
    cancelling.abort();
    expect(await failed).toBeInstanceOf(Error);
    await until(() => !isThere(pid), 'the end of the command');
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });

  it('sends progress to clients that request it', async () => {
    const at = ground(ALLOWED);
    const { client } = await connect(at, { era });
    const told: Progress[] = [];
    const command = 'i=0; while [ ! -e enough ]; do i=$((i+1)); echo "step $i"; sleep 0.2; done';
    const onprogress = (progress: Progress): void => {
      told.push(progress);
      if (steps().length > 0) writeFileSync(join(at.workspace, 'enough'), '');
    };
    const steps = () => told.filter(({ message }) => /^step \d+$/u.test(message ?? ''));
    await client.callTool({ name: 'exec', arguments: { command, yieldMs: 40_000 } }, { onprogress });
    expect(steps().length).toBeGreaterThan(0);
    expect(told.map(({ progress }) => progress)).toEqual(told.map((_, i) => i + 1));
  });

  it.each([
    ['closes the connection', async (close: () => Promise<void>) => close()],
    ['kills the server', async (_: unknown, pid: number) => void process.kill(pid, 'SIGKILL')],
  ])('ends its command when the client %s', async (_, leave) => {
    const at = ground(ALLOWED);
    const { client, close, pid: server } = await connect(at, { era });
    client.callTool({ name: 'exec', arguments: SLEEPS }).catch(() => undefined);
    const pid = await pidIn(at);
    await leave(close, server);
    await until(() => !isThere(pid), 'the end of the command');
    await until(() => !isThere(server), 'the end of the server');
  });
});

describe('a session in the background, when the client disconnects', () => {
  it.each([
    ['keep', 'goes on', true],
    ['end', 'is ended', false],
  ])('with sessionsOnClose %s %s', async (sessionsOnClose, _, stays) => {
    const at = ground({ ...ALLOWED, mcp: { sessionsOnClose } });
    const { call, close } = await connect(at);
    await call('exec', { ...SLEEPS, background: true });
    const pid = await pidIn(at);
    await close();
    if (stays) {
      expect(await pincer(at, 'ps', '--human')).toContain('running');
      expect(isThere(pid)).toBe(true);
    } else await until(() => !isThere(pid), 'the end of the command');
  });
});

describe('a change of the configuration', () => {
  it.each(ERAS)('is told to a client of the %s era, and shows in the next list', async (era) => {
    const at = ground(ALLOWED);
    const { client } = await connect(at, { era });
    let told = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => void told++);
    if (era === 'modern') await client.listen({ toolsListChanged: true });
    const names = async () =>
      (await client.listTools(undefined, { cacheMode: 'refresh' })).tools.map(({ name }) => name);
    expect(await names()).toContain('exec');
    at.configure({ tools: { deny: ['exec'] } });
    expect(await names()).not.toContain('exec');
    await until(() => told > 0, 'the notification');
  });

  it('that breaks the file keeps the list unchanged, and commands are refused', async () => {
    const at = ground(ALLOWED);
    const { client, call } = await connect(at);
    const before = await client.listTools();
    await call('exec', { command: 'true' });
    at.configure({ tools: { exec: { security: 'perhaps' } } });
    expect(await client.listTools()).toEqual(before);
    expect(await call('exec', { command: 'true' })).toMatchObject({
      isError: true,
      structuredContent: { code: 'CONFIG_INVALID' },
    });
  });

  it.each(ERAS)(
    'that mends a broken file is taken up, and until then a client of the %s era hears what is wrong',
    async (era) => {
      const at = ground({ tools: { exec: { security: 'perhaps' } } }, { 'a.txt': 'one\n' });
      const { client, call } = await connect(at, { era });
      await expect(client.listTools()).rejects.toThrow(/pincer\.jsonc: tools\.exec\.security/u);
      expect(await call('read', { path: 'a.txt' })).toMatchObject({
        isError: true,
        structuredContent: { code: 'CONFIG_INVALID' },
      });
      at.configure(ALLOWED);
      expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    },
  );
});
