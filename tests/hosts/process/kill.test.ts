import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findCgroupRoot, membersOf } from '../../../src/hosts/process/cgroup.ts';
import { killTree } from '../../../src/hosts/process/kill.ts';
import { groupName, groupPrefix, ownerOf } from '../../../src/hosts/process/mark.ts';
import { hasEnvironment, listProcesses, parsePs, processAt } from '../../../src/hosts/process/processes.ts';
import { makeFolder } from '../../support/folder.ts';
import { launchOf, makeLauncher, run, sh } from '../../support/launching.ts';
import { PATIENCE_MS, UNTIL_GO } from '../../support/patience.ts';

const isGone = (pid: number) => processAt(pid)?.ended ?? true;
const stateOf = (pid: number) => /\) (\S)/u.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1];
/** A process has told its number. */
const NUMBER = /^\d+\n/mu;
const numbersIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^\d+$/u.test(line))
    .map(Number);

test.each([
  ['in its process group', 'sleep 600 & echo $!'],
  ['in a session of its own', "setsid sh -c 'echo $$; exec sleep 600' &"],
  ['whose parent is gone', "(setsid sh -c 'echo $$; sleep 600; true' &)"],
  ['that ignores the polite signal', 'setsid sh -c \'trap "" TERM HUP; echo $$; while :; do sleep 1; done\' &'],
  ['that is stopped', "setsid sh -c 'echo $$; kill -STOP $$; true' &"],
])('killing ends a child %s', async (_what, child) => {
  const launcher = await makeLauncher();
  const { launched, saying, text, end } = await run(launcher, launchOf([sh(`${child}\necho ready; exec sleep 600`)]));
  await Promise.all([saying('ready\n'), saying(NUMBER)]);
  const pids = numbersIn(text());
  expect(pids.length).toBe(1);
  if (child.includes('-STOP')) await expect.poll(() => stateOf(pids[0]!)).toBe('T');
  await launched.kill(100);
  expect([...pids, launched.pid].filter((pid) => !isGone(pid))).toEqual([]);
  await end;
});

test('a polite signal is enough for a program that listens to it', async () => {
  const launcher = await makeLauncher();
  const script = 'exec 2>/dev/null; trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.05; done';
  const { launched, saying, end } = await run(launcher, launchOf([sh(script)]));
  await saying('ready');
  await launched.kill();
  expect(await end).toEqual({ exit: { kind: 'code', code: 7 }, out: 'ready\nbye\n', err: '' });
});

test('a child that forks all the time does not outrun its end', async () => {
  const launcher = await makeLauncher();
  const launch = launchOf([sh('trap "" TERM; echo ready; f() { (sleep 0.01; f) & }; f; f; f; wait; sleep 600')]);
  const { launched, saying } = await run(launcher, launch);
  await saying('ready');
  await launched.kill(50);
  const mark = `PINCER_SESSION=${launch.session}`;
  expect([...listProcesses().values()].filter(({ pid, ended }) => !ended && hasEnvironment(pid, [mark]))).toEqual([]);
});

test.skipIf(findCgroupRoot() === undefined)(
  'a child that wiped its environment and left is found by its control group',
  async () => {
    const runtimeDir = join(makeFolder(), 'run');
    const launcher = await makeLauncher({ runtimeDir });
    const script = "read go; (setsid env -i /bin/sh -c 'echo $$; sleep 600; true' &)\nexec sleep 600";
    const launch = launchOf([sh(script)], { stdin: 'open' });
    const { launched, saying, text, end } = await run(launcher, launch);
    // A command is moved to its group a moment after its start, and what leaves it before that is not found.
    const folder = join(findCgroupRoot()!, groupName(ownerOf(runtimeDir), launch.session));
    await expect.poll(() => membersOf(folder)).toEqual([launched.pid]);
    await launched.write(Buffer.from('go\n'));
    await saying(NUMBER);
    const [pid = 0] = numbersIn(text());
    expect(isGone(pid)).toBe(false);
    await launched.kill(100);
    expect(isGone(pid)).toBe(true);
    await end;
  },
);

test.skipIf(findCgroupRoot() === undefined)('control groups are removed with their sessions', async () => {
  const runtimeDir = join(makeFolder(), 'run');
  const launcher = await makeLauncher({ runtimeDir });
  const launch = launchOf([sh('echo ready; exec sleep 600')]);
  const { launched, saying, end } = await run(launcher, launch);
  await saying('ready');
  const folder = join(findCgroupRoot()!, groupName(ownerOf(runtimeDir), launch.session));
  await expect.poll(() => membersOf(folder)).toEqual([launched.pid]);
  await launched.kill(1000);
  await end;
  await launcher.close();
  expect(readdirSync(findCgroupRoot()!).filter((name) => name.startsWith(groupPrefix(ownerOf(runtimeDir))))).toEqual(
    [],
  );
});

test.each([0, 1, -1, process.pid, process.ppid, 1.5])('the process %s is never ended', async (pid) => {
  const startTime = processAt(pid)?.startTime ?? '1';
  await expect(killTree({ roots: [{ pid, startTime }], mark: [] }, 0)).rejects.toMatchObject({
    code: 'EXEC_KILL_REFUSED',
  });
});

test('another process that took the number is left alone', async () => {
  const innocent = spawn('/bin/sleep', ['600'], { stdio: 'ignore', detached: true });
  onTestFinished(() => {
    innocent.kill('SIGKILL');
  });
  const pid = innocent.pid!;
  await killTree(
    { roots: [{ pid, startTime: `${Number(processAt(pid)!.startTime) - 1}` }], mark: ['PINCER_SESSION=none'] },
    0,
  );
  expect(isGone(pid)).toBe(false);
});

test('two launchers with a session of the same name do not end each other', async () => {
  const [one, two] = [await makeLauncher(), await makeLauncher()];
  const launch = launchOf([sh('echo ready; exec sleep 600')]);
  const first = await run(one, launch);
  const second = await run(two, launch);
  await Promise.all([first.saying('ready'), second.saying('ready')]);
  await first.launched.kill(1000);
  expect([isGone(first.launched.pid), isGone(second.launched.pid)]).toEqual([true, false]);
});

test('the list of ps is read with dates and states', () => {
  const text = '    1     0     1 Ss   Mon Nov 16 02:00:00 2026\n  123     1   120 Z+   Mon Nov 16 02:40:05 2026    \n';
  expect([...parsePs(text).values()]).toEqual([
    { pid: 1, parent: 0, group: 1, session: 1, ended: false, startTime: 'Mon Nov 16 02:00:00 2026' },
    { pid: 123, parent: 1, group: 120, session: 120, ended: true, startTime: 'Mon Nov 16 02:40:05 2026' },
  ]);
});

test('whoever closes the launcher waits for what is being ended, also when its first program has gone', async () => {
  const launcher = await makeLauncher();
  const stubborn = `setsid sh -c 'trap "" TERM HUP; echo $$; exec >&- 2>&-; ${UNTIL_GO}' &`;
  const cwd = makeFolder();
  const launch = launchOf([sh(`${stubborn} echo ready; exec sleep 600`)], { cwd });
  const { launched, saying, text, end } = await run(launcher, launch);
  await Promise.all([saying('ready\n'), saying(NUMBER)]);
  const [child] = numbersIn(text());
  const killing = launched.kill(PATIENCE_MS); // the first program ends at once, and the other when it may
  await end;
  expect(isGone(child!)).toBe(false);
  const closed = launcher.close();
  writeFileSync(join(cwd, 'go'), '');
  await closed;
  expect(isGone(child!)).toBe(true);
  await killing;
});
