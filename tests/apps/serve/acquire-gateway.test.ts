import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readPointer } from '../../../src/apps/daemon/pointer.ts';
import { type Home, makeHome, PROGRAM, runPincer, type Server, startServer } from './serving.ts';
import { until, UNTIL_GO } from '../../support/patience.ts';
import { isThere } from '../../support/processes.ts';

function home(): Home {
  const made = makeHome();
  onTestFinished(() => made.remove());
  return made;
}

async function started(place: Home, args: readonly string[] = []): Promise<Server> {
  const server = await startServer(place, args);
  onTestFinished(async () => {
    await server.end();
  });
  return server;
}

const sessionsOf = async (place: Home): Promise<readonly { readonly id: string; readonly pid: number }[]> => {
  const { stdout } = await runPincer(place, ['ps', '--json']);
  const said = JSON.parse(stdout) as { sessions?: readonly { id: string; pid: number }[] };
  return said.sessions ?? (said as unknown as readonly { id: string; pid: number }[]);
};

describe('the place of the server', () => {
  it('is that of the daemon: the other commands reach it', async () => {
    const place = home();
    const server = await started(place);
    expect(server.said).toEqual({
      url: `${server.base}/mcp`,
      tokenFile: join(place.stateDir, 'serve', 'token'),
      pid: server.pid,
      workspace: place.workspace,
      commands: expect.stringContaining('not judged') as string,
      page: expect.stringContaining('/login?code=') as string,
    });
    expect(readPointer(place.stateDir)?.pid).toBe(server.pid);
    const file = join(place.stateDir, 'serve', 'serving.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: server.pid, url: server.said['url'] });
    const { body } = await server.call('exec', { command: 'sleep 600', background: true });
    expect((await sessionsOf(place)).map(({ id }) => id)).toEqual([body.details?.['sessionId']]);
    expect((await runPincer(place, ['exec', '--', 'echo', 'hi'])).stdout).toContain('hi');
    expect(readPointer(place.stateDir)?.pid).toBe(server.pid);
  });

  it('is taken from a daemon that has nothing to do', async () => {
    const place = home();
    await runPincer(place, ['exec', '--', 'true']);
    const before = readPointer(place.stateDir)!;
    const server = await started(place);
    await until(() => !isThere(before.pid), 'the end of the daemon');
    expect(readPointer(place.stateDir)?.pid).toBe(server.pid);
    expect(server.said).not.toHaveProperty('gatewayPid');
    expect((await server.call('exec', { command: 'echo hi' })).body.content?.[0]?.text).toBe('hi');
  });

  it('is beside a daemon that has sessions: commands run through it, and nothing of it is lost', async () => {
    const place = home();
    await runPincer(place, ['call', 'exec', '{"command":"sleep 600","background":true}']);
    const [session] = await sessionsOf(place);
    const before = readPointer(place.stateDir)!;
    const server = await started(place);
    expect(server.said).toMatchObject({ gatewayPid: before.pid });
    expect((await server.call('exec', { command: 'echo hi' })).body.content?.[0]?.text).toBe('hi');
    expect(await (await server.ask('/readyz')).json()).toEqual({ status: 'ready' });
    expect(await server.end()).toBe(0);
    expect([isThere(before.pid), isThere(session!.pid)]).toEqual([true, true]);
  });

  it('is found again when the daemon beside it has died', async () => {
    const place = home();
    await runPincer(place, ['call', 'exec', '{"command":"sleep 600","background":true}']);
    const before = readPointer(place.stateDir)!;
    const server = await started(place);
    process.kill(before.pid, 'SIGKILL');
    await until(() => !isThere(before.pid), 'the end of the daemon');
    await until(
      async () => (await server.call('exec', { command: 'echo hi' })).body.content?.[0]?.text === 'hi',
      'an answer',
    );
    expect(readPointer(place.stateDir)?.pid).not.toBe(before.pid);
  });

  it('is not taken by a second server of the same state folder', async () => {
    const place = home();
    const first = await started(place);
    const second = await started(place);
    expect(second.said).toMatchObject({ gatewayPid: first.pid });
    expect(second.token).toBe(first.token);
    expect((await second.call('exec', { command: 'echo hi' })).body.content?.[0]?.text).toBe('hi');
    expect((await first.call('exec', { command: 'echo ho' })).body.content?.[0]?.text).toBe('ho');
  });

  it('is acquired by one of two concurrent servers, and the other uses it', async () => {
    const place = home();
    const both = await Promise.all([started(place), started(place)]);
    const through = both.map(({ said }) => said['gatewayPid']);
    const owner = both[through.indexOf(undefined)]!;
    expect(through.filter((pid) => pid !== undefined)).toEqual([owner.pid]);
    expect(new Set(both.map(({ token }) => token)).size).toBe(1);
    for (const server of both)
      expect((await server.call('exec', { command: 'echo hi' })).body.content?.[0]?.text).toBe('hi');
  });

  it('is given up only by force', async () => {
    const place = home();
    const server = await started(place);
    expect((await runPincer(place, ['daemon', 'stop'])).code).toBe(1);
    expect((await fetch(`${server.base}/healthz`)).status).toBe(200);
    expect((await runPincer(place, ['daemon', 'stop', '--force'])).code).toBe(0);
    expect(await server.end()).toBe(0);
  });
});

describe('the end of the server', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('comes with %s: its sessions end, and nothing is left', async (signal) => {
    const place = home();
    const server = await started(place);
    await server.call('exec', { command: 'sleep 600', background: true });
    const [session] = await sessionsOf(place);
    expect(await server.end(signal)).toBe(0);
    expect([isThere(session!.pid), readPointer(place.stateDir)]).toEqual([false, undefined]);
    expect(existsSync(join(place.stateDir, 'serve', 'serving.json'))).toBe(false);
    expect(server.stderr()).toBe('');
  });

  it('waits for an answer that is almost there', async () => {
    const place = home();
    const server = await started(place);
    const soon = server.call('exec', {
      command: `${UNTIL_GO}; echo done`,
      yieldMs: 60_000,
    });
    await until(async () => (await (await server.ask('/metrics')).text()).includes('pincer_sessions_running 1'), 'it');
    const end = server.end();
    await until(async () => !(await answers(server)), 'the signal');
    writeFileSync(join(place.workspace, 'go'), '');
    expect((await soon).body.content?.[0]?.text).toBe('done');
    expect(await end).toBe(0);
  });

  it('comes although a command hangs: its call is cut off, and its session ends', async () => {
    const place = home();
    const server = await started(place);
    const hangs = server.call('exec', { command: 'exec sleep 600', yieldMs: 60_000 });
    const cut = expect(hangs).rejects.toThrow(/^(?:fetch failed|terminated)$/u);
    await until(async () => (await sessionsOf(place)).length === 1, 'the start of the command');
    const [session] = await sessionsOf(place);
    expect(await server.end()).toBe(0);
    await cut;
    expect([isThere(session!.pid), server.stderr()]).toEqual([false, '']);
  });

  it('is immediate when it is interrupted twice', async () => {
    const server = await started(home());
    const late = server.call('exec', { command: 'sleep 600', yieldMs: 60_000 });
    const cut = expect(late).rejects.toThrow(/^(?:fetch failed|terminated)$/u);
    await until(async () => (await (await server.ask('/metrics')).text()).includes('pincer_sessions_running 1'), 'it');
    server.child.kill('SIGINT');
    await until(async () => !(await answers(server)), 'the first');
    expect(await server.end('SIGINT')).toBe(130); // who waits out the time for answers ends with 0
    await cut;
  });
});

