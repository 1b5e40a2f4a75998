import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { processAt } from '../../../src/hosts/process/processes.ts';
import { startTimeOf } from '../../../src/hosts/process/start-time.ts';
import { endStrays } from '../../../src/hosts/process/strays.ts';
import { launchOf, makeLauncher, run, sh } from '../../support/launching.ts';
import { builtScript } from '../../support/built.ts';

const here = dirname(fileURLToPath(import.meta.url));

/** Three processes: one in front, one that left the session, one that left it through a parent that is gone. Each tells its number. */
const FAMILY =
  "sh -c \"setsid sh -c 'echo \\$\\$; exec sleep 600' &\"; setsid sh -c 'echo $$; exec sleep 600' & echo $$; exec sleep 600";
const ALL_HAVE_SPOKEN = /(?:^\d+\n){3}/mu;

const isGone = (pid: number) => processAt(pid)?.ended ?? true;

const stillThere = (pids: readonly number[]): number[] => pids.filter((pid) => !isGone(pid));

const pidsIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^\d+$/u.test(line))
    .map(Number);

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && processAt(pid)?.parent === parent);
}

interface Doomed {
  readonly child: ChildProcess;
  readonly spawner: number;
  /** The one in front. */
  readonly pid: number;
  readonly pids: readonly number[];
  readonly runtimeDir: string;
  readonly session: string;
}

/** A program with a running command. */
async function startDoomed(): Promise<Doomed> {
  const runtimeDir = realpathSync(mkdtempSync(join(tmpdir(), 'pl-')));
  const session = `doomed-${process.pid}-${Math.trunc(performance.now())}`;
  const script = join(here, '..', '..', 'support', 'dying.mjs');
  const args = [script, builtScript('launcher'), builtScript('runner'), runtimeDir, session, FAMILY];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(runtimeDir, { recursive: true, force: true });
  });
  let said: { readonly pid: number; readonly text: string } | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    said = JSON.parse(line) as { pid: number; text: string };
    if (ALL_HAVE_SPOKEN.test(said.text)) break;
  }
  const { pid, text } = said!;
  const spawner = childrenOf(child.pid!).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('runner.cjs'),
  );
  return { child, spawner: spawner ?? 0, pid, pids: pidsIn(text), runtimeDir, session };
}

test('when the program is killed, its spawner ends all commands and leaves nothing', async () => {
  const { child, spawner, pids, runtimeDir } = await startDoomed();
  expect(pids.length).toBe(3);
  child.kill('SIGKILL');
  await expect.poll(() => stillThere([...pids, spawner])).toEqual([]);
  expect(readdirSync(runtimeDir)).toEqual([]);
});

test('when the spawner is killed, the program ends its commands as lost and goes on with another spawner', async () => {
  const launcher = await makeLauncher();
  const before = new Set(childrenOf(process.pid));
  const { launched, saying, end, text } = await run(launcher, launchOf([sh(FAMILY)]));
  await saying(ALL_HAVE_SPOKEN);
  const pids = pidsIn(text());
  const spawner = processAt(launched.pid)!.parent;
  expect(before.has(spawner)).toBe(true);
  process.kill(spawner, 'SIGKILL');
  expect((await end).exit).toEqual({ kind: 'lost' });
  expect(stillThere(pids)).toEqual([]);
  const next = await run(launcher, launchOf([sh('echo again')]));
  expect(next.launched.warnings).toEqual([]);
  expect(await next.end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'again\n', err: '' });
});

test('when the second spawner dies, too, commands are started without one, with a warning', async () => {
  const launcher = await makeLauncher();
  for (let i = 0; i < 2; i++) {
    const { launched, end } = await run(launcher, launchOf([sh('exec sleep 600')]));
    process.kill(processAt(launched.pid)!.parent, 'SIGKILL');
    expect((await end).exit).toEqual({ kind: 'lost' });
  }
  const { launched, end } = await run(launcher, launchOf([sh('echo here')]));
  expect(launched.warnings).toEqual([
    'the runner keeps exiting (it was ended by SIGKILL); the daemon starts commands itself',
  ]);
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'here\n', err: '' });
});

test('when both are killed at once, the next program ends what was left', async () => {
  const { child, spawner, pid, pids, runtimeDir, session } = await startDoomed();
  const stray = { id: session, pid, startTime: startTimeOf(pid)! };
  process.kill(spawner, 'SIGSTOP'); // it cannot see the other one die
  await expect.poll(() => readFileSync(`/proc/${spawner}/stat`, 'latin1')).toMatch(/\) T/u);
  child.kill('SIGKILL');
  process.kill(spawner, 'SIGKILL');
  expect(pids.filter(isGone)).toEqual([]);
  await endStrays([stray], runtimeDir);
  await expect.poll(() => stillThere(pids)).toEqual([]);
});

test('a process that took the number of a stray is left alone', async () => {
  const innocent = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
  onTestFinished(() => {
    innocent.kill('SIGKILL');
  });
  const startTime = `${Number(startTimeOf(innocent.pid!)) - 1}`;
  await endStrays([{ id: 'someone', pid: innocent.pid!, startTime }], '/nowhere');
  await endStrays([{ id: 'someone', pid: innocent.pid!, startTime: startTimeOf(innocent.pid!)! }], '/nowhere');
  expect(isGone(innocent.pid!)).toBe(false);
});
