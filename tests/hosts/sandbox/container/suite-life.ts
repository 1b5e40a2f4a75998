/** How a container is made, ends and is cleared away. */
import { chmodSync, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LABELS } from '../../../../src/hosts/sandbox/container/gateway-label.ts';
import { promisesOf } from '../../../../src/hosts/sandbox/probe/promises.ts';
import { listContainers, removeContainer, sweep } from '../../../../src/hosts/sandbox/container/sweep.ts';
import { openBox } from '../../../contracts/sandbox-escape/box.ts';
import { gatewayProcess } from '../../../contracts/sandbox-escape/gateway.ts';
import { engineBackend } from '../../../support/engines/backend.ts';
import { IMAGE } from '../../../support/engines/engine.ts';
import { busyboxImage, importImage } from '../../../support/engines/image.ts';
import { builtScript } from '../../../support/built.ts';
import { makeFolder } from '../../../support/folder.ts';
import { MIB, type Stage } from './stage.ts';

export function lifeSuite(stage: Stage): void {
  it('reports which image is missing and how to get it', async () => {
    const fault = await stage.faultOf({ image: 'not-there:1' });
    expect(fault).toMatchObject({
      code: 'SANDBOX_IMAGE_MISSING',
      message: `${stage.name} does not have the image not-there:1`,
      hint: expect.stringContaining(`run "${stage.name} pull not-there:1"`),
    });
  });

  it('runs the setup command once, before anything else', async () => {
    const box = await stage.open({ setupCommand: 'echo "once by $(id -u)" >> /workspace/setup.txt; echo noise' });
    expect((await box.sh('cat setup.txt; echo "$PINCER_SETUP"')).out).toBe('once by 0\n\n');
  });

  it('reports the output of a failed setup command, and cleans up', async () => {
    const fault = await stage.faultOf({ setupCommand: 'echo installing; echo broken >&2; exit 7' });
    expect({ code: fault.code, message: fault.message, details: fault.details }).toEqual({
      code: 'SANDBOX_SETUP_FAILED',
      message: 'the setup command exited with code 7',
      details: { output: 'installing\nbroken' },
    });
    await expect.poll(() => listContainers(stage.engine)).toHaveLength(1);
  });

  it('reports why an agent does not start', async () => {
    const own = engineBackend(stage.running, {
      agent: () => ({ binds: [], command: ['/bin/sh', '-c', 'echo oh no >&2; exit 9'] }),
    });
    onTestFinished(() => own.clean());
    await expect(openBox(own.backend, { workspace: makeFolder() })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: 'the agent did not start in the container: the container exited with code 9 (oh no)',
    });
  });

  it('refuses a runtime that the engine does not have, instead of another one', async () => {
    expect(await stage.faultOf({ runtime: 'nowhere' })).toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('nowhere'),
    });
  });

  it('is recreated for another specification, and the earlier one is removed', async () => {
    const id = `anew-${process.pid}`;
    const workspace = makeFolder();
    const base = { id, workspace, workspaceAccess: 'rw' as const, egress: false, binds: [], env: {} };
    const first = await stage.made.backend.open({ ...base, limits: { tmpBytes: 16 * MIB } });
    const labels = async () => (await listContainers(stage.engine)).filter(({ sandbox }) => sandbox === id);
    const [before] = await labels();
    const second = await stage.made.backend.open({ ...base, limits: { tmpBytes: 32 * MIB } });
    onTestFinished(() => second.end());
    const after = await labels();
    expect(after).toHaveLength(1);
    expect(after[0]?.specification).not.toBe(before?.specification);
    expect(await first.ended).toBe('pincer ended it');
  });

  it('sweeps what a dead gateway left, and nothing of a living one', async () => {
    const [own] = await listContainers(stage.engine);
    const [boot, view] = own?.gateway.split(' ') ?? [];
    const leave = async (sandbox: string, gateway: string) => {
      const body = {
        Image: IMAGE,
        Cmd: ['sleep', '600'],
        Labels: { [LABELS.sandbox]: sandbox, [LABELS.gateway]: gateway },
      };
      const ulimits = ['nofile', 'nproc'].map((Name) => ({ Name, Soft: 1024, Hard: 1024 }));
      const host = { NetworkMode: 'none', Ulimits: ulimits };
      const { Id } = (await stage.engine.ask('POST', '/containers/create', {
        body: { ...body, HostConfig: host },
      })) as {
        Id: string;
      };
      await stage.engine.ask('POST', `/containers/${Id}/start`);
      onTestFinished(() => removeContainer(stage.engine, Id));
    };
    await leave('left-by-dead', `${boot} ${view} ${process.pid} 1`);
    await leave('of-another-view', `${boot} pid:[1] ${process.pid} 1`);
    await leave('of-another-boot', `0 ${view} ${process.pid} 1`);
    expect(await sweep(stage.engine)).toEqual(['left-by-dead']);
    const left = (await listContainers(stage.engine)).map(({ sandbox }) => sandbox);
    expect(left).toEqual(expect.arrayContaining(['of-another-view', 'of-another-boot']));
    expect(left).not.toContain('left-by-dead');
  });

  it('ends with the container when a command ends the agent', async () => {
    const box = await stage.open();
    const ran = box.sh('kill -9 $(pidof ld-linux-x86-64.so.2 node) 2>/dev/null || kill -9 -1');
    expect(await box.opened.ended).toMatch(/^the container (?:was killed|ended)/u);
    expect((await ran).code).toBe('lost');
  });

  it('ends by itself when its input does', async () => {
    const box = await stage.open();
    box.opened.channel.end();
    expect(await box.opened.ended).toBe('the container exited with code 0');
    await expect.poll(() => listContainers(stage.engine)).toHaveLength(1);
  });

  it('kills every process, including those that left their session', async () => {
    const box = await stage.open();
    await box.sh('setsid sleep 1000 >/dev/null 2>&1 &');
    await box.end();
    expect(await box.opened.ended).toBe('pincer ended it');
    expect(existsSync(`/proc/${box.opened.pid}`)).toBe(false);
  });

  it('mounts a tmpfs on the volumes of an image', async () => {
    await importImage(stage.running.socket, 'localhost/with-volume:1', busyboxImage(), [
      'VOLUME /data',
      'ENV NODE_OPTIONS=--bad',
    ]);
    const box = await stage.open({ image: 'localhost/with-volume:1' });
    expect((await box.sh("touch /data/x; df -k /data | awk 'NR>1 {print $1, $2}'")).out).toBe('tmpfs 16384\n');
  });

  it('runs as the user of a gateway that is not root', async () => {
    chmodSync(dirname(stage.running.socket), 0o711);
    chmodSync(stage.running.socket, 0o666);
    const { name: backend, socket } = stage.running;
    const gateway = await gatewayProcess(
      { backend, socket, image: IMAGE, runner: builtScript('runner') },
      { command: 'id -u; cat a.txt; touch b.txt && ls -n b.txt | cut -d" " -f1-12', uid: 4567 },
    );
    onTestFinished(() => gateway.end());
    expect(gateway.said).toMatchObject({ code: 0, out: expect.stringMatching(/^4567\na-rw-\S+ +1 4567 +4567 /u) });
  });

  it('opens many at the same time', async () => {
    const boxes = await Promise.all(Array.from({ length: 8 }, () => stage.open()));
    const said = await Promise.all(boxes.map((box, i) => box.sh(`echo ${i}`)));
    expect(said.map(({ out }) => out.trim()).join('')).toBe('01234567');
  });

  it('is probed by running it once', async () => {
    expect(await stage.made.backend.probe()).toEqual({
      ok: true,
      version: expect.stringMatching(`^${stage.name} \\d`),
      promises: promisesOf(),
    });
    const own = engineBackend(stage.running, { image: 'not-there:1' });
    onTestFinished(() => own.clean());
    expect(await own.backend.probe()).toMatchObject({ ok: false, message: expect.stringContaining('not-there:1') });
  });
}
