/** What a container sees of this machine. */
import { spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openBox } from '../../../contracts/sandbox-escape/box.ts';
import { engineBackend } from '../../../support/engines/backend.ts';
import { makeFolder } from '../../../support/folder.ts';
import type { Stage } from './stage.ts';

export function workspaceSuite(stage: Stage): void {
  it('shows a workspace read-only, or none of it', async () => {
    const workspace = readable();
    const ro = await stage.open({ workspace, workspaceAccess: 'ro' });
    expect((await ro.sh('cat a.txt; touch b 2>&1')).out).toBe('atouch: b: Read-only file system\n');
    const none = await stage.open({ workspaceAccess: 'none' });
    expect((await none.sh('touch own; ls')).out).toBe('own\n');
  });

  it('writes as the owner of the workspace', async () => {
    const workspace = makeFolder();
    chownSync(workspace, 4321, 4322);
    const box = await stage.open({ workspace });
    expect(
      (await box.sh('id -u; id -g; touch mine; touch ~/x /tmp/x /tmp/home/x /var/tmp/x /run/pincer/x && echo ok')).out,
    ).toBe('4321\n4322\nok\n');
    const { uid, gid } = statSync(join(workspace, 'mine'));
    expect({ uid, gid }).toEqual({ uid: 4321, gid: 4322 });
    await box.tool('write', { path: 'by-tool', content: 'x' });
    expect(statSync(join(workspace, 'by-tool')).uid).toBe(4321);
  });

  it('is nobody in a read-only workspace of root, and uid 0 without capabilities in a writable one', async () => {
    const ro = await stage.open({ workspace: readable(), workspaceAccess: 'ro' });
    expect((await ro.sh('id -u')).out).toBe('65534\n');
    expect((await stage.shared.sh('id -u; touch root-made')).out).toBe('0\n');
    expect(statSync(join(stage.shared.workspace, 'root-made')).uid).toBe(0);
  });

  it('prevents changes and moves of obeyed files', async () => {
    const box = await stage.open({
      workspace: makeFolder({ '.git/config': '[core]\n', '.git/hooks/x': '', '.envrc': 'a' }),
    });
    const { out } = await box.sh(
      'echo x > .git/hooks/pre-commit; echo x >> .git/config; mv .git g; rm -rf .git; echo x > .envrc; mv .envrc e; ls -a',
    );
    expect(out).toContain('.envrc\n.git\n');
    expect(readFileSync(join(box.workspace, '.git/config'), 'utf8')).toBe('[core]\n');
    expect(readFileSync(join(box.workspace, '.envrc'), 'utf8')).toBe('a');
    expect(existsSync(join(box.workspace, '.git/hooks/pre-commit'))).toBe(false);
  });

  it('hides the folders of Pincer in a workspace', async () => {
    const workspace = makeFolder({ 'state/secret.txt': 'secret', 'a.txt': 'a' });
    const own = engineBackend(stage.running, { hidden: [join(workspace, 'state')] });
    onTestFinished(() => own.clean());
    const box = await openBox(own.backend, { workspace });
    onTestFinished(() => box.end());
    const { out } = await box.sh('cat a.txt; ls -a state; touch state/x 2>&1; mv state s 2>&1');
    expect(out).not.toContain('secret');
    expect(out).toContain('Read-only file system');
    expect(readFileSync(join(workspace, 'state/secret.txt'), 'utf8')).toBe('secret');
  });

  it.each(['ro', 'rw'] as const)('refuses a workspace with files of pincer (%s)', async (access) => {
    const workspace = makeFolder({ 'state/sandboxes/a.txt': '' });
    const own = engineBackend(stage.running, { hidden: [join(workspace, 'state')] });
    onTestFinished(() => own.clean());
    for (const name of ['state', 'state/sandboxes'])
      await expect(
        openBox(own.backend, { workspace: join(workspace, name), workspaceAccess: access }),
      ).rejects.toMatchObject({ code: 'SANDBOX_WORKSPACE_REFUSED' });
  });

  it('sees the binds of the operator, and writes only to those with access rw', async () => {
    const data = makeFolder({ 'd.txt': 'd' });
    const out = makeFolder();
    const box = await stage.open({
      binds: [
        { source: data, target: '/data', access: 'ro' },
        { source: out, target: '/out', access: 'rw' },
      ],
    });
    expect((await box.sh('cat /data/d.txt; touch /data/x 2>&1; touch /out/y')).out).toBe(
      'dtouch: /data/x: Read-only file system\n',
    );
    expect(existsSync(join(out, 'y'))).toBe(true);
  });

  it('does not let what is mounted below something read-only be written', async () => {
    const data = makeFolder({ 'd.txt': 'd', 'sub/e.txt': 'e' });
    const mount = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', join(data, 'sub')]);
    expect(mount.status).toBe(0);
    onTestFinished(() => void spawnSync('umount', [join(data, 'sub')]));
    writeFileSync(join(data, 'sub/mounted.txt'), 'm', { mode: 0o666 });
    const box = await stage.open({ binds: [{ source: data, target: '/data', access: 'ro' }] });
    await box.sh('echo x > /data/sub/mounted.txt; echo x > /data/sub/new.txt');
    expect(readdirSync(join(data, 'sub')).map((name) => readFileSync(join(data, 'sub', name), 'utf8'))).toEqual(['m']);
  });

  it('refuses binds to protected paths, also through a symlink', async () => {
    const folder = makeFolder();
    symlinkSync('/etc', join(folder, 'link'));
    const bind = (source: string) => ({ binds: [{ source, target: '/data', access: 'ro' as const }] });
    const sources = [
      '/',
      '/etc',
      join(folder, 'link'),
      stage.running.socket,
      join(stage.running.socket, '..'),
      '/nowhere',
    ];
    const faults = await Promise.all(sources.map((source) => stage.faultOf(bind(source))));
    expect(faults.map(({ code }) => code)).toEqual(sources.map(() => 'SANDBOX_BIND_REFUSED'));
  });
}

/** A folder that everybody may enter. */
function readable(): string {
  const folder = makeFolder();
  const inner = join(folder, 'open');
  mkdirSync(inner);
  writeFileSync(join(inner, 'a.txt'), 'a');
  return inner;
}
