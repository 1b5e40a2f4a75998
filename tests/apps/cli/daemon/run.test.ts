import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPointer } from '../../../../src/apps/daemon/pointer.ts';
import { isAlive } from '../../../../src/hosts/files/locks/owner.ts';
import { builtScript } from '../../../support/built.ts';
import { daemonPlace, type Place, runProgram } from '../../../support/daemon.ts';

const program = builtScript('small-pincer');

const run = (place: Place, ...args: string[]) => runProgram(program, place, args);

describe('pincer daemon', () => {
  it('says that none runs, and starts none for that', async () => {
    const place = daemonPlace();
    expect(await run(place, 'daemon', 'status', '--human')).toMatchObject({
      code: 1,
      stdout: 'no daemon is running\n',
    });
    expect(JSON.parse((await run(place, 'daemon', 'status')).stdout)).toEqual({
      running: false,
      stateDir: place.stateDir,
    });
    expect(await run(place, 'daemon', 'stop', '--human')).toMatchObject({ code: 0, stdout: 'no daemon is running\n' });
    expect(readPointer(place.stateDir)).toBeUndefined();
  });

  it('says what it is and holds', async () => {
    const place = daemonPlace();
    await run(place, 'exec', '--background', '--', 'sleep', '300');
    const { code, stdout } = await run(place, 'daemon', 'status');
    const pointer = readPointer(place.stateDir)!;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      running: true,
      pid: pointer.pid,
      stateDir: place.stateDir,
      socket: pointer.socket,
      sessions: { running: 1, finished: 0 },
      pendingApprovals: 0,
      log: join(place.stateDir, 'daemon', 'daemon.log'),
    });
  });

  it('stops when nothing runs, and with --force always; it has ended when the command has', async () => {
    const place = daemonPlace();
    await run(place, 'exec', '--background', '--', 'sleep', '300');
    const pointer = readPointer(place.stateDir)!;
    expect(await run(place, 'daemon', 'stop', '--human')).toMatchObject({
      code: 1,
      stdout: '1 running; pincer daemon stop --force ends them\n',
    });
    expect(JSON.parse((await run(place, 'daemon', 'stop')).stdout)).toEqual({
      stopping: false,
      running: 1,
      hint: 'pincer daemon stop --force ends them',
    });
    expect(isAlive(pointer)).toBe(true);
    expect(await run(place, 'daemon', 'stop', '--force', '--human')).toMatchObject({
      code: 0,
      stdout: 'the daemon has stopped\n',
    });
    expect([isAlive(pointer), readPointer(place.stateDir)]).toEqual([false, undefined]);
    expect(readdirSync(join(place.stateDir, 'tickets'))).toEqual([]);
    expect((await run(place, 'exec', '--', 'echo', 'again')).stdout).toBe('again\n');
  });

  it('run is refused while another runs', async () => {
    const place = daemonPlace();
    await run(place, 'exec', '--', 'true');
    expect(await run(place, 'daemon', 'run')).toMatchObject({ code: 75, stdout: '' });
  });

  it.each([[['daemon']], [['daemon', 'dance']], [['daemon', 'status', 'x']]])('%j is a usage error', async (args) => {
    expect((await run(daemonPlace(), ...args)).code).toBe(2);
  });
});
