import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Duplex, type Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { killTree } from '../../src/hosts/process/kill.ts';
import { hasEnvironment, listProcesses, processAt, type ProcessId } from '../../src/hosts/process/processes.ts';
import { connectInside } from '../../src/hosts/sandbox/link/link.ts';
import { launchOf, run, sh } from '../support/launching.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { builtScript } from '../support/built.ts';
import { ownProcesses, startInside } from './started.ts';

function isRunning(session: string): boolean {
  return [...listProcesses().values()].some(
    ({ pid, ended }) => !ended && hasEnvironment(pid, [`PINCER_SESSION=${session}`]),
  );
}

test('a killed runner loses its commands, and the link reports it', async () => {
  const { link, pid, broken } = await startInside();
  const { end } = await run(link.launcher, launchOf([sh('sleep 603')]));
  await killTree({ roots: [{ pid, startTime: processAt(pid)?.startTime ?? '' }], mark: [] }, 0);
  expect((await end).exit).toEqual({ kind: 'lost' });
  await link.ended;
  await expect(link.callTool('read', { path: 'a' })).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
  expect(broken).toEqual([]);
});

test('a runner whose connection is cut ends all that it started, and exits', async () => {
  const launches = [
    launchOf([sh('setsid sleep 604 & sleep 604')]),
    launchOf([sh('trap "" TERM HUP; while :; do sleep 1; done')], { pty: { cols: 80, rows: 24 } }),
  ];
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pi-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [builtScript('runner'), '--inside'], {
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const channel = child.stdio[3] as Duplex;
  const places = { workspace: folder, stateDir: join(folder, 'state'), scratch: join(folder, 'run') };
  const link = connectInside(channel, { breakDown: () => {}, places });
  for (const launch of launches) await run(link.launcher, launch);
  await link.callTool('read', { path: '.' });
  expect(launches.map(({ session }) => isRunning(session))).toEqual([true, true]);
  channel.destroy();
  expect(await exited).toBe(0);
  expect(launches.map(({ session }) => isRunning(session))).toEqual([false, false]);
  expect(readdirSync(join(folder, 'run'))).toEqual([]);
});

test('C5: a signal of a command opens no debugger in the runner', async () => {
  const child = spawn(process.execPath, ['--inspect-port=0', builtScript('runner'), '--inside'], {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  (child.stdio[2] as Readable).setEncoding('utf8').on('data', (text: string) => (errors += text));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pi-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const channel = child.stdio[3] as Duplex;
  const places = { workspace: folder, stateDir: join(folder, 'state'), scratch: join(folder, 'run') };
  const link = connectInside(channel, { breakDown: () => {}, places });
  await link.callTool('read', { path: '.' });
  child.kill('SIGUSR1');
  for (let call = 0; call < 20; call++) await link.callTool('read', { path: '.' });
  channel.destroy();
  await closed;
  expect(errors).toBe('');
});

test('a runner whose helper processes are stopped exits in time, and ends them', async () => {
  const { link, pid, exited } = await startInside();
  const { end } = await run(link.launcher, launchOf([sh('sleep 605')], { pty: { cols: 80, rows: 24 } }));
  await link.callTool('read', { path: 'a' });
  // The terminal, a spare one, and the tools.
  await expect.poll(() => ownProcesses(pid, '--t').length).toBeGreaterThanOrEqual(3);
  const own = ownProcesses(pid, '--t');
  const numbers = own.map((each) => each.pid).join(' ');
  await (await run(link.launcher, launchOf([sh(`kill -STOP ${numbers}`)]))).end;
  const began = performance.now();
  await link.launcher.close();
  await exited;
  expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
  expect((await end).exit.kind).not.toBe('code');
  const isLeft = ({ pid: number, startTime }: ProcessId): boolean => {
    const now = processAt(number);
    return now?.startTime === startTime && !now.ended;
  };
  expect(own.filter(isLeft)).toEqual([]);
});

test('a command whose terminal was stopped from inside is lost, and the next one gets another', async () => {
  const { link, pid } = await startInside();
  const pty = { cols: 80, rows: 24 };
  const { end } = await run(link.launcher, launchOf([sh('sleep 606')], { pty }));
  const own = ownProcesses(pid, '--t');
  await (await run(link.launcher, launchOf([sh(`kill -STOP ${own.map((each) => each.pid).join(' ')}`)]))).end;
  expect((await end).exit).toEqual({ kind: 'lost' });
  const next = await run(link.launcher, launchOf([sh('echo here')], { pty }));
  expect(await next.end).toMatchObject({ exit: { kind: 'code', code: 0 }, out: 'here\r\n' });
});

test('a runner can use standard input and output as its connection', async () => {
  const child = spawn(process.execPath, [builtScript('runner'), '--inside', '--stdio'], {
    env: {},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const broken: string[] = [];
  const channel = Duplex.from({ readable: child.stdout, writable: child.stdin });
  const link = connectInside(channel, { breakDown: (reason) => broken.push(reason) });
  const script = 'echo out; echo err >&2; ls /proc/self/fd | wc -l';
  const { end } = await run(link.launcher, launchOf([sh(script)], { streams: 'apart' }));
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'out\n4\n', err: 'err\n' });
  const shown = await run(link.launcher, launchOf([sh('yes | head -c 3000000')]));
  expect([(await shown.end).exit, shown.bytes()]).toEqual([{ kind: 'code', code: 0 }, 3_000_000]);
  await link.launcher.close();
  await exited;
  expect(broken).toEqual([]);
});

test('signals of commands do not end the runner', async () => {
  const { link, pid } = await startInside();
  await link.ready;
  const { end } = await run(
    link.launcher,
    launchOf([sh(`kill -TERM ${pid}; kill -HUP ${pid}; kill -INT ${pid}; echo sent`)]),
  );
  expect((await end).out).toBe('sent\n');
  // The signals came before these, so they have been handled when the last one is answered.
  for (let i = 0; i < 5; i++) expect(await link.ping()).toBeGreaterThan(0);
});

test('streams can be opened again by their names', async () => {
  const { link } = await startInside();
  const script = 'echo a >/dev/stdout; echo b >/dev/stderr; cat /dev/stdin';
  const { end, launched } = await run(link.launcher, launchOf([sh(script)], { streams: 'apart', stdin: 'open' }));
  await launched.write(Buffer.from('c\n'));
  launched.endInput();
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'a\nc\n', err: 'b\n' });
});

test('a program that opens its ended input by name reads the end', async () => {
  const { link } = await startInside();
  const script = 'echo ready; while [ ! -e "$FLAG" ]; do sleep 0.05; done; cat /dev/stdin; cat /dev/stdin; echo over';
  const flag = join(realpathSync(mkdtempSync(join(tmpdir(), 'pi-'))), 'flag');
  onTestFinished(() => rmSync(dirname(flag), { recursive: true }));
  const env = { PATH: '/usr/bin:/bin', FLAG: flag };
  const { end, launched, saying } = await run(link.launcher, launchOf([sh(script)], { stdin: 'open', env }));
  await saying('ready');
  await launched.write(Buffer.from('c\n'));
  launched.endInput();
  await link.ping(); // it has ended by then
  writeFileSync(flag, '');
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'ready\nc\nover\n', err: '' });
});

test('without a folder for pipes both streams are still merged', async () => {
  const { link, workspace } = await startInside({ places: { scratch: '/proc/nowhere' } }, { TMPDIR: '/proc/nowhere' });
  const { end, launched } = await run(
    link.launcher,
    launchOf([sh('pwd; echo b >&2; cat')], { cwd: workspace, stdin: 'open' }),
  );
  await launched.write(Buffer.from('c\n'));
  launched.endInput();
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: `${workspace}\nb\nc\n`, err: '' });
});
