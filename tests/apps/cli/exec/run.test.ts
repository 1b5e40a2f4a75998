import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, closeSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectGateway } from '../../../../src/apps/client/connect.ts';
import { readPointer } from '../../../../src/apps/daemon/pointer.ts';
import { builtScript } from '../../../support/built.ts';
import { daemonPlace, type Place, runProgram } from '../../../support/daemon.ts';
import { until, withEnoughTime } from '../../../support/patience.ts';
import { isAlive } from '../../../../src/hosts/files/locks/owner.ts';

const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;
let folder = '';
const program = builtScript('small-pincer');
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-exec-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (place: Place, ...args: string[]) => runProgram(program, place, args);

/** Starts the program and gives what it prints as it comes. */
function start(place: Place, ...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], { env: place.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', (text) => (said += String(text)));
  child.stderr.on('data', (text) => (said += String(text)));
  const ended = new Promise<{ code: number | null; said: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, said })),
  );
  return { child, ended, says: (text: string) => until(() => said.includes(text), `saying ${text}`) };
}

describe('pincer exec', () => {
  it.each([
    ['its own code', ['-c', 'exit 7'], { code: 7, stderr: '' }],
    ['128 and the signal', ['-c', 'kill -9 $$'], { code: 137, stderr: '' }],
    [
      '124 after a timeout',
      ['--timeout', '0.2', '--', 'sleep', '300'],
      { code: 124, stderr: 'pincer: small-1 was ended by its timeout\n' },
    ],
    [
      '1 when it is denied',
      ['--', 'deny', 'it'],
      { code: 1, stderr: 'pincer: denied (allowlist-miss): no rule allows it\nhint: ask\n' },
    ],
    [
      '2 for a wrong question',
      ['--frobnicate', 'ls'],
      { code: 2, stderr: 'USAGE_ARGUMENTS: exec: unknown option --frobnicate\nhint: see pincer exec --help\n' },
    ],
    ['0 for its help', ['--help'], { code: 0, stderr: '' }],
  ])('exits with %s', async (_, args, ended) => {
    expect(await run(daemonPlace(), 'exec', ...args)).toMatchObject(ended);
  });

  it('shows both streams apart, byte for byte, as they come', async () => {
    const place = daemonPlace();
    const { stdout, stderr } = await run(place, 'exec', '-c', 'printf "a\\033[1mb"; printf err >&2');
    expect({ stdout, stderr }).toEqual({ stdout: 'a\u001b[1mb', stderr: 'err' });
    const live = start(place, 'exec', '-c', 'echo first; sleep 300');
    await live.says('first');
    live.child.kill('SIGINT');
    expect((await live.ended).code).toBe(130);
  });

  it('passes a pipe on, and its end', async () => {
    const input = Buffer.alloc(300_000, 'abcdefgh\n');
    const { stdout, code } = await runProgram(program, daemonPlace(), ['exec', '--', 'cat'], input);
    expect({ same: stdout === input.toString(), code }).toEqual({ same: true, code: 0 });
  });

  it('passes a file on', async () => {
    const place = daemonPlace();
    writeFileSync(join(folder, 'in.txt'), 'x'.repeat(200_000));
    const fd = openSync(join(folder, 'in.txt'), 'r');
    const child = spawn(process.execPath, [program, 'exec', '--', 'wc', '-c'], {
      env: place.env,
      stdio: [fd, 'pipe', 'inherit'],
    });
    closeSync(fd);
    let said = '';
    child.stdout!.on('data', (text) => (said += String(text)));
    await new Promise((resolve) => child.on('close', resolve));
    expect(said.trim()).toBe('200000');
  });

  it('ends when the command ends, though its own input stays open and unread', async () => {
    const place = daemonPlace();
    const child = spawn(process.execPath, [program, 'exec', '--', 'true'], {
      env: place.env,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
    child.stdin.destroy();
  });

  it('ends the command and itself at Ctrl-C, and only itself when pressed again', async () => {
    const place = daemonPlace();
    const stubborn = start(place, 'exec', '-c', 'trap "" TERM; echo $$; while :; do sleep 0.1; done');
    await stubborn.says('\n');
    for (const signal of ['SIGINT', 'SIGTERM'] as const) stubborn.child.kill(signal); // two kinds: neither swallows the other
    const { code, said } = await stubborn.ended;
    process.kill(Number(said), 'SIGKILL');
    expect(code === 130 || code === 143).toBe(true);
  });

  it('ends the command when nobody reads its output any more', async () => {
    const place = daemonPlace();
    const child = spawn('sh', ['-c', `"${process.execPath}" "${program}" exec -c 'echo $$; exec yes' | head -n 1`], {
      env: place.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((resolve) => child.stdout.once('data', (text) => resolve(Number(text))));
    await until(() => !isAlive({ pid, start: '' }), 'the end of the command');
  });

  it('goes at once with --background, and ps, logs and kill find the session', async () => {
    const place = daemonPlace();
    const { stdout, code } = await run(place, 'exec', '--background', '-c', 'seq 5; sleep 300');
    expect({ stdout, code }).toEqual({ stdout: 'small-1\n', code: 0 });
    const following = start(place, 'logs', '-f', 'small-1');
    await following.says('5\n');
    expect(JSON.parse((await run(place, 'ps')).stdout)).toMatchObject([{ id: 'small-1', status: 'running' }]);
    const table = (await run(place, 'ps', '--human')).stdout.replaceAll(/\d+s|\d{2,}/gu, 'N');
    expect(table.replaceAll(/ +/gu, ' ')).toBe(
      'ID STATE HOST PID TIME CLIENT AGENT COMMAND\nsmall-1 running gateway N N you main seq 5; sleep N\n',
    );
    expect((await run(place, 'logs', 'small-1')).stdout).toBe('1\n2\n3\n4\n5\n');
    expect((await run(place, 'logs', '-n', '2', 'small-1')).stdout).toBe('4\n5\n');
    expect(await run(place, 'kill', '--human', 'small-1')).toMatchObject({ stdout: 'small-1: killed\n', code: 0 });
    expect(await run(place, 'kill', '--human', 'small-1')).toMatchObject({
      stdout: 'small-1 had already ended: killed\n',
      code: 0,
    });
    expect(await following.ended).toEqual({ code: 0, said: '1\n2\n3\n4\n5\npincer: small-1: killed\n' });
    expect((await run(place, 'ps')).stdout).toBe('[]\n');
    expect(JSON.parse((await run(place, 'ps', '--all')).stdout)).toMatchObject([{ failure: 'killed' }]);
    expect((await run(place, 'events', '--human')).stdout).toMatch(
      /^1 \d\d:\d\d:\d\d exec-exit you: Exec completed \(small-1/u,
    );
  });

  it.skipIf(!hasScript)('shows a log harmlessly on a terminal, unless --raw is given (needs script(1))', async () => {
    const place = daemonPlace();
    await run(place, 'exec', '--yield', '9000', '-c', 'printf "\\033]0;title\\007\\303\\251"');
    const shown = (flags: string): string => {
      const command = `'${process.execPath}' '${program}' logs ${flags} small-1`;
      return spawnSync('script', ['-qec', command, '/dev/null'], { env: place.env, encoding: 'utf8', input: '' })
        .stdout;
    };
    expect([shown(''), shown('--raw')]).toEqual(['é', '\u001b]0;title\u0007é']);
  });

  it('starts no daemon to look at nothing', async () => {
    const place = daemonPlace();
    expect((await run(place, 'ps')).stdout).toBe('[]\n');
    expect(await run(place, 'events')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await run(place, 'events', '--audit')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    for (const command of ['logs', 'attach', 'kill'])
      expect(await run(place, command, 'nothing', '--human')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^EXEC_SESSION_UNKNOWN: there is no session "nothing": no daemon is running\n/u),
      });
    expect(readPointer(place.stateDir)).toBeUndefined();
  });

  it.skipIf(!hasScript)('leaves a session in its terminal running with the key of attach', async () => {
    const place = daemonPlace();
    const command = `'${process.execPath}' '${program}' exec --pty -c 'echo ready; sleep 300'`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: place.env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let said = '';
    child.stdout.on('data', (text) => (said += String(text)));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await until(() => said.includes('ready'), 'saying ready');
    child.stdin.write('\u001c');
    expect([await ended, said]).toEqual([
      0,
      expect.stringContaining('detached from small-1, which keeps running; attach again with pincer attach small-1'),
    ]);
    expect(JSON.parse((await run(place, 'ps')).stdout)).toMatchObject([{ id: 'small-1', backgrounded: true }]);
  });

  it.skipIf(!hasScript).each([
    ['python3', 'pincer: python3 has no input; add --pty to use it interactively\r\n'],
    ['true', ''],
  ])('says of %s on a terminal what it can be typed into with', (name, said) => {
    const place = daemonPlace();
    writeFileSync(join(folder, 'python3'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { ...place.env, PATH: `${folder}:${place.env['PATH']}` };
    const command = `'${process.execPath}' '${program}' exec -- ${name}`;
    expect(spawnSync('script', ['-qec', command, '/dev/null'], { env, encoding: 'utf8', input: '' }).stdout).toBe(said);
  });

  it('says what it cannot find', async () => {
    const place = daemonPlace();
    await run(place, 'exec', '--', 'true');
    for (const command of ['logs', 'attach', 'kill'])
      expect(await run(place, command, 'nothing', '--human')).toMatchObject({
        code: 1,
        stderr: 'EXEC_SESSION_UNKNOWN: there is no session nothing\nhint: pincer ps\n',
      });
  });

  it('waits so long with --yield, then says where the session goes on', async () => {
    const yielded = await withEnoughTime(
      (ms) => run(daemonPlace(), 'exec', '--yield', String(ms), '-c', 'echo a; sleep 300'),
      ({ stdout }) => stdout !== '',
      200,
    );
    expect(yielded).toEqual({
      code: 0,
      signal: null,
      stdout: 'a\n',
      stderr: 'pincer: small-1 keeps running; see pincer logs -f small-1\n',
    });
    expect(await run(daemonPlace(), 'exec', '--yield', '40000', '-c', 'echo b; exit 3')).toMatchObject({
      code: 3,
      stdout: 'b\n',
    });
  });

  it('gives everything at the end as JSON', async () => {
    const { stdout, code } = await run(daemonPlace(), 'exec', '--json', '-c', 'echo a; exit 3');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      session: { id: 'small-1', exitCode: 3 },
      output: { text: 'a\n', omitted: 0 },
      warnings: [],
    });
  });

  it('exits with 4 when a person has to approve, and says how', async () => {
    const { code, stderr } = await run(daemonPlace(), 'exec', '-c', 'ask echo a');
    // Of its 60 seconds some may be over when they are told.
    expect({ code, stderr: stderr.replace(/ in (?:60|[45]\d) s\n$/u, ' in N s\n') }).toEqual({
      code: 4,
      stderr:
        'pincer: approval approval-1 is required for echo a (no rule names it)\n' +
        'hint: pincer approvals allow approval-1, or pincer approvals deny approval-1; it expires in N s\n',
    });
  });

  it.each([
    ['allow-once', { code: 5, last: 'approved\n' }],
    ['deny', { code: 1, last: 'pincer: approval approval-1: user-denied\n' }],
  ] as const)('with --wait hears the answer %s', async (decision, { code, last }) => {
    const place = daemonPlace();
    const waiting = start(place, 'exec', '--wait', '-c', 'ask echo approved; exit 5');
    await waiting.says('is required');
    const client = await connectGateway({ stateDir: place.stateDir, program });
    await client.call('approval.resolve', { id: 'approval-1', decision, by: 'test' });
    client.close();
    const ended = await waiting.ended;
    expect(ended.code).toBe(code);
    expect(ended.said.endsWith(last)).toBe(true);
  });

  it('with --wait leaves at Ctrl-C', async () => {
    const waiting = start(daemonPlace(), 'exec', '--wait', '-c', 'ask true');
    await waiting.says('is required');
    waiting.child.kill('SIGINT');
    expect((await waiting.ended).code).toBe(130);
  });

  it('says that the daemon died in the middle, and exits with 3', async () => {
    const place = daemonPlace();
    const running = start(place, 'exec', '-c', 'echo $$; exec sleep 300');
    await running.says('\n');
    process.kill(readPointer(place.stateDir)!.pid, 'SIGKILL');
    const { code, said } = await running.ended;
    const [pid, message] = said.split('\n');
    process.kill(Number(pid), 'SIGKILL'); // the small gateway has nobody who outlives it
    expect({ code, message }).toEqual({
      code: 3,
      message: 'GATEWAY_LOST: the daemon closed the connection before it answered',
    });
  });

  it('attaches to a session without a terminal: its output, its input, its code', async () => {
    const place = daemonPlace();
    const client = await connectGateway({ stateDir: place.stateDir, program });
    const caller = { agent: 'main', operator: true } as const;
    await client.call('exec.start', {
      request: { command: 'echo name?; read name; echo "hello $name"; exit 6', background: true },
      context: { caller, folder: '/', environment: {}, stdin: 'open' },
    });
    client.close();
    expect(await runProgram(program, place, ['attach', 'small-1'], 'you\n')).toMatchObject({
      code: 6,
      stdout: 'name?\nhello you\n',
    });
  });
});
