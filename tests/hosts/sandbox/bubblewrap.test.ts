import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createBubblewrap } from '../../../src/hosts/sandbox/bubblewrap.ts';
import { homesOfUid } from '../../../src/hosts/sandbox/bubblewrap/mount-sources.ts';
import { bubblewrapContender, type Contender } from '../../contracts/sandbox-escape/contender.ts';
import { openBox, type BoxOptions } from '../../contracts/sandbox-escape/box.ts';
import { makeFolder } from '../../support/folder.ts';

const isRoot = process.geteuid?.() === 0;
let contender: Contender;

beforeAll(async () => {
  contender = await bubblewrapContender();
}, 60_000);

afterAll(() => contender.close());

async function box(options: BoxOptions) {
  const opened = await openBox(contender.backend, options);
  onTestFinished(() => opened.end());
  return opened;
}

describe('a bubblewrap sandbox', () => {
  it('reports its promises, and that it works on this machine', async () => {
    const probe = await contender.backend.probe();
    expect(probe).toMatchObject({ ok: true, version: expect.stringMatching(/^\d+\.\d+/u) as string });
  });

  it.skipIf(!isRoot)('changes from root to nobody in a private workspace that only root can reach', async () => {
    const closed = makeFolder({ 'private/file': '' });
    chmodSync(closed, 0o700);
    const { sh } = await box({ workspace: join(closed, 'private'), workspaceAccess: 'none' });
    expect((await sh('id -u; id -G; echo mine > own && ls')).out).toBe('65534\n65534\nfile\nown\n');
    expect(statSync(join(closed, 'private/own')).uid).toBe(65534);
  });

  it.skipIf(!isRoot)('runs as the owner of the workspace', async () => {
    const workspace = makeFolder();
    chownSync(workspace, 4321, 4322);
    const { sh } = await box({ workspace });
    expect((await sh('id -u; id -G; touch made')).out).toBe('4321\n4322\n');
    expect(statSync(join(workspace, 'made')).uid).toBe(4321);
  });

  it.skipIf(!isRoot)('maps root to another uid in a workspace of root', async () => {
    const workspace = makeFolder({ 'kept/file': 'text' });
    const { sh } = await box({ workspace });
    // Whoever believes to be root restores owners, which nobody may do without rights.
    const unpack = 'tar -cf - --owner=4321 kept | (mkdir new && cd new && tar -xf -) && cat new/kept/file';
    expect((await sh(`id -u; ${unpack}`)).out).toBe('1000\ntext');
    expect(statSync(join(workspace, 'new/kept/file')).uid).toBe(0);
  });

  it('sees the binds of the operator, and writes only to those with access rw', async () => {
    const [read, write] = [makeFolder({ file: 'read' }), makeFolder()];
    chmodSync(write, 0o777);
    chmodSync(read, 0o755);
    const { sh } = await box({
      binds: [
        { source: read, target: '/data/read', access: 'ro' },
        { source: write, target: '/data/write', access: 'rw' },
      ],
    });
    const { out } = await sh(
      'cat /data/read/file; touch /data/read/x || echo closed; touch /data/write/x && echo open',
    );
    expect(out).toMatch(/^read.*closed\nopen\n$/su);
    expect(readdirSync(write)).toEqual(['x']);
  });

  it.each([
    ['/etc', 'SANDBOX_WORKSPACE_REFUSED'],
    ['/', 'SANDBOX_WORKSPACE_REFUSED'],
    ['/usr/local', 'SANDBOX_WORKSPACE_REFUSED'],
    ['/var', 'SANDBOX_WORKSPACE_REFUSED'],
    ['/run', 'SANDBOX_WORKSPACE_REFUSED'],
    ['/home', 'SANDBOX_WORKSPACE_REFUSED'],
    [userInfo().homedir, 'SANDBOX_WORKSPACE_REFUSED'],
    ['/nowhere', 'SANDBOX_WORKSPACE_REFUSED'],
  ])('refuses %s as a workspace that can be written', async (workspace, code) => {
    await expect(openBox(contender.backend, { workspace })).rejects.toMatchObject({ code });
  });

  it.each(['/', '/etc', '/proc', '/sys', '/dev', userInfo().homedir])(
    'refuses %s as a workspace that can be read',
    async (workspace) => {
      await expect(openBox(contender.backend, { workspace, workspaceAccess: 'ro' })).rejects.toMatchObject({
        code: 'SANDBOX_WORKSPACE_REFUSED',
      });
    },
  );

  it.each(['ro', 'rw'] as const)(
    'refuses files of Pincer itself as a workspace with access %s',
    async (workspaceAccess) => {
      const state = makeFolder({ 'state/sandboxes/x': '' });
      const backend = createBubblewrap({
        provisions: () => ({ binds: [], command: ['/bin/true'] }),
        hidden: [join(state, 'state')],
        scratch: state,
      });
      for (const workspace of [join(state, 'state'), join(state, 'state/sandboxes')])
        await expect(openBox(backend, { workspace, workspaceAccess })).rejects.toMatchObject({
          code: 'SANDBOX_WORKSPACE_REFUSED',
          message: `${workspace} contains files of pincer`,
        });
    },
  );

  it('refuses the home of the user that started the gateway, even if it is not in /etc/passwd', async () => {
    const home = makeFolder({ 'project/file': '' });
    const backend = createBubblewrap({
      provisions: () => ({ binds: [], command: ['/bin/true'] }),
      hidden: [],
      home,
      scratch: home,
    });
    await expect(openBox(backend, { workspace: home })).rejects.toMatchObject({
      code: 'SANDBOX_WORKSPACE_REFUSED',
      message: `${home} is the home folder of a user`,
    });
  });

  it('knows the homes of the owner whose rights it would have', () => {
    const users = ['root:x:0:0::/root:/bin/sh', 'a:x:1:1::/data/a:/bin/sh', 'b:x:1:1::/b:', 'c:x:11:1::/:', 'd:x:2'];
    expect([0, 1, 11, 2, 3].map((uid) => homesOfUid(users.join('\n'), uid))).toEqual([
      ['/root'],
      ['/data/a', '/b'],
      [],
      [],
      [],
    ]);
  });

  it('refuses the inside of a repository as a workspace that can be written', async () => {
    const folder = makeFolder({ '.git/hooks/sample': '' });
    await expect(openBox(contender.backend, { workspace: join(folder, '.git/hooks') })).rejects.toMatchObject({
      code: 'SANDBOX_WORKSPACE_REFUSED',
    });
  });

  it('refuses binds that bypass the guards of the workspace', async () => {
    const parent = makeFolder({ 'workspace/file': '', 'beside/file': '' });
    const workspace = join(parent, 'workspace');
    symlinkSync('../../tmp', join(workspace, 'link'));
    const open = (source: string, target: string) =>
      openBox(contender.backend, { workspace, binds: [{ source, target, access: 'rw' }] });
    const beside = join(parent, 'beside');
    for (const [source, target] of [
      [parent, '/data'],
      [beside, '/workspace/link/cache'],
      [beside, '/usr/bin'],
      [beside, '/opt'],
    ] as const)
      await expect(open(source, target)).rejects.toMatchObject({ code: 'SANDBOX_BIND_REFUSED' });
    expect(readdirSync(workspace).sort()).toEqual(['file', 'link']);
  });

  it('prevents the creation of a repository that git would obey on the host', async () => {
    const { sh, workspace } = await box({});
    await sh(
      `git init -q --bare /tmp/bare; mkdir -p .git/x; mv HEAD away; cp -r /tmp/bare/* .; cp /tmp/bare/HEAD HEAD; printf '[core]\n repositoryformatversion = 0\n bare = false\n worktree = .\n fsmonitor = "touch obeyed; false"\n' > config`,
    );
    expect(existsSync(join(workspace, 'config'))).toBe(true);
    const env = { PATH: '/usr/bin:/bin', HOME: '/nowhere' };
    const { stderr } = spawnSync('git', ['status'], { cwd: workspace, env, encoding: 'utf8' });
    expect(stderr).toMatch(/^fatal: not a git repository/u);
    expect(existsSync(join(workspace, 'obeyed'))).toBe(false);
  });

  it('refuses a workspace path with a symlink', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    await expect(openBox(contender.backend, { workspace: join(folder, 'link') })).rejects.toMatchObject({
      code: 'SANDBOX_WORKSPACE_REFUSED',
    });
  });

  it('leaves nothing in the workspace when it could not start', async () => {
    const workspace = makeFolder();
    await expect(
      openBox(contender.backend, { workspace, binds: [{ source: '/nowhere', target: '/data', access: 'ro' }] }),
    ).rejects.toMatchObject({ code: 'SANDBOX_BIND_REFUSED' });
    expect(existsSync(join(workspace, '.git'))).toBe(false);
  });

  it.each([
    ['a set-user-id file', 'sysopen(F, "made", O_CREAT | O_RDWR, 04755)'],
    [
      'a file that becomes a set-group-id program by its list of access rights',
      'sysopen(F, "made", O_CREAT | O_RDWR, 02705)',
    ],
    ['a pair of sockets that can be sent elsewhere', 'socketpair(A, B, AF_UNIX, SOCK_DGRAM, 0)'],
    ['a pair of raw sockets, which are the same', 'socketpair(A, B, AF_UNIX, SOCK_RAW, 0)'],
    ['a lease, which others would wait for', 'open(F, "+>", "leased") && fcntl(F, 1024, 1)'],
  ])('refuses to make %s', async (_, attempt) => {
    const { sh, workspace } = await box({});
    const { out } = await sh(`perl -MFcntl -MSocket -e 'print((${attempt}) ? "made" : "$!")'`);
    expect(out).toBe('Operation not permitted');
    expect(existsSync(join(workspace, 'made'))).toBe(false);
  });

  it('makes pairs of sockets for programs that speak to their own children', async () => {
    const { sh } = await box({});
    const { out } = await sh(
      `perl -MSocket -e 'for (SOCK_STREAM, SOCK_SEQPACKET) { socketpair(A, B, AF_UNIX, $_, 0) or die $!; syswrite(A, "x"); sysread(B, $got, 1); print $got }'`,
    );
    expect(out).toBe('xx');
  });

  it('stops reading stdout and stderr once it runs', async () => {
    const scratch = makeFolder();
    // Whoever listened would have read the whole megabyte long before the last answer.
    const flood =
      'head -c 1000000 /dev/zero >&2 & for i in $(seq 200); do echo "$i" >&3; read -r _ <&3; done; kill -0 $! && echo waits >&3 || echo heard >&3; read -r _ <&3';
    const backend = createBubblewrap({
      provisions: () => ({ binds: [], command: ['/bin/sh', '-c', flood] }),
      hidden: [],
      scratch,
    });
    const limits = { tmpBytes: 1024 * 1024 };
    const spec = { id: 'flood', workspace: makeFolder(), limits, egress: false, binds: [], env: {} };
    const opened = await backend.open({ ...spec, workspaceAccess: 'rw' });
    onTestFinished(() => opened.end());
    let last = '';
    for await (const said of createInterface({ input: opened.channel })) {
      last = said;
      if (!/^\d+$/u.test(said)) break;
      opened.channel.write('\n');
    }
    expect(last).toBe('waits');
  });

  it('reports why it ended', async () => {
    const { opened } = await box({});
    await opened.end();
    expect(await opened.ended).toBe('it was killed by SIGKILL');
  });
});
