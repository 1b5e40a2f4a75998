/** The built program: the printed link, `pincer page`, and logins that survive the gateway. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Login } from '../../../../src/wire/page/login.ts';
import type { DaemonStatus } from '../../../../src/wire/methods.ts';
import { until } from '../../../support/patience.ts';
import { type Home, makeHome, PROGRAM, runPincer, type Server, startServer } from '../serving.ts';
import { openPage, PageClient, type Secrets, secretsOf } from './page-client.ts';

function home(): Home {
  const made = makeHome();
  onTestFinished(() => made.remove());
  return made;
}

async function started(place: Home): Promise<Server> {
  const server = await startServer(place);
  onTestFinished(async () => {
    await server.end();
  });
  return server;
}

const linkOf = ({ said }: Server): string => String(said['page']);
const logIn = async (link: string): Promise<Secrets> => secretsOf(await fetch(link));

describe('pincer serve', () => {
  it('prints a link that logs an operator in', async () => {
    const server = await started(home());
    expect(linkOf(server)).toMatch(new RegExp(`^${server.base}/login\\?code=[\\w-]{43}$`, 'u'));
    const page = await openPage(server, await logIn(linkOf(server)));
    expect(await page.received('welcome')).toMatchObject({ login: { role: 'operator', name: 'operator-1' } });
    page.close();
  });

  it('prints the address that it is bound to where its host is localhost', async () => {
    const server = await startServer(home(), ['--host', 'localhost']);
    onTestFinished(async () => {
      await server.end();
    });
    expect(new URL(linkOf(server)).hostname).toMatch(/^(?:127\.0\.0\.1|\[::1\])$/u);
    (await openPage(server, await logIn(linkOf(server)))).close();
  });

  it('prints no link inside a session', async () => {
    const place = home();
    const server = await started({ ...place, env: { ...place.env, PINCER_SESSION: 'brisk-otter' } });
    expect(server.said).not.toHaveProperty('page');
  });

  it('prints no link where its output is kept', async () => {
    const place = home();
    const file = join(place.folder, 'output');
    const out = openSync(file, 'w', 0o600);
    const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--workspace', place.workspace], {
      env: place.env,
      stdio: ['ignore', out, 'pipe'],
    });
    closeSync(out);
    onTestFinished(async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    });
    let errors = '';
    child.stderr!.setEncoding('utf8').on('data', (piece: string) => (errors += piece));
    await until(() => readFileSync(file, 'utf8').endsWith('\n'), 'the line');
    expect(JSON.parse(readFileSync(file, 'utf8'))).not.toHaveProperty('page');
    await until(() => errors.includes('run pincer page'), 'the hint');
  });

  it('keeps logins and positions when it is killed', async () => {
    const place = home();
    const server = await started(place);
    const secrets = await logIn(linkOf(server));
    const page = await openPage(server, secrets);
    await page.call('login.link', { role: 'viewer' });
    const { entry } = await page.received('audit', (each) => each.entry.details['action'] === 'link created');
    const { positions } = await page.received('welcome');
    await server.end('SIGKILL');
    await page.ended();
    const again = await started(place);
    const [, value] = secrets.cookie.split('=');
    const cookie = `pincer_page_${again.port}=${value}`;
    const resumed = await openPage(again, { cookie, key: secrets.key }, { ...positions, audit: entry.seq });
    expect(await resumed.received('welcome')).toMatchObject({ resume: 'resumed', login: { name: 'operator-1' } });
    // The link that the new server printed is the next entry.
    const next = await resumed.received('audit');
    expect(next.entry).toMatchObject({ seq: entry.seq + 1, event: 'login', details: { action: 'link created' } });
    resumed.close();
  });

  it('tells pages of a replaced database to start again', async () => {
    const place = home();
    const server = await started(place);
    const page = await openPage(server, await logIn(linkOf(server)));
    const { positions } = await page.received('welcome');
    await server.end();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${place.stateDir}/gateway.db${suffix}`, { force: true });
    const again = await started(place);
    const other = await openPage(again, await logIn(linkOf(again)), positions);
    expect(await other.received('welcome')).toMatchObject({ resume: 'reset' });
    other.close();
  });

  it('needs less than 3 MB for each open page', async () => {
    const server = await started(home());
    const secrets = await logIn(linkOf(server));
    const first = await openPage(server, secrets);
    const memory = async (): Promise<number> => (await first.call<DaemonStatus>('daemon.status')).memoryBytes;
    const warm = await Promise.all(Array.from({ length: 4 }, () => openPage(server, secrets)));
    const before = await memory();
    const pages: PageClient[] = [];
    for (let logins = 0; logins < 2; logins++) {
      const { code } = await first.call<{ code: string }>('login.link', { role: 'viewer' });
      const other = await logIn(`${server.base}/login?code=${code}`);
      pages.push(...(await Promise.all(Array.from({ length: 6 }, () => openPage(server, other)))));
    }
    for (const page of pages) await page.call('approval.list');
    const each = ((await memory()) - before) / pages.length;
    expect(each).toBeLessThan(3 * 1024 * 1024);
    for (const page of [first, ...warm, ...pages]) page.close();
  });
});

describe('pincer page', () => {
  it('prints a new link of the running server, for a viewer too', async () => {
    const place = home();
    const server = await started(place);
    const { stdout, code } = await runPincer(place, ['page', '--role', 'viewer', '--json']);
    const issued = JSON.parse(stdout) as { url: string; role: string };
    expect([code, issued.role]).toEqual([0, 'viewer']);
    const page = await openPage(server, await logIn(issued.url));
    expect(await page.received('welcome')).toMatchObject({ login: { role: 'viewer' } });
    const human = await runPincer(place, ['page', '--human', '--no-open']);
    expect(human.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login\?code=[\w-]{43}\n$/u);
    expect(human.stderr).toBe('works once, for 10 minutes, with the role operator\n');
    page.close();
  });

  it('lists logins, and revokes one: its page closes', async () => {
    const place = home();
    const server = await started(place);
    const secrets = await logIn(linkOf(server));
    const page = await openPage(server, secrets);
    const [login] = JSON.parse((await runPincer(place, ['page', 'list'])).stdout) as readonly Login[];
    expect(login).toMatchObject({ name: 'operator-1', role: 'operator' });
    expect((await runPincer(place, ['page', 'revoke', 'operator-1', '--human'])).stdout).toBe(
      `logged out operator-1 (${login!.id})\n`,
    );
    expect((await page.ended()).code).toBe(4401);
    const again = new PageClient(server, { cookie: secrets.cookie });
    expect((await again.ended()).code).toBe(4401);
    expect(await runPincer(place, ['page', 'revoke', 'operator-1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('LOGIN_UNKNOWN') as string,
    });
  });

  it('says how to start a server where none runs', async () => {
    const { code, stderr } = await runPincer(home(), ['page']);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'SERVE_NOT_RUNNING', hint: expect.stringContaining('pincer serve') as string },
    });
  });

  it('gives no link to a command in a session', async () => {
    const place = home();
    await started(place);
    const inside = { ...place, env: { ...place.env, PINCER_SESSION: 'brisk-otter' } };
    for (const args of [['page'], ['page', 'revoke', 'operator-1']])
      expect(await runPincer(inside, args)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('APPROVAL_FROM_SESSION') as string,
      });
  });

  it('works where another daemon runs the commands', async () => {
    const place = home();
    await runPincer(place, ['call', 'exec', '{"command":"sleep 600","background":true}']);
    const server = await started(place);
    expect(server.said).toHaveProperty('gatewayPid');
    const page = await openPage(server, await logIn(linkOf(server)));
    await page.call('login.link', { role: 'viewer' });
    await page.received('audit', ({ entry }) => entry.details['action'] === 'link created');
    let sessions: readonly unknown[] = [];
    await until(async () => (sessions = await page.call<readonly unknown[]>('session.list')).length > 0, 'the session');
    expect(sessions).toHaveLength(1);
    await runPincer(place, ['page', 'revoke', 'operator-1']);
    expect((await page.ended()).code).toBe(4401);
  });
});
