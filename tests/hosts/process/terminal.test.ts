import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runs } from '../../support/budget.ts';
import { launchOf, makeLauncher, run, sh, stage } from '../../support/launching.ts';
import { until } from '../../support/patience.ts';

const pty = { cols: 120, rows: 30 };

/** Whether a program that only writes can go on: it waits only while nobody reads. */
function isWriting(pid: number): boolean {
  try {
    return !/\) [SZX]/u.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false; // it has ended
  }
}

test('no byte of the tail is lost when a program prints 60 kB in a terminal and ends, however often it is run', async () => {
  const count = runs(20, 800);
  const launcher = await makeLauncher();
  const seen: unknown[] = [];
  for (let i = 0; i < count; i++) {
    const { end, bytes } = await run(launcher, launchOf([sh('stty -opost; yes | head -c 60000; exit 5')], { pty }));
    seen.push([(await end).exit, bytes()]);
  }
  expect(seen).toEqual(Array.from({ length: count }, () => [{ kind: 'code', code: 5 }, 60_000]));
});

test('no byte is lost when the listener is slower than the program', async () => {
  const launcher = await makeLauncher();
  let bytes = 0;
  let resolveEnd: (exit: unknown) => void;
  const end = new Promise((resolve) => {
    resolveEnd = resolve;
  });
  const resumeWhenFull = async () => {
    const launched = await launching;
    await until(() => !isWriting(launched.pid), 'a full terminal');
    launched.resume();
  };
  const launching = launcher.launch(launchOf([sh('stty -opost; exec head -c 900000 /dev/zero')], { pty }), {
    output(_stream, part) {
      bytes += part.length;
      void resumeWhenFull();
      return false;
    },
    exited: (exit) => resolveEnd(exit),
  });
  expect([await end, bytes]).toEqual([{ kind: 'code', code: 0 }, 900_000]);
});

test('a terminal takes keys, another size and the end of input', async () => {
  const launcher = await makeLauncher();
  const script =
    'stty -echo; echo ready; read line; echo "got $line"; until [ "$(stty size)" = "20 90" ]; do sleep 0.01; done; echo resized; cat; echo over';
  const { end, launched, saying } = await run(launcher, launchOf([sh(script)], { pty }));
  await saying('ready');
  await launched.write(Buffer.from('hello\n'));
  await saying('got hello');
  launched.resize({ cols: 90, rows: 20 });
  await saying('resized');
  launched.endInput();
  const { exit, out } = await end;
  expect({ exit, out }).toEqual({ exit: { kind: 'code', code: 0 }, out: 'ready\r\ngot hello\r\nresized\r\nover\r\n' });
});

test('bytes that are no text pass through a terminal as they are', async () => {
  const launcher = await makeLauncher();
  const parts: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    launcher
      .launch(launchOf([sh("stty -opost; printf '\\377\\300\\001z'")], { pty }), {
        output: (_stream, bytes) => parts.push(Buffer.from(bytes)) > 0,
        exited: () => resolve(),
      })
      .catch(reject);
  });
  expect(Buffer.concat(parts)).toEqual(Buffer.from([0xff, 0xc0, 0x01, 0x7a]));
});

test('a program in a terminal that is ended by a signal says so', async () => {
  const launcher = await makeLauncher();
  const { end, launched, saying } = await run(launcher, launchOf([sh('echo ready; exec sleep 600')], { pty }));
  await saying('ready');
  await launched.kill(2000);
  expect((await end).exit).toEqual({ kind: 'signal', signal: 'SIGTERM' });
});

test('a program in a terminal sees the name that it was called by, where a path leads to it under that name', async () => {
  const launcher = await makeLauncher();
  const { file } = stage('/bin/sh');
  const launch = launchOf([{ file, argv: ['sh', '-c', 'echo "$0"'] }], { pty });
  expect((await (await run(launcher, launch)).end).out).toMatch(/\/sh\r\n$/u);
});

test('a terminal leaks nothing of the spawner to its program', async () => {
  const launcher = await makeLauncher();
  const keep = await run(launcher, launchOf([sh('echo ready; exec sleep 600')], { pty }));
  await keep.saying('ready');
  for (const more of [{ pty }, {}]) {
    const { out } = await (await run(launcher, launchOf([stage('/bin/ls', '/proc/self/fd')], more))).end;
    // The fourth one is the folder that is being listed.
    expect(out.split(/\s+/u).filter(Boolean)).toEqual(['0', '1', '2', '3']);
  }
});

test('a program that cannot be started in a terminal fails as it does without', async () => {
  const launcher = await makeLauncher();
  const launch = launchOf([{ file: '/nowhere/program', argv: ['program'] }], { pty });
  const { exit } = await (await run(launcher, launch)).end;
  expect(exit).toEqual({
    kind: 'failed',
    reason: 'spawn-failed',
    message:
      '/nowhere/program could not be started: the program, the folder or its interpreter does not exist (ENOENT)',
  });
});

test('a command runs with pipes and a warning when no terminal can be made', async () => {
  const launcher = await makeLauncher();
  const launch = launchOf([sh('test -t 1 || echo no terminal; cat')], { pty: { cols: 'wide' as never, rows: 30 } });
  const { launched, end } = await run(launcher, launch);
  expect(launched).toMatchObject({
    pty: false,
    warnings: [expect.stringMatching(/^no PTY is available \(.+\); the command runs with pipes$/u)],
  });
  await launched.write(Buffer.from('typed\n'));
  launched.endInput();
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'no terminal\ntyped\n', err: '' });
});
