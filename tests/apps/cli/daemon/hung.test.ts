import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectGateway } from '../../../../src/apps/client/connect.ts';
import { SILENCE_MS } from '../../../../src/apps/client/silence.ts';
import { readPointer, writePointer } from '../../../../src/apps/daemon/pointer.ts';
import { isAlive, thisProcess } from '../../../../src/hosts/files/locks/owner.ts';
import { daemonPlace, type Place, runProgram } from '../../../support/daemon.ts';
import { isThere } from '../../../support/processes.ts';
import { until } from '../../../support/patience.ts';

const program = fileURLToPath(new URL('../../../../dist/pincer.cjs', import.meta.url));

const run = (place: Place, ...args: string[]) => runProgram(program, place, args);

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** A daemon that was stopped while a session runs. */
async function stoppedDaemon() {
  const place = daemonPlace();
  const started = await run(place, 'exec', '--background', '--json', '--', 'sleep', '300');
  const { pid: command } = (JSON.parse(started.stdout) as { session: { pid: number } }).session;
  const pointer = readPointer(place.stateDir)!;
  process.kill(pointer.pid, 'SIGSTOP');
  onTestFinished(() => {
    if (isAlive(pointer)) process.kill(pointer.pid, 'SIGCONT');
  });
  return { place, pointer, command };
}

describe.skipIf(!existsSync(program))('a daemon that hangs', () => {
  it('B15: fails every command after 10 s with its pid and the way out, and is ended by stop --force', async () => {
    const { place, pointer, command } = await stoppedDaemon();
    const commands = [
      ['ps', '--human'],
      ['exec', '--', 'true'],
      ['daemon', 'status', '--human'],
      ['daemon', 'stop', '--human'],
    ];
    const greeting = runProgram(program, place, ['mcp'], `${JSON.stringify(INITIALIZE)}\n`);
    for (const ended of await Promise.all(commands.map((args) => run(place, ...args))))
      expect(ended).toMatchObject({
        code: 3,
        stderr:
          `GATEWAY_UNRESPONSIVE: the daemon did not answer within 10 s (pid ${pointer.pid})\n` +
          'hint: it hangs or was stopped; pincer daemon stop --force ends it and its sessions\n',
      });
    // A client that connects waits less, and hears that commands are not known, not that they are refused.
    expect((await greeting).stdout).toContain(
      `Here the posture of commands is unknown: the daemon did not answer within 3 s (pid ${pointer.pid}); ` +
        'file tools work on this machine, within the workspace.',
    );
    const before = performance.now();
    const stopped = await run(place, 'daemon', 'stop', '--force');
    expect(performance.now() - before).toBeLessThan(20_000);
    expect({ code: stopped.code, said: JSON.parse(stopped.stdout) as object }).toEqual({
      code: 0,
      said: { stopping: true, running: 1 },
    });
    expect(isAlive(pointer)).toBe(false);
    await until(() => !isThere(command), 'the end of its session');
    // L-1: as after any end of a daemon that it did not see coming.
    expect(await run(place, 'ps', '--all', '--human')).toMatchObject({
      stdout: expect.stringContaining('lost') as string,
    });
  });

  it('keeps config set waiting once, and the answer says that the posture is unknown', async () => {
    const { place, pointer } = await stoppedDaemon();
    const before = performance.now();
    const { code, stdout } = await run(place, 'config', 'set', 'tools.exec.host', 'gateway');
    expect(performance.now() - before).toBeLessThan(1.9 * SILENCE_MS);
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
      code: 0,
      changed: true,
      posture: { kind: 'unknown', commands: expect.stringContaining(`(pid ${pointer.pid})`) as string },
    });
    await run(place, 'daemon', 'stop', '--force');
  });

  it('B15: fails a command that waits for an answer when the daemon is stopped', async () => {
    const place = daemonPlace();
    const waiting = run(place, 'exec', '-c', 'touch "$HOME/began"; sleep 300');
    await until(() => existsSync(join(place.env['HOME']!, 'began')), 'the start of the command');
    const pointer = readPointer(place.stateDir)!;
    process.kill(pointer.pid, 'SIGSTOP');
    expect(await waiting).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`the daemon did not answer within 10 s (pid ${pointer.pid})`) as string,
    });
    expect(await run(place, 'daemon', 'stop', '--force')).toMatchObject({ code: 0 });
    expect(isAlive(pointer)).toBe(false);
  });

  it('B15: a long wait goes on while the daemon sends heartbeats', async () => {
    const place = daemonPlace();
    const { stdout } = await run(place, 'exec', '--background', '--', 'sleep', '300');
    const client = await connectGateway({ stateDir: place.stateDir, program, start: false, silenceMs: 3_000 });
    const caller = { agent: 'main', operator: true } as const;
    const waited = client.call('session.wait', { caller, sessionId: stdout.trim(), waitMs: 4_000 });
    expect(await waited).toMatchObject({ status: 'running' });
    client.close();
  });

  it('B15: signals no process that is not proven to be the daemon', async () => {
    const place = daemonPlace();
    await run(place, 'exec', '--background', '--', 'sleep', '300');
    const pointer = readPointer(place.stateDir)!;
    process.kill(pointer.pid, 'SIGKILL');
    await until(() => !isAlive(pointer), 'the end of the daemon');
    // What names this very process now: it lives, with the right start time, and is no daemon.
    writePointer(place.stateDir, { ...thisProcess(), socket: pointer.socket });
    expect(await run(place, 'daemon', 'stop', '--force', '--human')).toMatchObject({
      code: 3,
      stderr:
        `GATEWAY_UNPROVEN: pid ${process.pid} was not signalled: it does not own the lock of the state folder\n` +
        `hint: check it with ps -fp ${process.pid}; if it is a daemon of pincer, kill it manually\n`,
    });
    writePointer(place.stateDir, pointer);
  });
});
