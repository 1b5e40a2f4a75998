import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseSandboxUser } from '../../../src/hosts/sandbox/bubblewrap/sandbox-user.ts';
import { isReachable } from '../../../src/hosts/sandbox/bubblewrap/stage.ts';
import { explainFailure, findPrograms, notInstalled } from '../../../src/hosts/sandbox/probe.ts';
import { makeFolder } from '../../support/folder.ts';

const PLAIN = { inContainer: false, restrictedByAppArmor: false };

describe('a bubblewrap that does not work', () => {
  it.each([
    ['ID=debian', 'apt install bubblewrap'],
    ['ID=ubuntu\nID_LIKE=debian', 'apt install bubblewrap'],
    ['ID=fedora', 'dnf install bubblewrap'],
    ['ID="rocky"\nID_LIKE="rhel centos fedora"', 'dnf install bubblewrap'],
    ['ID=alpine', 'apk add bubblewrap'],
    ['ID=arch', 'pacman -S bubblewrap'],
    ['ID="opensuse-tumbleweed"', 'zypper install bubblewrap'],
    ['', 'apt install bubblewrap'],
  ])('is installed on %j with %s', (release, command) => {
    expect(notInstalled(release)).toMatchObject({
      message: 'bubblewrap is not installed',
      hint: expect.stringContaining(`"${command}"`) as string,
    });
  });

  const DENIED =
    'bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.';

  it.each([
    [DENIED, PLAIN, 'sysctl kernel.unprivileged_userns_clone=1'],
    [
      DENIED,
      { ...PLAIN, inContainer: true },
      '--security-opt seccomp=unconfined --security-opt systempaths=unconfined',
    ],
    [DENIED, { ...PLAIN, restrictedByAppArmor: true }, 'apparmor_parser -r /etc/apparmor.d/bwrap'],
    ['bwrap: setting up uid map: Permission denied', { ...PLAIN, restrictedByAppArmor: true }, '/etc/apparmor.d/bwrap'],
    ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", PLAIN, 'systempaths=unconfined'],
    [
      'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
      PLAIN,
      'user.max_user_namespaces',
    ],
    ['bwrap: The --size option is not permitted in setuid mode', PLAIN, 'chmod u-s'],
    ['bwrap: prctl(PR_SET_SECCOMP): Invalid argument', PLAIN, 'CONFIG_SECCOMP_FILTER'],
    ['bwrap: something else', PLAIN, 'pincer sandbox explain'],
  ])('says %j and hears what helps', (said, facts, help) => {
    const { message, hint } = explainFailure(`${said}\n`, facts);
    expect(message).toContain(said);
    expect(hint).toContain(help);
  });

  it('is a fault when it is notInstalled', async () => {
    await expect(findPrograms(makeFolder())).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: 'bubblewrap is not installed',
    });
  });

  it('is a fault when it is too old for the profile', async () => {
    const folder = makeFolder();
    const old = join(folder, 'bwrap');
    writeFileSync(
      old,
      '#!/bin/sh\n[ "$1" = --version ] && echo "bubblewrap 0.4.1" || echo "--args --perms --size --info-fd"\n',
    );
    chmodSync(old, 0o755);
    await expect(findPrograms(folder)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: 'bubblewrap 0.4.1 does not support --disable-userns, --bind-fd',
    });
  });
});

describe('the user inside', () => {
  const root = { uid: 0, gid: 0 };
  const user = { uid: 1000, gid: 1000 };
  const nobody = { uid: 65534, gid: 65534, dropsRoot: true, keepsRoot: false };
  it.each([
    ['rw', { ...user, mode: 0o755 }, user, { ...user, dropsRoot: false, keepsRoot: false }],
    ['rw', { ...root, mode: 0o755 }, user, { ...user, dropsRoot: false, keepsRoot: false }],
    ['rw', { ...user, mode: 0o700 }, root, { ...user, dropsRoot: true, keepsRoot: false }],
    ['ro', { ...user, mode: 0o700 }, root, { ...user, dropsRoot: true, keepsRoot: false }],
    ['none', { ...root, mode: 0o700 }, root, nobody],
    ['ro', { ...root, mode: 0o755 }, root, nobody],
    ['ro', { ...root, mode: 0o700 }, root, { ...root, dropsRoot: false, keepsRoot: true }],
    ['rw', { ...root, mode: 0o755 }, root, { ...root, dropsRoot: false, keepsRoot: true }],
  ] as const)('with access %s to a workspace of %j and the gateway %j is %j', (access, premises, gateway, who) => {
    expect(chooseSandboxUser(access, premises, gateway)).toEqual(who);
  });

  it('reaches a file only through folders that are open to them', () => {
    const folder = makeFolder({ 'open/file': '', 'closed/file': '' });
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'open'), 0o711);
    chmodSync(join(folder, 'closed'), 0o700);
    const stranger = { uid: 65533, gid: 65533 };
    expect(isReachable(join(folder, 'open/file'), stranger)).toBe(true);
    expect(isReachable(join(folder, 'closed/file'), stranger)).toBe(false);
  });
});
