import { chmodSync, mkdirSync, realpathSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { readdirSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Launch, LaunchStage } from '../../../src/hosts/process/launch.ts';
import { createLauncher } from '../../../src/hosts/process/launcher.ts';
import { binaryAt } from '../../../src/hosts/process/programs/which.ts';
import { makeFolder } from '../../support/folder.ts';
import { launchOf, makeLauncher, run, sh, stage } from '../../support/launching.ts';
import { ripened } from '../../support/patience.ts';
import { startWithin } from '../../../src/runner/spawn.ts';

const failed = (reason: string, message: string) => ({ kind: 'failed', reason, message });

/** A script and its stage, with the identity that it has now. */
function judged(folder: string, name: string, text: string): LaunchStage {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  const binary = binaryAt(path)!;
  return { file: binary.real, argv: [name], identity: binary.identity };
}

test.each<[string, Partial<Omit<Launch, 'stages'>> & { stages?: LaunchStage[] }, RegExp]>([
  ['a missing program', { stages: [{ file: '/nowhere/x', argv: ['x'] }] }, /\(ENOENT\)$/u],
  [
    'a file that is no program',
    { stages: [{ file: '/etc/passwd', argv: ['passwd'] }] },
    /may not be executed \(EACCES\)$/u,
  ],
  ['a folder', { stages: [{ file: '/etc', argv: ['etc'] }] }, /may not be executed \(EACCES\)$/u],
  ['a missing working folder', { cwd: '/nowhere' }, /^\/nowhere could not be started: .*\(ENOENT\)$/u],
  ['arguments that are too long', { stages: [stage('/bin/true', 'x'.repeat(200_000))] }, /too long \(E2BIG\)$/u],
  ['NUL in an argument', { stages: [stage('/bin/true', 'a\0b')] }, /^argument 1 of .* contains a NUL character$/u],
  ['NUL in the environment', { env: { A: 'a\0b' } }, /^the variable A contains a NUL character$/u],
  ['a relative program', { stages: [{ file: 'true', argv: ['true'] }] }, /^the program true is not an absolute path$/u],
  ['a pipeline in a terminal', { stages: [sh('x'), sh('y')], pty: { cols: 80, rows: 24 } }, /one terminal$/u],
  ['a missing program behind a pipe', { stages: [{ file: '/nowhere/x', argv: ['x'] }, sh('cat')] }, /\(ENOENT\)$/u],
])('%s is not started, and the reason is said', async (_what, { stages = [sh('true')], ...more }, message) => {
  const launcher = await makeLauncher();
  const { launched, end } = await run(launcher, launchOf(stages, more));
  expect(launched.pid).toBe(0);
  expect(await end).toEqual({
    exit: failed('spawn-failed', expect.stringMatching(message) as string),
    out: '',
    err: '',
  });
});

test.each([
  ['names no interpreter', 'echo ran\n', /it is not a program that this system can run, and has no first line/u],
  ['is empty', '', /it is not a program that this system can run/u],
  ['names a missing interpreter', '#!/nope/x\necho ran\n', /the interpreter \/nope\/x, which does not exist/u],
  [
    'names an interpreter that is a text',
    '#!./text\n',
    /its interpreter \.\/text cannot be started: it is not a program/u,
  ],
  ['names itself', '#!./script\n', /its first line names no interpreter that can run it/u],
])('a text that %s is not started, with pipes or in a terminal', async (_what, text, message) => {
  const folder = makeFolder();
  judged(folder, 'text', 'echo text\n');
  const script = judged(folder, 'script', text);
  const launcher = await makeLauncher();
  for (const more of [{}, { pty: { cols: 80, rows: 24 } }]) {
    const { launched, end } = await run(launcher, launchOf([script], { cwd: folder, ...more }));
    expect([launched.pid, await end]).toEqual([
      0,
      { exit: failed('spawn-failed', expect.stringMatching(message) as string), out: '', err: '' },
    ]);
  }
});

test.each([
  ['written again', (path: string) => writeFileSync(path, '#!/bin/sh\necho other!\n')],
  [
    'replaced',
    (path: string) => {
      writeFileSync(`${path}.new`, '#!/bin/sh\necho judged\n', { mode: 0o755 });
      renameSync(`${path}.new`, path);
    },
  ],
])('a program that was %s since it was judged is not started', async (_what, change) => {
  const folder = makeFolder();
  const launcher = await makeLauncher();
  const program = judged(folder, 'tool', '#!/bin/sh\necho judged\n');
  expect((await (await run(launcher, launchOf([program]))).end).out).toBe('judged\n');
  await ripened(program.file);
  change(program.file);
  const changed = failed('changed', `${program.file} is not the program that was judged: it has changed since`);
  for (const more of [{}, { pty: { cols: 80, rows: 24 } }])
    expect(await (await run(launcher, launchOf([program], more))).end).toEqual({ exit: changed, out: '', err: '' });
  expect((await (await run(launcher, launchOf([program, sh('cat')]))).end).exit).toEqual(changed);
});

test('a working folder that was replaced is not worked in', async () => {
  const folder = makeFolder();
  const launcher = await makeLauncher();
  const cwd = join(folder, 'work');
  mkdirSync(cwd);
  const { dev, ino } = statSync(cwd, { bigint: true });
  const launch = () => launchOf([sh('pwd -P')], { cwd, cwdIdentity: `${dev}:${ino}` });
  expect((await (await run(launcher, launch())).end).out).toBe(`${realpathSync(cwd)}\n`);
  renameSync(cwd, `${cwd}.old`);
  symlinkSync('/etc', cwd);
  expect((await (await run(launcher, launch())).end).exit).toEqual(
    failed('changed', `${cwd} is not the folder that was judged: it has changed since`),
  );
});

test('a program has its arguments, its name, the whole environment and nothing else', async () => {
  const launcher = await makeLauncher();
  const { file } = stage('/bin/sh');
  const launch = launchOf(
    [{ file, argv: ['odd name', '-c', 'echo "$0|$1|$2"; tr "\\0" "\\n" < /proc/self/environ', 'a b', '*', '$x'] }],
    {
      env: { ONLY: 'this é', PATH: '/usr/bin:/bin', PINCER_SESSION: 'forged' },
    },
  );
  const { out } = await (await run(launcher, launch)).end;
  const [first, ...environment] = out.trimEnd().split('\n');
  expect(first).toBe('a b|*|$x');
  const names = environment.filter((line) => !/^(?:PWD|OLDPWD|SHLVL|_)=/u.test(line)).sort();
  expect(names).toEqual([
    'ONLY=this é',
    'PATH=/usr/bin:/bin',
    expect.stringMatching(/^PINCER_OWNER=[0-9a-f]{16}$/u),
    `PINCER_SESSION=${launch.session}`,
  ]);
});

test('many commands start at the same time, each with its own output', async () => {
  const launcher = await makeLauncher();
  const all = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => await (await run(launcher, launchOf([sh(`echo ${i}; exit ${i}`)]))).end),
  );
  expect(all).toEqual(
    Array.from({ length: 60 }, (_, i) => ({ exit: { kind: 'code', code: i }, out: `${i}\n`, err: '' })),
  );
});

