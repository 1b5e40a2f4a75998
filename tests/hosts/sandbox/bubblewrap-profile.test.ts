import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { profile, type ProfileParts } from '../../../src/hosts/sandbox/profile.ts';
import { makeFolder } from '../../support/folder.ts';
import { createPathHandles } from '../../../src/hosts/sandbox/profile/path-handles.ts';
import {
  unreadableBelow,
  pathsToMask,
  isVisible,
  kernelFiles,
  rootParts,
} from '../../../src/hosts/sandbox/profile/root.ts';

const PARTS: ProfileParts = {
  ids: { uid: 1000, gid: 1000 },
  limits: { tmpBytes: 1000 },
  root: [
    { kind: 'bind', path: '/usr' },
    { kind: 'link', path: '/bin', to: 'usr/bin' },
    { kind: 'text', path: '/etc/hostname', text: 'sandbox\n' },
    { kind: 'copy', path: '/etc/services', fd: 19 },
    { kind: 'folder', path: '/etc/profile.d' },
  ],
  kernel: { readOnly: ['/proc/sys'], maskedFiles: ['/proc/keys'], maskedFolders: ['/proc/acpi'] },
  masked: { files: ['/etc/closed'], folders: ['/usr/local/private'] },
  provisions: [
    { source: { path: '/host/inside' }, target: '/opt/pincer/inside', access: 'ro' },
    { kind: 'link', path: '/opt/pincer/bin/node', to: '/usr/bin/node' },
  ],
  workspace: { source: { fd: 20 }, target: '/workspace', access: 'rw' },
  guards: [
    { target: '/workspace/.local', how: 'pin', source: { fd: 21 } },
    { target: '/workspace/.local/state', how: 'hidden', source: { fd: 22 } },
    { target: '/workspace/.git', how: 'ro', source: { fd: 23 } },
  ],
  binds: [{ source: { fd: 24 }, target: '/data', access: 'rw' }],
  lastGuards: [],
  env: { PATH: '/usr/bin', SPACED: 'a b\nc' },
  seccomp: new Uint8Array([1, 2, 3]),
};

/** The arguments with each option on a line of its own. */
function lines(args: readonly string[]): string[] {
  return args.reduce<string[]>((all, arg) => {
    if (arg.startsWith('--')) all.push(arg);
    else all[all.length - 1] += ` ${arg}`;
    return all;
  }, []);
}

describe('the profile of a sandbox', () => {
  it('lays everything over each other in order, and closes the root last', () => {
    expect(lines(profile(PARTS).args)).toEqual([
      '--unshare-user',
      '--disable-userns',
      '--unshare-all',
      '--die-with-parent',
      '--cap-drop ALL',
      '--uid 1000',
      '--gid 1000',
      '--hostname sandbox',
      '--info-fd 5',
      '--seccomp 6',
      '--size 4194304',
      '--tmpfs /',
      '--ro-bind /usr /usr',
      '--symlink usr/bin /bin',
      '--perms 0444',
      '--file 7 /etc/hostname',
      '--perms 0444',
      '--file 8 /etc/services',
      '--perms 0755',
      '--dir /etc/profile.d',
      '--ro-bind /dev/null /etc/closed',
      '--perms 0755',
      '--size 4096',
      '--tmpfs /usr/local/private',
      '--remount-ro /usr/local/private',
      '--proc /proc',
      '--ro-bind /proc/sys /proc/sys',
      '--ro-bind /dev/null /proc/keys',
      '--perms 0755',
      '--size 4096',
      '--tmpfs /proc/acpi',
      '--remount-ro /proc/acpi',
      '--perms 1777',
      '--size 1000',
      '--tmpfs /tmp',
      '--dir /tmp/home',
      '--perms 0755',
      '--size 67108864',
      '--tmpfs /run',
      '--perms 0700',
      '--dir /run/pincer',
      '--perms 0700',
      '--dir /run/pincer/first-pipes',
      '--dir /var/cache',
      '--dir /var/lib',
      '--dir /var/log',
      '--symlink ../run /var/run',
      '--symlink ../tmp /var/tmp',
      '--dev /dev',
      '--perms 1777',
      '--size 1000',
      '--tmpfs /dev/shm',
      '--remount-ro /dev',
      '--ro-bind /host/inside /opt/pincer/inside',
      '--symlink /usr/bin/node /opt/pincer/bin/node',
      '--bind-fd 9 /workspace',
      '--bind-fd 10 /workspace/.local',
      '--perms 0755',
      '--size 4096',
      '--tmpfs /workspace/.local/state',
      '--remount-ro /workspace/.local/state',
      '--ro-bind-fd 11 /workspace/.git',
      '--bind-fd 12 /data',
      '--remount-ro /',
      '--chdir /workspace',
      '--clearenv',
      '--setenv PATH /usr/bin',
      '--setenv SPACED a b\nc',
    ]);
  });

  it('hands over what is named by a descriptor, in the order of the numbers', () => {
    const [seccomp, hostname, ...held] = profile(PARTS).descriptors;
    expect(seccomp).toBe(PARTS.seccomp);
    expect(new TextDecoder().decode(hostname as Uint8Array)).toBe('sandbox\n');
    expect(held).toEqual([19, 20, 21, 23, 24]);
  });
});

