import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPointer } from '../../../src/apps/daemon/pointer.ts';
import { isAlive } from '../../../src/hosts/files/locks/owner.ts';
import { builtScript } from '../../support/built.ts';
import { daemonPlace, type Place, runProgram } from '../../support/daemon.ts';
import { until } from '../../support/patience.ts';
import { inParallel } from '../../support/program.ts';

const program = builtScript('small-pincer');

const exec = (place: Place, ...command: string[]) => runProgram(program, place, ['exec', '--', ...command]);
const pidOf = (place: Place): number => readPointer(place.stateDir)!.pid;
const logOf = (place: Place): string => readFileSync(join(place.stateDir, 'daemon', 'daemon.log'), 'utf8');

describe('the daemon', () => {
  it('is started once by twenty concurrent clients, and serves them all', async () => {
    const place = daemonPlace();
    const runs = await inParallel(
      20,
      Array.from({ length: 20 }, (_, n) => () => exec(place, 'echo', `${n}`)),
    );
    expect(runs).toEqual(runs.map((_, n) => ({ code: 0, signal: null, stdout: `${n}\n`, stderr: '' })));
    expect(logOf(place).match(/started with/gu)).toHaveLength(1);
  }, 120_000);

  it('is followed by another after it was killed', async () => {
    const place = daemonPlace();
    await exec(place, 'true');
    const first = readPointer(place.stateDir)!;
    process.kill(first.pid, 'SIGKILL');
    await until(() => !isAlive(first), 'the end of the first daemon');
    expect(lstatSync(first.socket).isSocket()).toBe(true); // left over
    expect((await exec(place, 'echo', 'again')).stdout).toBe('again\n');
    expect(pidOf(place)).not.toBe(first.pid);
  });

  it('serves a state folder with a long name', async () => {
    const place = daemonPlace(join('x'.repeat(120), 'y'.repeat(120)));
    expect(await exec(place, 'echo', 'far')).toMatchObject({ code: 0, stdout: 'far\n' });
    expect(readPointer(place.stateDir)!.socket.length).toBeLessThan(108);
  });

  it('removes another file at the path of its socket', async () => {
    const place = daemonPlace();
    await exec(place, 'true');
    const { pid, start, socket } = readPointer(place.stateDir)!;
    process.kill(pid, 'SIGTERM');
    await until(() => !isAlive({ pid, start }), 'the end of the daemon');
    writeFileSync(socket, 'squatted');
    expect((await exec(place, 'echo', 'mine')).stdout).toBe('mine\n');
    expect(lstatSync(socket).isSocket()).toBe(true);
  });

  it('names a path that it cannot replace by its socket', async () => {
    const place = daemonPlace();
    await exec(place, 'true');
    const { pid, start, socket } = readPointer(place.stateDir)!;
    process.kill(pid, 'SIGTERM');
    await until(() => !isAlive({ pid, start }), 'the end of the daemon');
    mkdirSync(socket);
    const refused = await exec(place, 'true');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('GATEWAY_START_FAILED: the daemon exited with code');
    expect(refused.stderr).toContain(`${socket} with the socket`);
  });

  it('leads a life apart: own session, root folder, closed mask, minimal path, nothing else of the environment', async () => {
    const base = daemonPlace();
    const place: Place = { ...base, env: { ...base.env, SECRET_TOKEN: 'x', NODE_OPTIONS: '--no-warnings' } };
    await exec(place, 'true');
    const pid = pidOf(place);
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean).toSorted();
    expect({
      group: Number(stat[2]),
      session: Number(stat[3]),
      cwd: readlinkSync(`/proc/${pid}/cwd`),
      umask: /Umask:\s*(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1],
      names,
    }).toEqual({
      group: pid,
      session: pid,
      cwd: '/',
      umask: '0077',
      names: [
        `HOME=${place.env['HOME']}`,
        'PATH=/usr/local/bin:/usr/bin:/bin',
        `PINCER_STATE_DIR=${place.stateDir}`,
        `XDG_RUNTIME_DIR=${place.env['XDG_RUNTIME_DIR']}`,
      ],
    });
    expect(statSync(readPointer(place.stateDir)!.socket).mode & 0o777).toBe(0o600);
  });

  it('exits when it is idle, and removes its socket', async () => {
    const base = daemonPlace();
    const place: Place = { ...base, env: { ...base.env, PINCER_DAEMON_IDLE_MS: '1000' } }; // time to connect, also on a busy machine
    await exec(place, 'true');
    const log = () => logOf(place);
    await until(() => log().includes('stopping: idle'), 'the daemon to leave');
    await until(() => readPointer(place.stateDir) === undefined, 'the end of the pointer');
    expect(existsSync(join(place.env['XDG_RUNTIME_DIR']!, 'pincer'))).toBe(true);
    expect((await exec(place, 'echo', 'next')).stdout).toBe('next\n');
  });

  it('stays while a session runs, also without clients', async () => {
    const [place, idle] = [daemonPlace(), daemonPlace()].map(
      (base): Place => ({ ...base, env: { ...base.env, PINCER_DAEMON_IDLE_MS: '500' } }),
    ) as [Place, Place];
    const flag = join(place.stateDir, 'go');
    await runProgram(program, place, ['exec', '--background', '-c', `while [ ! -e ${flag} ]; do sleep 0.05; done`]);
    const pointer = readPointer(place.stateDir)!;
    // A daemon without sessions whose idle time began later leaves: the idle time of the first one is over, too.
    await exec(idle, 'true');
    await until(() => logOf(idle).includes('stopping: idle'), 'the idle daemon to leave');
    expect(isAlive(pointer)).toBe(true);
    writeFileSync(flag, '');
    await until(() => !isAlive(pointer), 'the end of the daemon');
  });

  it('exits when its state folder is gone', async () => {
    const place = daemonPlace();
    await exec(place, 'true');
    const pointer = readPointer(place.stateDir)!;
    renameSync(place.stateDir, `${place.stateDir}-gone`);
    await until(() => !isAlive(pointer), 'the end of the daemon');
    expect(readFileSync(join(`${place.stateDir}-gone`, 'daemon', 'daemon.log'), 'utf8')).toContain(
      'the state folder is gone',
    );
  });

  it('restores its socket when the folder was cleared', async () => {
    const place = daemonPlace();
    await exec(place, 'true');
    const { pid, socket } = readPointer(place.stateDir)!;
    rmSync(dirname(socket), { recursive: true });
    expect((await exec(place, 'echo', 'found')).stdout).toBe('found\n');
    expect(pidOf(place)).toBe(pid);
  });

  it('ends its sessions and itself when it is asked to by a signal', async () => {
    const place = daemonPlace();
    const started = await runProgram(program, place, ['exec', '--background', '--json', '--', 'sleep', '300']);
    const { pid: child } = (JSON.parse(started.stdout) as { session: { pid: number } }).session;
    const pointer = readPointer(place.stateDir)!;
    process.kill(pointer.pid, 'SIGTERM');
    await until(
      () => !isAlive(pointer) && !isAlive({ pid: child, start: '' }),
      'the end of the daemon and its session',
    );
    expect(readPointer(place.stateDir)).toBeUndefined();
    expect(existsSync(pointer.socket)).toBe(false);
  });

  it('exits for a newer build when it is idle, and serves it when it is busy', async () => {
    const place = daemonPlace();
    const time = statSync(program).mtimeMs / 1_000;
    await exec(place, 'true');
    const first = pidOf(place);
    utimesSync(program, time + 10, time + 10);
    expect(await exec(place, 'echo', 'newer')).toMatchObject({ code: 0, stdout: 'newer\n' });
    const second = pidOf(place);
    expect(second).not.toBe(first);
    await runProgram(program, place, ['exec', '--background', '--', 'sleep', '300']);
    utimesSync(program, time + 20, time + 20);
    await exec(place, 'true');
    expect(pidOf(place)).toBe(second);
    utimesSync(program, time, time);
  });

  it('reports in one message why it could not start, with its output', async () => {
    const base = daemonPlace();
    const place: Place = { ...base, env: { ...base.env, PINCER_TEST_BROKEN: '1' } };
    const { code, stderr } = await exec(place, 'true');
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^GATEWAY_START_FAILED: the daemon exited with code 3: INTERNAL_ERROR: .*made to fail.*\nhint: see its log .*daemon\.log\n$/u,
    );
    const { stderr: json } = await runProgram(program, place, ['exec', '--json', '--', 'true']);
    expect((JSON.parse(json) as { error: { details: { log: string } } }).error.details.log).toContain('made to fail');
  });

  it('does not live in a state folder that others may write', async () => {
    const place = daemonPlace();
    chmodSync(place.stateDir, 0o777);
    const { code, stderr } = await exec(place, 'true');
    expect(code).toBe(3);
    expect(stderr).toContain(`other users can write to ${place.stateDir}`);
  });

  it('ends the command of a client that dies in the middle', async () => {
    const place = daemonPlace();
    const child: ChildProcess = spawn(process.execPath, [program, 'exec', '-c', 'echo $$; sleep 300'], {
      env: place.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((resolve) => child.stdout!.once('data', (text) => resolve(Number(text))));
    child.kill('SIGKILL');
    await until(() => !isAlive({ pid, start: '' }), 'the end of the command');
    expect((await exec(place, 'echo', 'well')).stdout).toBe('well\n');
  });

  it('keeps its log short', async () => {
    const place = daemonPlace();
    await exec(place, 'true');
    const log = join(place.stateDir, 'daemon', 'daemon.log');
    writeFileSync(log, 'x'.repeat(2 << 20), { flag: 'a' });
    await until(() => statSync(log).size < 1 << 20, 'a short log');
  });
});
