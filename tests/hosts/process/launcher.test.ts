import { expect, test } from 'vitest';
import { makeFolder } from '../../support/folder.ts';
import { launchOf, makeLauncher, run, sh, stage } from '../../support/launching.ts';

test('a command prints and ends with its code', async () => {
  const launcher = await makeLauncher();
  const { end, launched } = await run(launcher, launchOf([sh('echo hello; echo oops >&2; exit 3')]));
  expect({ warnings: launched.warnings, pty: launched.pty }).toEqual({ warnings: [], pty: false });
  expect(await end).toEqual({ exit: { kind: 'code', code: 3 }, out: 'hello\noops\n', err: '' });
});

test('the streams come apart when that is asked for', async () => {
  const launcher = await makeLauncher();
  const { end } = await run(launcher, launchOf([sh('echo hello; echo oops >&2')], { streams: 'apart' }));
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'hello\n', err: 'oops\n' });
});

test('a pipeline passes output on, and its last stage gives the code', async () => {
  const launcher = await makeLauncher();
  const stages = [stage('/usr/bin/yes'), stage('/usr/bin/head', '-n', '100000'), stage('/usr/bin/wc', '-l')];
  const { end } = await run(launcher, launchOf(stages));
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: '100000\n', err: '' });
});

test('a stage that opens its input by name reads it, also when the stage before has ended', async () => {
  const launcher = await makeLauncher();
  const afterStage = (number: number) => `until [ -s ${number} ] && ! kill -0 $(cat ${number}); do sleep 0.01; done`;
  const stages = [
    sh('echo $$ > 1; echo early'),
    sh(`exec 2>/dev/null; echo $$ > 2; ${afterStage(1)}; exec cat /dev/stdin`),
    sh(`exec 2>/dev/null; ${afterStage(2)}; exec cat /dev/stdin`),
  ];
  const { end } = await run(launcher, launchOf(stages, { cwd: makeFolder() }));
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'early\n', err: '' });
});

test('input is written and ended', async () => {
  const launcher = await makeLauncher();
  const { end, launched } = await run(launcher, launchOf([stage('/bin/cat')], { stdin: 'open' }));
  await launched.write(Buffer.from('one\n'));
  await launched.write(Buffer.from('two\n'));
  launched.endInput();
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'one\ntwo\n', err: '' });
  await expect(launched.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'EXEC_INPUT_CLOSED' });
});

test('a session with a terminal has one', async () => {
  const launcher = await makeLauncher();
  const launch = launchOf([sh('tty; stty size; echo $TERM')], { pty: { cols: 101, rows: 17 } });
  const { end, launched } = await run(launcher, launch);
  expect(launched.pty).toBe(true);
  const { exit, out } = await end;
  expect(exit).toEqual({ kind: 'code', code: 0 });
  expect(out).toMatch(/^\/dev\/pts\/\d+\r\n17 101\r\nxterm-256color\r\n$/u);
});

test('killing ends a command that ignores the polite signal', async () => {
  const launcher = await makeLauncher();
  const { end, launched, saying } = await run(
    launcher,
    launchOf([sh('trap "" TERM; echo ready; while :; do sleep 1; done')]),
  );
  await saying('ready');
  await launched.kill(50);
  expect((await end).exit).toEqual({ kind: 'signal', signal: 'SIGKILL' });
});

test('closing ends all commands, tells so, and starts no more', async () => {
  const launcher = await makeLauncher();
  const heard = await Promise.all([0, 1, 2].map(() => run(launcher, launchOf([sh('exec sleep 600')]))));
  await launcher.close();
  for (const { end } of heard) expect((await end).exit).toEqual({ kind: 'signal', signal: 'SIGTERM' });
  const listener = { output: () => true, exited: () => {} };
  await expect(launcher.launch(launchOf([sh('true')]), listener)).rejects.toMatchObject({ code: 'EXEC_CLOSED' });
});