describe('the root of a sandbox', () => {
  const handles = createPathHandles();
  const parts = rootParts({ uid: 1000, gid: 1000 }, '/tmp/home', handles);
  handles.close();
  const paths = parts.map(({ path }) => path);

  it.each(['shadow', 'gshadow', 'sudoers', 'ssh', 'ssl', 'ssl/private', 'machine-id', 'npmrc', 'pip.conf', 'fstab'])(
    'has no /etc/%s',
    (name) => {
      expect(paths).not.toContain(`/etc/${name}`);
    },
  );

  it('has no folder of the host but programs and settings', () => {
    expect(paths.filter((path) => !/^\/(?:usr$|etc\/|s?bin$|lib)/u.test(path))).toEqual([]);
    expect(paths).toContain('/usr');
  });

  it('has generated users and groups', () => {
    const text = (path: string) => parts.find((part) => part.path === path);
    expect(text('/etc/passwd')).toEqual({
      kind: 'text',
      path: '/etc/passwd',
      text: 'sandbox:x:1000:1000::/tmp/home:/bin/sh\nroot:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n',
    });
    expect(text('/etc/group')).toMatchObject({ text: 'sandbox:x:1000:\nroot:x:0:\nnogroup:x:65534:\ntty:x:5:\n' });
  });

  it('finds files that others may not read, so that root without rights does not either', () => {
    const part = (path: string) => [{ kind: 'bind', path } as const];
    expect(pathsToMask(part('/etc/shadow'))).toEqual({ files: ['/etc/shadow'], folders: [] });
    expect(pathsToMask(part('/etc/passwd'))).toEqual({ files: [], folders: [] });
    expect(pathsToMask(part('/somewhere'))).toEqual({ files: [], folders: [] });
  });

  it('finds folders that others may not enter, and does not look into them', () => {
    const top = makeFolder({ 'open/key': '', 'open/text': '', 'closed/text': '' });
    chmodSync(top, 0o755);
    chmodSync(join(top, 'open'), 0o755);
    chmodSync(join(top, 'open/key'), 0o640);
    chmodSync(join(top, 'open/text'), 0o644);
    chmodSync(join(top, 'closed'), 0o700);
    expect(unreadableBelow(top)).toEqual({ files: [join(top, 'open/key')], folders: [join(top, 'closed')] });
  });

  it.skipIf(process.geteuid?.() !== 0).each(['/usr/local/src', '/usr/share', '/usr/lib'])(
    'C6: finds a closed file in a folder of %s, and a closed folder',
    (place) => {
      mkdirSync(place, { recursive: true });
      const folder = mkdtempSync(join(place, 'pincer-test-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      chmodSync(folder, 0o755);
      writeFileSync(join(folder, 'key.pem'), 'secret', { mode: 0o600 });
      mkdirSync(join(folder, 'private'), { mode: 0o700 });
      const found = unreadableBelow('/usr');
      expect(found.files).toContain(join(folder, 'key.pem'));
      expect(found.folders).toContain(join(folder, 'private'));
    },
  );

  it.skipIf(process.geteuid?.() !== 0)('C6: forgets a closed file that was removed', () => {
    const folder = mkdtempSync('/etc/pincer-test-');
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o755);
    const key = join(folder, 'key.pem');
    writeFileSync(key, 'secret', { mode: 0o600 });
    const closed = (): readonly string[] => pathsToMask([{ kind: 'bind', path: folder }]).files;
    expect(closed()).toEqual([key]);
    rmSync(key);
    expect(closed()).toEqual([]);
  });

  it.each([
    ['/usr/bin/node', true],
    ['/usr/local/private/node', false],
    ['/usr/local/node', false],
    ['/usrs/node', false],
    ['/root/node', false],
  ])('sees %s: %s', (path, seen) => {
    const closed = { files: ['/usr/local/node'], folders: ['/usr/local/private'] };
    expect(isVisible(path, [{ kind: 'bind', path: '/usr' }], closed)).toBe(seen);
  });

  it('closes the settings of the kernel', () => {
    expect(kernelFiles().readOnly).toContain('/proc/sys');
  });
});
