import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Exit } from '../../../src/hosts/process/launch.ts';
import { makeFolder } from '../../support/folder.ts';
import { launchOf, makeLauncher, run, sh, stage } from '../../support/launching.ts';
import { eventLoopTurns, UNTIL_GO } from '../../support/patience.ts';

test('a child that keeps the output open delays the end by half a second, and is heard later', async () => {
  const launcher = await makeLauncher();
  const begin = performance.now();
  const cwd = makeFolder();
  const script = `(${UNTIL_GO}; echo late) & echo early`;
  const { end, text, saying, launched } = await run(launcher, launchOf([sh(script)], { cwd }));
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'early\n', err: '' });
  expect(performance.now() - begin).toBeGreaterThan(450);
  writeFileSync(join(cwd, 'go'), ''); // up to here the child held the output
  await saying('late');
  expect(text()).toBe('early\nlate\n');
  await launched.kill(0);
});

test('a silent listener is sent nothing until it asks again, and nothing is lost', async () => {
  const launcher = await makeLauncher();
  let bytes = 0;
  let calls = 0;
  let resolveEnd: (exit: Exit) => void;
  const end = new Promise<Exit>((resolve) => {
    resolveEnd = resolve;
  });
  let ask: () => void = () => {};
  let asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const launched = await launcher.launch(launchOf([sh('yes | head -c 3000000')]), {
    output(_stream, part) {
      bytes += part.length;
      calls++;
      ask();
      return false;
    },
    exited: (exit) => resolveEnd(exit),
  });
  let isOver = false;
  void end.then(() => {
    isOver = true;
    ask();
  });
  while (!isOver) {
    await asked;
    asked = new Promise((resolve) => {
      ask = resolve;
    });
    const before = calls;
    // The output of the first is there long before another command has run to its end.
    if (before < 3) await (await run(launcher, launchOf([sh('true')]))).end;
    await eventLoopTurns();
    expect(calls).toBe(before);
    launched.resume();
  }
  expect([await end, bytes]).toEqual([{ kind: 'code', code: 0 }, 3_000_000]);
});

test('a stage whose reader has left is ended by the signal for that, without a word', async () => {
  const launcher = await makeLauncher();
  const stages = [stage('/usr/bin/yes'), stage('/usr/bin/head', '-n', '1')];
  const { end } = await run(launcher, launchOf(stages, { streams: 'apart' }));
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'y\n', err: '' });
});

test('the errors of all stages are heard, and the first one has the input', async () => {
  const launcher = await makeLauncher();
  const stages = [sh('cat; echo one >&2'), sh('tr a-z A-Z; echo two >&2; exit 9')];
  const { end, launched } = await run(launcher, launchOf(stages, { streams: 'apart', stdin: 'open' }));
  await launched.write(Buffer.from('hello\n'));
  launched.endInput();
  const { exit, out, err } = await end;
  expect({ exit, out, err: err.split('\n').sort() }).toEqual({
    exit: { kind: 'code', code: 9 },
    out: 'HELLO\n',
    err: ['', 'one', 'two'],
  });
});

test('a pipeline ends when all of its stages have, and killing it ends all', async () => {
  const launcher = await makeLauncher();
  const { end, launched, saying } = await run(launcher, launchOf([sh('sleep 600'), sh('sleep 600'), sh('echo ready')]));
  await saying('ready');
  await launched.kill(1000);
  expect((await end).exit).toEqual({ kind: 'code', code: 0 });
});

test('output keeps the order of writing when streams are merged', async () => {
  const launcher = await makeLauncher();
  const { end } = await run(launcher, launchOf([sh('for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done')]));
  expect((await end).out).toBe([1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `o${i}\ne${i}\n`).join(''));
});
