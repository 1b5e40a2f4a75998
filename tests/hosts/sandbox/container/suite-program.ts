/** The built program with sandboxes of this engine: every tool, and what an operator is told. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { promisesOf, withGuardLimits } from '../../../../src/hosts/sandbox/probe/promises.ts';
import { listContainers } from '../../../../src/hosts/sandbox/container/sweep.ts';
import type { SandboxExplanation, SandboxInfo } from '../../../../src/wire/sandbox.ts';
import { busyboxImage, importImage } from '../../../support/engines/image.ts';
import { operatorWith, type Operator } from '../../../support/engines/operator.ts';
import type { Stage } from './stage.ts';

const SETTINGS = {
  docker: { setupCommand: 'echo made >> setup.txt' },
  network: { allow: ['api.example.com'] },
};

export function programSuite(stage: Stage): void {
  describe('behind the program', () => {
    let operator: Operator;
    const sandboxes = async (): Promise<readonly string[]> =>
      (await listContainers(stage.engine)).map(({ sandbox }) => sandbox).filter((name) => name.startsWith('main-'));
    const file = (name: string): string => readFileSync(join(operator.workspace, name), 'utf8');

    beforeAll(() => {
      operator = operatorWith(stage.running);
      operator.configure(SETTINGS);
    });
    afterAll(() => operator.leave(), 60_000);

    it('runs commands where nothing of this machine is seen', async () => {
      const { details } = await operator.call('exec', {
        command: 'id -u; ls /; cat /etc/shadow; env; pwd',
        host: 'sandbox',
      });
      expect(details).toMatchObject({ status: 'completed', exitCode: 0, cwd: '/workspace', sandbox: true });
      const out = String(details['aggregated']);
      expect(out).toMatch(/^0\nbin\ndev\netc\nopt\nproc\nroot\nrun\n(?:sbin\n)?sys\ntmp\nusr\nvar\nworkspace\n/u);
      expect(out).toContain("can't open '/etc/shadow'");
      expect(out).not.toContain('HOST-SECRET');
    });

    it('runs the setup command once for many commands', async () => {
      await operator.call('exec', { command: 'true' });
      expect(file('setup.txt')).toBe('made\n');
    });

    it('puts folders in front of PATH as they are written', async () => {
      const { details } = await operator.call('exec', { command: 'echo "$PATH"', env: { PATH: '/workspace/$(id)' } });
      expect(details['aggregated']).toMatch(/^\/workspace\/\$\(id\):\/\S+\n$/u);
    });

    it('runs a command in the background, which is polled, written to and ended', async () => {
      const { details } = await operator.call('exec', {
        command: 'read line; echo "got $line"; sleep 1000',
        background: true,
        pty: true,
      });
      expect(details).toMatchObject({ status: 'running', sandbox: true });
      const sessionId = String(details['sessionId']);
      await operator.call('process', { action: 'write', sessionId, data: 'this\n' });
      await expect
        .poll(async () => (await operator.call('process', { action: 'log', sessionId })).content[0]?.text)
        .toContain('got this');
      await operator.call('process', { action: 'kill', sessionId });
      await expect
        .poll(async () => (await operator.call('process', { action: 'poll', sessionId })).details['status'])
        .not.toBe('running');
      const { details: after } = await operator.call('exec', { command: 'pidof sleep || echo none' });
      expect(after['aggregated']).toBe('none\n');
    });

    it('starts a command in a terminal', async () => {
      const { details } = await operator.call('exec', { command: 'tty; [ -t 0 ] && echo yes', pty: true });
      expect(details).toMatchObject({
        exitCode: 0,
        aggregated: expect.stringMatching(/^\/dev\/pts\/\d+\r?\nyes\r?\n$/u),
      });
    });

    it('runs the file tools inside, by all of their names', async () => {
      await operator.call('sandboxed_write', { path: 'src/main.js', content: 'one\ntwo\n' });
      await operator.call('sandboxed_edit', { path: 'src/main.js', oldText: 'two', newText: 'three' });
      const patch =
        '*** Begin Patch\n*** Update File: src/main.js\n@@\n-one\n+zero\n three\n*** Add File: src/b.js\n+b\n*** End Patch';
      expect((await operator.call('apply_patch', { input: patch })).details).toMatchObject({ sandbox: true });
      expect(await operator.call('sandboxed_read', { path: 'src/main.js' })).toMatchObject({
        content: [{ type: 'text', text: 'zero\nthree\n' }],
        details: { path: 'src/main.js', kind: 'text', sandbox: true },
      });
      expect([file('src/main.js'), file('src/b.js')]).toEqual(['zero\nthree\n', 'b\n']);
    });

    it('lets nothing out but what is allowed, and keeps what was refused in the audit log', async () => {
      const ask = (to: string) => `printf 'CONNECT ${to} HTTP/1.1\\r\\n\\r\\n' | nc 127.0.0.1 3128 | head -1`;
      const { details } = await operator.call('exec', { command: `${ask('evil.test:443')}; ${ask('localhost:80')}` });
      expect(details['aggregated']).toMatch(/^HTTP\/1\.1 403.*\r?\nHTTP\/1\.1 403.*\r?\n$/u);
      const { stdout } = await operator.run(['events', '--audit', '--json']);
      expect(stdout).toContain('evil.test:443');
      expect(stdout).toContain('localhost:80');
    });

    it('explains what the engine promises, and lists what runs', async () => {
      const explained = await operator.run(['sandbox', 'explain', '--json']);
      const { backend, sandboxed, probe } = JSON.parse(explained.stdout) as SandboxExplanation;
      expect({ code: explained.code, backend, sandboxed, probe }).toEqual({
        code: 0,
        backend: stage.name,
        sandboxed: true,
        probe: {
          ok: true,
          version: expect.stringMatching(`^${stage.name} \\d`),
          promises: withGuardLimits(promisesOf()),
        },
      });
      const { stdout } = await operator.run(['sandbox', 'list', '--json']);
      const [only, ...others] = JSON.parse(stdout) as SandboxInfo[];
      expect(only).toMatchObject({ backend: stage.name, owner: 'main', workspace: operator.workspace });
      expect(others).toEqual([]);
      expect(await sandboxes()).toEqual([only?.id]);
    });

    it('opens a shell', async () => {
      const { code, stdout } = await operator.run(['sandbox', 'shell'], 'pwd; exit 3\n');
      expect({ code, stdout }).toEqual({ code: 3, stdout: '/workspace\n' });
    });

    it('is recreated on request, and when its settings change', async () => {
      const [before] = await sandboxes();
      await operator.run(['sandbox', 'recreate', '--all']);
      expect(await sandboxes()).toEqual([]);
      await operator.call('exec', { command: 'true' });
      const [second] = await sandboxes();
      operator.configure({ limits: { pids: 99 }, workspaceAccess: 'ro' });
      const { details } = await operator.call('exec', { command: 'touch x 2>&1; cat src/b.js' });
      expect(details['aggregated']).toBe('touch: x: Read-only file system\nb\n');
      const [third] = await sandboxes();
      expect(new Set([before, second, third]).size).toBe(3);
    });

    it('has the PATH of the image, whatever its profile does with it', async () => {
      const profile = { name: 'etc/profile', kind: 'file', bytes: Buffer.from('PATH=/usr/bin:/bin\n') } as const;
      const image = 'localhost/with-path:1';
      await importImage(stage.running.socket, image, busyboxImage([profile]), ['ENV PATH=/opt/tool/bin:/usr/bin:/bin']);
      operator.configure({ docker: { image } });
      const path = async (more: object) =>
        (await operator.call('exec', { command: 'echo "$PATH"', ...more })).details['aggregated'];
      expect(await path({})).toBe('/opt/tool/bin:/usr/bin:/bin:/usr/bin:/bin\n');
      expect(await path({ pty: true })).toMatch(/^\/opt\/tool\/bin:/u);
      expect(await path({ env: { PATH: '/workspace/bin' } })).toMatch(/^\/workspace\/bin:\/opt\/tool\/bin:/u);
    });

    it('reports which image is missing, and runs nothing', async () => {
      operator.configure({ docker: { image: 'not-there:1' } });
      const { code, stderr } = await operator.run(['exec', '-c', 'touch ran']);
      expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('not-there:1') });
      expect(stderr).toContain(`${stage.name} pull not-there:1`);
    });

    it('keeps a private workspace between sandboxes', async () => {
      operator.configure({ workspaceAccess: 'none' });
      await operator.call('exec', { command: 'echo mine > own' });
      await operator.run(['sandbox', 'recreate', '--all']);
      expect((await operator.call('exec', { command: 'ls -A; cat own' })).details['aggregated']).toMatch(
        /^(?:\.git\n)?own\nmine\n$/u,
      );
    });

    it('leaves no container when the daemon stops', async () => {
      expect(await sandboxes()).toHaveLength(1);
      expect(await operator.run(['daemon', 'stop', '--force'])).toMatchObject({ code: 0 });
      await expect.poll(sandboxes).toEqual([]);
    });
  });
}
