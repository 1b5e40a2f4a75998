/** What every Launcher holds, wherever its commands run. */
import { chmodSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Exit, Launcher } from '../../src/hosts/process/launch.ts';
import { hasEnvironment, listProcesses } from '../../src/hosts/process/processes.ts';
import { makeFolder as makeOne } from '../support/folder.ts';
import { launchOf, run, sh, stage } from '../support/launching.ts';
import { eventLoopTurns, UNTIL_GO } from '../support/patience.ts';

const pty = { cols: 120, rows: 30 };
const code = (number: number): Exit => ({ kind: 'code', code: number });

/** Folders of this machine that the commands see, and the path at which they do. */
export interface Shared {
  readonly makeFolder: () => string;
  readonly seenAt: (path: string) => string;
}

const SAME: Shared = { makeFolder: () => makeOne(), seenAt: (path) => path };

export function launcherLaws(name: string, make: () => Promise<Launcher>, { makeFolder, seenAt }: Shared = SAME): void {
  describe(`a launcher: ${name}`, () => {
    test('reports the output of a command in the order of writing, and its exit code', async () => {
      const script = 'for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done; exit 3';
      const { end, launched } = await run(await make(), launchOf([sh(script)]));
      expect({ warnings: launched.warnings, pty: launched.pty }).toEqual({ warnings: [], pty: false });
      expect(launched.pid).toBeGreaterThan(1);
      const out = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `o${i}\ne${i}\n`).join('');
      expect(await end).toEqual({ exit: code(3), out, err: '' });
    });

    test('keeps the streams apart when that is asked for', async () => {
      const { end } = await run(await make(), launchOf([sh('echo hello; echo oops >&2')], { streams: 'apart' }));
      expect(await end).toEqual({ exit: code(0), out: 'hello\n', err: 'oops\n' });
    });

    test('reports the signal that ended a command', async () => {
      const { end } = await run(await make(), launchOf([sh('kill -USR1 $$; sleep 600')]));
      expect((await end).exit).toEqual({ kind: 'signal', signal: 'SIGUSR1' });
    });

    test('starts a program with its name, folder, environment and umask, and nothing else', async () => {
      const folder = makeFolder();
      const script =
        'echo "$0"; pwd; : >made; env | sort | grep -v -e ^PINCER_ -e ^PWD= -e ^_= -e ^SHLVL=; ls /proc/self/fd';
      const launch = launchOf([{ file: realpathSync('/bin/sh'), argv: ['strange', '-c', script] }], {
        cwd: seenAt(folder),
        umask: 0o027,
        env: { PATH: '/usr/bin:/bin', B: 'two words', A: '' },
      });
      const { end } = await run(await make(), launch);
      // The fourth is the folder that `ls` itself reads.
      const out = ['strange', seenAt(folder), 'A=', 'B=two words', 'PATH=/usr/bin:/bin', '0', '1', '2', '3', ''].join(
        '\n',
      );
      expect(await end).toEqual({ exit: code(0), out, err: '' });
      expect(statSync(join(folder, 'made')).mode & 0o777).toBe(0o640);
    });

    test('marks every process with its session', async () => {
      const launch = launchOf([sh('env | grep ^PINCER_SESSION=')]);
      const { end } = await run(await make(), launch);
      expect(await end).toEqual({ exit: code(0), out: `PINCER_SESSION=${launch.session}\n`, err: '' });
    });

    test('writes input and ends it', async () => {
      const { end, launched } = await run(await make(), launchOf([stage('/bin/cat')], { stdin: 'open' }));
      await launched.write(Buffer.from('one\n'));
      await launched.write(new Uint8Array(0));
      await launched.write(Buffer.from('two\n'));
      launched.endInput();
      expect(await end).toEqual({ exit: code(0), out: 'one\ntwo\n', err: '' });
      await expect(launched.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'EXEC_INPUT_CLOSED' });
    });

    test('carries megabytes of input, and they come back whole', async () => {
      const { end, launched, bytes } = await run(await make(), launchOf([stage('/bin/cat')], { stdin: 'open' }));
      const part = Buffer.alloc(1_000_003, 'abcdefg');
      await Promise.all([launched.write(part), launched.write(part), launched.write(part)]);
      launched.endInput();
      expect([(await end).exit, bytes()]).toEqual([code(0), 3 * part.length]);
    });

    test('refuses input that no process can read, and input for a command without stdin', async () => {
      const launcher = await make();
      const deaf = await run(launcher, launchOf([sh('exec <&-; echo ready; sleep 600')], { stdin: 'open' }));
      await deaf.saying('ready');
      const closed = { code: 'EXEC_INPUT_CLOSED' };
      await expect(deaf.launched.write(Buffer.alloc(1_000_000))).rejects.toMatchObject(closed);
      await expect(deaf.launched.write(Buffer.from('x'))).rejects.toMatchObject(closed);
      await deaf.launched.kill(0);
      const cwd = makeFolder();
      const without = await run(launcher, launchOf([sh(`read line || echo none; ${UNTIL_GO}`)], { cwd: seenAt(cwd) }));
      await expect(without.launched.write(Buffer.from('x'))).rejects.toMatchObject(closed);
      writeFileSync(join(cwd, 'go'), '');
      expect((await without.end).out).toBe('none\n');
    });

    test('rejects a write that waits for a program that ends', async () => {
      const cwd = makeFolder();
      const launch = launchOf([sh(UNTIL_GO)], { stdin: 'open', cwd: seenAt(cwd) });
      const { launched, end } = await run(await make(), launch);
      const written = expect(launched.write(Buffer.alloc(30_000_000))).rejects.toMatchObject({
        code: 'EXEC_INPUT_CLOSED',
      });
      await eventLoopTurns(); // it is on its way
      writeFileSync(join(cwd, 'go'), '');
      await written;
      expect((await end).exit).toEqual(code(0));
    });

    test.each([
      ['a program that is not there', { file: '/nowhere/program', argv: ['program'] }, {}],
      ['a folder that is not there', { file: '/bin/sh', argv: ['sh', '-c', 'true'] }, { cwd: '/nowhere' }],
      ['an argument that no system takes', { file: '/bin/sh', argv: ['sh', '-c', 'tr\0ue'] }, {}],
      ['a name that no system takes', { file: '/bin/sh', argv: ['sh', '-c', 'true'] }, { env: { 'A=B': 'c' } }],
      ['a program without an absolute path', { file: 'sh', argv: ['sh', '-c', 'true'] }, {}],
    ])('starts nothing and reports why: %s', async (_, program, more) => {
      const { launched, end } = await run(await make(), launchOf([program], more));
      const { exit, out } = await end;
      expect({ pid: launched.pid, out, exit }).toEqual({
        pid: 0,
        out: '',
        exit: { kind: 'failed', reason: 'spawn-failed', message: expect.any(String) },
      });
      await launched.kill(0);
      await expect(launched.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'EXEC_INPUT_CLOSED' });
    });

    test('starts no text that names no interpreter', async () => {
      const file = join(makeFolder(), 'text');
      writeFileSync(file, 'echo ran\n');
      chmodSync(file, 0o755);
      const launcher = await make();
      for (const more of [{}, { pty }]) {
        const { end } = await run(launcher, launchOf([{ file: seenAt(file), argv: ['text'] }], more));
        const message = expect.stringContaining('it is not a program that this system can run') as string;
        expect(await end).toEqual({ exit: { kind: 'failed', reason: 'spawn-failed', message }, out: '', err: '' });
      }
    });

    test('passes the output of each stage to the next one, and returns the exit code of the last one', async () => {
      const stages = [stage('/usr/bin/yes'), stage('/usr/bin/head', '-n', '100000'), sh('wc -l; exit 4')];
      const { end, launched } = await run(await make(), launchOf(stages, { streams: 'apart' }));
      expect(launched.pid).toBeGreaterThan(1);
      // A stage whose reader has left is ended by the signal for that, without a word.
      expect(await end).toEqual({ exit: code(4), out: '100000\n', err: '' });
    });

    test('passes the input to the first stage, and reports stderr of all stages', async () => {
      const stages = [sh('cat; echo one >&2'), sh('tr a-z A-Z; echo two >&2; exit 9')];
      const { end, launched } = await run(await make(), launchOf(stages, { streams: 'apart', stdin: 'open' }));
      await launched.write(Buffer.from('hello\n'));
      launched.endInput();
      const { exit, out, err } = await end;
      expect([exit, out, err.split('\n').sort()]).toEqual([code(9), 'HELLO\n', ['', 'one', 'two']]);
    });

    test('joins the errors of all stages with the output', async () => {
      const { end } = await run(await make(), launchOf([sh('echo one >&2'), sh('cat; echo two; echo three >&2')]));
      expect(await end).toEqual({ exit: code(0), out: 'one\ntwo\nthree\n', err: '' });
    });

    test('a stage that opens its input by name reads it, also when the stage before has ended', async () => {
      const cwd = makeFolder();
      const stages = [sh('echo early; : >first'), sh('until [ -e first ]; do sleep 0.01; done; exec cat /dev/stdin')];
      const { end } = await run(await make(), launchOf(stages, { cwd: seenAt(cwd) }));
      expect(await end).toEqual({ exit: code(0), out: 'early\n', err: '' });
    });

    test('ends all stages, and interrupts all of them', async () => {
      const launcher = await make();
      const killed = launchOf([sh('sleep 607'), sh('sleep 607'), sh('echo ready')]);
      const { end, launched, saying } = await run(launcher, killed);
      await saying('ready');
      await launched.kill(1000);
      expect([(await end).exit, markedWith(killed.session)]).toEqual([code(0), []]);
      const waits = (name: string) =>
        sh(`trap 'echo ${name} >&2; exit 7' INT; echo ready >&2; while :; do sleep 0.05; done`);
      const other = await run(launcher, launchOf([waits('one'), waits('two')]));
      await other.saying(/ready\nready/u);
      other.launched.interrupt();
      const { exit, out } = await other.end;
      expect([exit, out.split('\n').sort()]).toEqual([code(7), ['', 'one', 'ready', 'ready', 'two']]);
    });

    test('starts all stages or none, and none in one terminal', async () => {
      const launcher = await make();
      const cwd = makeFolder();
      const missing = { file: '/nowhere/program', argv: ['program'] };
      const stages = [sh('echo ran >&2'), missing, sh('cat')];
      for (const more of [{}, { pty }]) {
        const launch = launchOf(stages, { cwd: seenAt(cwd), ...more });
        const { end, launched } = await run(launcher, launch);
        expect([launched.pid, (await end).exit.kind]).toEqual([0, 'failed']);
        await expect.poll(() => markedWith(launch.session)).toEqual([]);
      }
    });

    test('waits half a second for a child that keeps the output open, and reports its output later', async () => {
      const launcher = await make();
      const began = performance.now();
      const cwd = makeFolder();
      const script = `(${UNTIL_GO}; echo late) & echo early`;
      const { end, text, saying, launched } = await run(launcher, launchOf([sh(script)], { cwd: seenAt(cwd) }));
      expect(await end).toEqual({ exit: code(0), out: 'early\n', err: '' });
      expect(performance.now() - began).toBeGreaterThan(450);
      expect(text()).toBe('early\n');
      writeFileSync(join(cwd, 'go'), ''); // up to here the child held the output
      await saying('late');
      expect(text()).toBe('early\nlate\n');
      await launched.kill(0);
    });

    test.each([
      ['pipes', {}],
      ['a terminal', { pty }],
    ])('sends nothing to a paused listener, and loses nothing: %s', async (_, more) => {
      let bytes = 0;
      let isSilent = false;
      let broken = 0;
      let resolveEnd: (exit: Exit) => void = () => {};
      const end = new Promise<Exit>((resolve) => {
        resolveEnd = resolve;
      });
      const launcher = await make();
      const script = 'stty -opost 2>/dev/null; yes | head -c 1500000; exit 5';
      let silences = 0;
      const quiet = async () => {
        // What is on its way has come when another command has run to its end.
        if (silences++ < 3) await (await run(launcher, launchOf([sh('true')]))).end;
        await launching;
        await eventLoopTurns(10);
      };
      const launching = launcher.launch(launchOf([sh(script)], more), {
        output(_stream, part) {
          if (isSilent) broken++;
          bytes += part.length;
          isSilent = true;
          void quiet().then(() => {
            isSilent = false;
            launched.resume();
          });
          return false;
        },
        exited: resolveEnd,
      });
      const launched = await launching;
      expect([await end, bytes, broken]).toEqual([code(5), 1_500_000, 0]);
    });

    test('lets one command wait for its listener without slowing another', async () => {
      const launcher = await make();
      const stuck = await launcher.launch(launchOf([sh('yes')]), { output: () => false, exited: () => {} });
      const { end, bytes } = await run(launcher, launchOf([sh('yes | head -c 20000000')]));
      expect([(await end).exit, bytes()]).toEqual([code(0), 20_000_000]);
      await stuck.kill(0);
    });

    test('starts a command in a terminal on request', async () => {
      const script = 'tty; stty size; echo $TERM';
      const { end, launched } = await run(await make(), launchOf([sh(script)], { pty: { cols: 101, rows: 17 } }));
      expect([launched.pty, launched.warnings]).toEqual([true, []]);
      const { exit, out } = await end;
      expect(exit).toEqual(code(0));
      expect(out).toMatch(/^\/dev\/pts\/\d+\r\n17 101\r\nxterm-256color\r\n$/u);
    });

    test('accepts keys, a resize and the end of input for a terminal', async () => {
      const script =
        'stty -echo; echo ready; read line; echo "got $line"; until [ "$(stty size)" = "20 90" ]; do sleep 0.01; done; echo resized; cat; echo over';
      const { end, launched, saying } = await run(await make(), launchOf([sh(script)], { pty }));
      await saying('ready');
      await launched.write(Buffer.from('hello\n'));
      await saying('got hello');
      launched.resize({ cols: 90, rows: 20 });
      await saying('resized');
      launched.endInput();
      const { exit, out } = await end;
      expect({ exit, out }).toEqual({ exit: code(0), out: 'ready\r\ngot hello\r\nresized\r\nover\r\n' });
    });

    test('loses no byte of the tail of a terminal, 10 times', async () => {
      const launcher = await make();
      const seen: unknown[] = [];
      for (let i = 0; i < 10; i++) {
        const { end, bytes } = await run(launcher, launchOf([sh('stty -opost; yes | head -c 60000; exit 5')], { pty }));
        seen.push([(await end).exit, bytes()]);
      }
      expect(seen).toEqual(Array.from({ length: 10 }, () => [code(5), 60_000]));
    });

    test('leaves no terminal open in what is started later', async () => {
      const launcher = await make();
      const first = await run(launcher, launchOf([sh('echo ready; sleep 600')], { pty }));
      await first.saying('ready');
      for (const more of [{}, { pty }]) {
        const { end } = await run(launcher, launchOf([sh('exec ls /proc/self/fd')], more));
        expect((await end).out.split(/\s+/u)).toEqual(['0', '1', '2', '3', '']);
      }
      await first.launched.kill(0);
    });

    test.each([
      ['pipes', {}],
      ['a terminal', { pty }],
    ])('ends what ignores the polite signal and what left its group: %s', async (_, more) => {
      const script =
        'trap "" TERM HUP; setsid sh -c "trap \'\' TERM; sleep 601" & echo ready; while :; do sleep 1; done';
      const launch = launchOf([sh(script)], more);
      const { end, launched, saying } = await run(await make(), launch);
      await saying('ready');
      await launched.kill(50);
      expect((await end).exit).toEqual({ kind: 'signal', signal: 'SIGKILL' });
      expect(markedWith(launch.session)).toEqual([]);
    });

    test.each([
      ['pipes', {}],
      ['a terminal', { pty }],
    ])('interrupts a command, which decides how it ends: %s', async (_, more) => {
      const script = "trap 'echo cleaned; exit 7' INT; echo ready; while :; do sleep 0.05; done";
      const { end, launched, saying } = await run(await make(), launchOf([sh(script)], more));
      await saying('ready');
      launched.interrupt();
      const { exit, out } = await end;
      expect([exit, out.replaceAll('\r', '')]).toEqual([code(7), 'ready\ncleaned\n']);
      launched.interrupt(); // there is nothing left to be interrupted
    });

    test('ends the background processes of a command, even after its end', async () => {
      const launch = launchOf([sh('setsid sleep 602 >/dev/null 2>&1 & echo done')]);
      const { end, launched } = await run(await make(), launch);
      expect((await end).exit).toEqual(code(0));
      // In the moment of its start a process shows no environment.
      await expect.poll(() => markedWith(launch.session)).toHaveLength(1);
      await launched.kill(0);
      expect(markedWith(launch.session)).toEqual([]);
    });

    test('runs many commands in parallel without mixing them up', async () => {
      const launcher = await make();
      const heard = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          run(launcher, launchOf([sh(`i=0; while [ $i -lt 50 ]; do echo ${i}; i=$((i+1)); done; exit ${i}`)])),
        ),
      );
      const seen = await Promise.all(heard.map(({ end }) => end));
      expect(seen).toEqual(heard.map((_, i) => ({ exit: code(i), out: `${i}\n`.repeat(50), err: '' })));
    });

    test('ends all commands when it is closed, reports that, and starts no more', async () => {
      const launcher = await make();
      const heard = await Promise.all(
        [{}, {}, { pty }].map((more) => run(launcher, launchOf([sh('exec sleep 600')], more))),
      );
      await launcher.close();
      for (const { end } of heard) expect((await end).exit).toEqual({ kind: 'signal', signal: 'SIGTERM' });
      const listener = { output: () => true, exited: () => {} };
      await expect(launcher.launch(launchOf([sh('true')]), listener)).rejects.toMatchObject({ code: 'EXEC_CLOSED' });
    });
  });
}

/** The processes of this machine that run for a session. */
function markedWith(session: string): number[] {
  return [...listProcesses().values()]
    .filter(({ pid, ended }) => !ended && hasEnvironment(pid, [`PINCER_SESSION=${session}`]))
    .map(({ pid }) => pid);
}
