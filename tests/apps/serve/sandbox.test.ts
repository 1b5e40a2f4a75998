import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectGateway } from '../../../src/apps/client/connect.ts';
import { readPointer } from '../../../src/apps/daemon/pointer.ts';
import { pdfOf } from '../../hosts/media/pdf-bytes.ts';
import { whyNoBubblewrap } from '../../support/sandbox.ts';
import { openPage, secretsOf } from './page/page-client.ts';
import { makeHome, runPincer, startServer } from './serving.ts';

const missing = await whyNoBubblewrap();

async function serving(sandbox: object) {
  const home = makeHome({ sandbox });
  onTestFinished(() => home.remove());
  const server = await startServer(home);
  onTestFinished(async () => void (await server.end()));
  return { home, server };
}

describe.skipIf(missing !== undefined)('serving an agent in a sandbox', () => {
  it('runs its commands and file tools there, by all of their names', async () => {
    const { home, server } = await serving({ mode: 'all' });
    expect(await server.call('exec', { command: 'pwd; ls *.txt' })).toMatchObject({
      status: 200,
      body: { content: [{ text: '/workspace\na.txt' }], details: { sandbox: true, cwd: '/workspace' } },
    });
    expect(await server.call('sandboxed_read', { path: 'a.txt' })).toMatchObject({
      status: 200,
      body: { content: [{ text: 'one\ntwo\n' }], details: { path: 'a.txt', sandbox: true } },
    });
    writeFileSync(join(home.workspace, 'a.pdf'), pdfOf(['first page', 'second page']));
    expect((await server.call('read', { path: 'a.pdf' })).body.content?.[0]?.text).toMatch(
      /first page[^]*second page/u,
    );
    await server.call('sandboxed_edit', { path: 'a.txt', oldText: 'one', newText: '1' });
    expect(readFileSync(join(home.workspace, 'a.txt'), 'utf8')).toBe('1\ntwo\n');
    const { stdout } = await runPincer(home, ['sandbox', 'list']);
    expect(JSON.parse(stdout)).toMatchObject([{ backend: 'bubblewrap', workspace: home.workspace, running: 0 }]);
  });

  it('creates no sandbox for what a viewer of the control page reads', async () => {
    const { home, server } = await serving({ mode: 'all' });
    const { stdout } = await runPincer(home, ['page', '--json', '--role', 'viewer']);
    const viewer = await openPage(server, await secretsOf(await fetch((JSON.parse(stdout) as { url: string }).url)));
    const read = () => viewer.call('tool.call', { tool: 'read', args: { path: 'a.txt' } });
    expect(await read()).toMatchObject({ isError: true, details: { code: 'SANDBOX_NOT_RUNNING' } });
    await expect(viewer.call('files.tree', { under: '' })).rejects.toMatchObject({ code: 'FS_NOT_FOLDER' });
    expect(JSON.parse((await runPincer(home, ['sandbox', 'list'])).stdout)).toEqual([]);
    await server.call('read', { path: 'a.txt' });
    expect(await read()).toMatchObject({ content: [{ text: 'one\ntwo\n' }] });
    viewer.close();
  });

  it('keeps a daemon whose sandbox has changes that can be undone, also for a newer build', async () => {
    const home = makeHome({ sandbox: { mode: 'all' } });
    onTestFinished(() => home.remove());
    expect(await runPincer(home, ['edit', 'a.txt', '--old', 'one', '--new', '1'])).toMatchObject({ code: 0 });
    const daemon = readPointer(home.stateDir)!.pid;
    const program = join(home.folder, 'newer.cjs'); // a build is as old as its file
    writeFileSync(program, '');
    const client = await connectGateway({ stateDir: home.stateDir, program, start: false });
    expect(client.daemon).toMatchObject({ pid: daemon, answer: 'served' });
    client.close();
    const server = await startServer(home);
    onTestFinished(async () => void (await server.end()));
    expect(server.said).toMatchObject({ gatewayPid: daemon });
    expect(await runPincer(home, ['undo'])).toMatchObject({ code: 0 });
    expect(readFileSync(join(home.workspace, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  it('reports why the requested sandbox is missing, and runs nothing', async () => {
    const { home, server } = await serving({
      mode: 'all',
      backend: 'docker',
      docker: { socket: '/nowhere/docker.sock' },
    });
    for (const [tool, args] of [
      ['exec', { command: 'touch ran' }],
      ['write', { path: 'ran', content: '' }],
    ] as const)
      expect(await server.call(tool, args)).toMatchObject({
        body: { isError: true, details: { code: 'SANDBOX_UNAVAILABLE', hint: expect.stringContaining('apt install') } },
      });
    expect(() => readFileSync(join(home.workspace, 'ran'))).toThrow('ENOENT');
  });

  it('heeds a setting that changes while it serves', async () => {
    const { home, server } = await serving({ mode: 'all' });
    const read = async () => (await server.call('sandboxed_read', { path: 'a.txt' })).body.details?.['sandbox'];
    expect(await read()).toBe(true);
    writeFileSync(join(home.folder, 'config', 'pincer', 'pincer.jsonc'), '{}');
    await expect.poll(read).toBe(false);
    expect((await server.call('exec', { command: 'pwd' })).body.details).toMatchObject({
      cwd: home.workspace,
      sandbox: false,
    });
  });
});
