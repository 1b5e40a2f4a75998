import { describe, expect, it } from 'vitest';
import { allBut, seccompProfile } from '../../../../src/hosts/sandbox/container/seccomp-profile.ts';
import { fc } from '../../../support/property.ts';

const profile = seccompProfile('x64');

/** What the profile says of a call, as the engines understand it: any rule that fits allows. */
function allows(name: string, args: readonly bigint[] = []): boolean {
  return (profile?.syscalls ?? []).some(
    (rule) =>
      rule.action === 'SCMP_ACT_ALLOW' &&
      rule.names.includes(name) &&
      (rule.args ?? []).every(({ index, op, value, valueTwo = 0 }) => {
        const given = args[index] ?? 0n;
        return op === 'SCMP_CMP_EQ' ? given === BigInt(value) : (given & BigInt(value)) === BigInt(valueTwo);
      }),
  );
}

describe('conditions for all numbers but some', () => {
  it('match exactly the other numbers, whatever the high half is', () => {
    const number = fc.integer({ min: 0, max: 0xffffffff });
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 5 }), number, number, (denied, asked, high) => {
        const rules = allBut(denied);
        const passes = (low: number) => {
          const given = (BigInt(high) << 32n) | BigInt(low);
          return rules.filter(([mask, value]) => (given & BigInt(mask)) === BigInt(value)).length;
        };
        for (const each of denied) expect(passes(each)).toBe(0);
        expect(passes(asked)).toBe(denied.includes(asked) ? 0 : 1);
      }),
    );
  });
});

describe('the filter on system calls', () => {
  it.each(
    [
      'ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp unshare setns mount umount2 pivot_root chroot',
      'fsopen fsconfig fsmount fspick move_mount open_tree mount_setattr bpf perf_event_open userfaultfd keyctl',
      'add_key request_key io_uring_setup io_uring_enter io_uring_register open_by_handle_at name_to_handle_at',
      'kexec_load init_module finit_module delete_module swapon swapoff reboot acct quotactl syslog vhangup',
      'settimeofday clock_settime clock_adjtime adjtimex fanotify_init iopl ioperm uselib clone3 openat2',
    ].flatMap((line) => line.split(' ')),
  )('does not allow %s', (name) => {
    expect(allows(name)).toBe(false);
  });

  it.each<[string, readonly bigint[], boolean]>([
    ['clone', [0x1200011n], true],
    ['clone', [0x10000000n], false],
    ['socket', [2n], true],
    ['socket', [10n], true],
    ['socket', [16n, 3n, 0n], true],
    ['socket', [16n, 3n, 15n], false],
    ['socketpair', [1n, 1n], true],
    ['socketpair', [1n, 0x80001n], true],
    ['socketpair', [1n, 5n], true],
    ['socketpair', [1n, 2n], false],
    ['socketpair', [1n, 0x80002n], false],
    ['socketpair', [1n, 3n], false],
    ['socketpair', [2n, 1n], false],
    ['fcntl', [0n, 2n], true],
    ['fcntl', [0n, 1030n], true],
    ['fcntl', [0n, 1024n], false],
    ['fcntl', [0n, 0x1_0000_0400n], false],
    ['socket', [1n], false],
    ['socket', [40n], false],
    ['socket', [0x100000001n], false],
    ['ioctl', [0n, 0x5401n], true],
    ['ioctl', [0n, 0x5412n], false],
    ['ioctl', [0n, 0x541cn], false],
    ['ioctl', [0n, 0x5423n], false],
    ['ioctl', [0n, 0x1_0000_5412n], false],
    ['chmod', [0n, 0o755n], true],
    ['chmod', [0n, 0o1755n], true],
    ['chmod', [0n, 0o2755n], false],
    ['chmod', [0n, 0o4755n], false],
    ['fchmodat', [0n, 0n, 0o4755n], false],
    ['openat', [0n, 0n, 0o100n, 0o644n], true],
    ['openat', [0n, 0n, 0o100n, 0o4755n], false],
    ['openat', [0n, 0n, 0o20200000n, 0o4755n], false],
    ['openat', [0n, 0n, 0n, 0o7777n], true],
    ['mknodat', [0n, 0n, 0o104755n], false],
  ])('for %s with %o says %s', (name, args, expected) => {
    expect(allows(name, args)).toBe(expected);
  });

  it('serves the own architecture only, and none that it does not know', () => {
    expect(profile?.architectures).toEqual(['SCMP_ARCH_X86_64']);
    expect(seccompProfile('arm64')?.architectures).toEqual(['SCMP_ARCH_AARCH64']);
    expect(seccompProfile('mips')).toBeUndefined();
  });
});