test.each([
  ['with pipes', {}],
  ['in a terminal', { pty: { cols: 80, rows: 24 } }],
])('arguments of more than a mebibyte in all reach a program: %s', async (_, more) => {
  const launcher = await makeLauncher();
  const { file } = stage('/bin/sh');
  const long = Array.from({ length: 12 }, (__, i) => `${i}`.repeat(100_000).slice(0, 100_000));
  const launch = launchOf(
    [{ file, argv: ['sh', '-c', 'echo "$#"; shift 11; printf %s "$1" | wc -c', 'name', ...long] }],
    more,
  );
  expect((await (await run(launcher, launch)).end).out.split(/\s+/u)).toEqual(['12', '100000', '']);
});

test('commands run without a spawner, too', async () => {
  const runtimeDir = join(makeFolder(), 'run');
  const launcher = createLauncher({ runtimeDir, startWithin });
  const pty = { cols: 80, rows: 24 };
  const terminal = await run(launcher, launchOf([sh('tty; echo ready; exec sleep 600')], { pty }));
  await terminal.saying('ready');
  const fds = launchOf([stage('/bin/ls', '-l', '/proc/self/fd')]);
  expect((await (await run(launcher, fds)).end).out).not.toContain('ptmx');
  const second = await run(launcher, launchOf([sh('cat')], { pty }));
  expect(second.launched).toMatchObject({
    pty: false,
    warnings: [
      'no PTY is available (without a runner process only one command can have a terminal); the command runs with pipes',
    ],
  });
  await second.launched.write(Buffer.from('typed\n'));
  second.launched.endInput();
  expect(await second.end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'typed\n', err: '' });
  await launcher.close();
  expect((await terminal.end).exit.kind).toBe('signal');
  expect(readdirSync(runtimeDir)).toEqual([]);
  await expect(launcher.launch(launchOf([sh('true')]), { output: () => true, exited: () => {} })).rejects.toMatchObject(
    { code: 'EXEC_CLOSED' },
  );
});

test('a runtime folder that others can reach into, or whose name is too long, is refused', () => {
  const open = makeFolder();
  chmodSync(open, 0o755);
  expect(() => createLauncher({ runtimeDir: open, startWithin })).toThrow(/is accessible to other users$/u);
  expect(() => createLauncher({ runtimeDir: join(open, 'x'.repeat(120)), startWithin })).toThrow(
    /too long for a socket/u,
  );
});

test('a connection without the token is not heard', async () => {
  const runtimeDir = join(makeFolder(), 'run');
  const launcher = createLauncher({ runtimeDir, startWithin });
  const { saying, end, text, launched } = await run(
    launcher,
    launchOf([sh('echo ready; read x; echo over')], { stdin: 'open', streams: 'apart' }),
  );
  await saying('ready');
  const [name = ''] = readdirSync(runtimeDir);
  for (const header of [`${'0'.repeat(32)}00000001o\nforged`, 'x'.repeat(100)]) {
    const stranger = connect(join(runtimeDir, name));
    stranger.on('error', () => {});
    stranger.write(header);
    await once(stranger, 'close');
  }
  launched.endInput();
  await end;
  expect(text()).toBe('ready\nover\n');
  await launcher.close();
});