async function answers(server: Server): Promise<boolean> {
  try {
    return (await fetch(`${server.base}/healthz`)).status === 200;
  } catch {
    return false;
  }
}

describe('its options', () => {
  it.each([
    [['--port', '70000'], 2, 'USAGE_ARGUMENTS'],
    [['--port', 'x'], 2, 'USAGE_ARGUMENTS'],
    [['--preset', 'nobody'], 2, 'USAGE_ARGUMENTS'],
    [['--workspace', '/nowhere/at/all'], 3, 'FS_NOT_FOUND'],
    [['--token-file', 'none'], 3, 'SERVE_TOKEN'],
    [['--host', '0.0.0.0'], 2, 'SERVE_EXPOSED'],
    [['extra'], 2, 'USAGE_ARGUMENTS'],
  ])('refuses %j', async (args, code, fault) => {
    const port = args.includes('--port') ? [] : ['--port', '0'];
    const run = await runPincer(home(), ['serve', ...port, ...args]);
    expect([run.code, run.stdout]).toEqual([code, '']);
    expect(run.stderr).toContain(fault);
  });

  it('names the port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const place = home();
    const run = await runPincer(place, ['serve', '--port', String(port)]);
    expect([run.code, JSON.parse(run.stderr)]).toMatchObject([
      3,
      { error: { code: 'SERVE_PORT_TAKEN', message: `port ${port} of 127.0.0.1 is in use by another program` } },
    ]);
    expect(readPointer(place.stateDir)).toBe(undefined);
  });

  it('takes address and port from the configuration by default', async () => {
    const place = makeHome({ serve: { host: '0.0.0.0', port: 1 } });
    onTestFinished(() => place.remove());
    expect((await runPincer(place, ['serve'])).stderr).toContain('SERVE_EXPOSED');
    const server = await started(place, ['--host', 'localhost']);
    expect(new URL(server.base).hostname).toMatch(/^(?:127\.0\.0\.1|\[::1\])$/u);
    expect((await server.call('read', { path: 'a.txt' })).status).toBe(200);
  });

  it('listens on every address with a token of the operator', async () => {
    const place = home();
    const file = join(place.folder, 'secret');
    writeFileSync(file, `${'s'.repeat(40)}\n`, { mode: 0o600 });
    const server = await started(place, ['--host', '0.0.0.0', '--token-file', file]);
    expect(server.token).toBe('s'.repeat(40));
    expect(existsSync(join(place.stateDir, 'serve', 'token'))).toBe(false);
    expect((await server.call('read', { path: 'a.txt' })).status).toBe(200);
  });

  it('prints the configuration of each client, in 80 columns', async () => {
    const place = home();
    const child = spawn(process.execPath, [PROGRAM, 'serve', '--human', '--port', '0', '--workspace', '/tmp'], {
      env: place.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    await until(() => text.includes('Ctrl-C'), 'the welcome');
    child.kill('SIGTERM');
    await once(child, 'exit');
    for (const title of ['Claude Code', 'Codex', 'Gemini CLI', 'opencode', 'Cursor'])
      expect(text).toContain(`${title}: `);
    expect(text).not.toContain(readFileSync(join(place.stateDir, 'serve', 'token'), 'utf8').trim());
    // A path or a link that is wrapped cannot be copied.
    const isWhole = (line: string): boolean => line.includes(place.stateDir) || line.includes('/login?code=');
    expect(text.split('\n').filter((line) => line.length > 80 && !isWhole(line))).toEqual([]);
    const blocks = [...text.matchAll(/^ {2}(\{"mcp[\s\S]+?\n {2}\}+)$/gmu)].map(
      ([, json]) => JSON.parse(json!) as object,
    );
    expect(blocks).toHaveLength(4);
  });
});
