/** Attacks on the kernel and on other processes. */
import { expect } from 'vitest';
import type { PromiseId } from '../../../src/hosts/sandbox/probe/promises.ts';
import type { Arena, Attacks } from './arena.ts';

/** The tries that a promise stands for; each has to be refused inside. */
const REFUSED = {
  'user-namespaces':
    'unshare_user unshare_mount unshare_net clone_user clone_pid clone_net clone_cgroup clone3_user setns',
  mounts: 'mount remount umount pivot_root chroot fsopen fspick open_tree move_mount mount_setattr',
  'io-uring': 'io_uring_setup io_uring_enter io_uring_register',
  'other-memory': 'ptrace_me ptrace_attach ptrace_seize process_vm_readv process_vm_writev pidfd_getfd kcmp',
  keys: 'keyctl add_key request_key',
  'kernel-surface':
    'bpf perf_event_open userfaultfd name_to_handle_at open_by_handle_at fanotify_init acct init_module finit_module ' +
    'delete_module kexec_load reboot swapon syslog quotactl_fd settimeofday sethostname netlink_events netlink_audit',
  leases: 'lease',
  terminals: 'tiocsti tioclinux tiocsetd',
  'foreign-calls': 'foreign_convention foreign_architecture',
  vsock: 'af_vsock',
  'raw-sockets': 'af_packet raw_icmp af_alg',
} as const satisfies Partial<Record<PromiseId, string>>;

const EPERM = '1';
const EACCES = '13';
const EINVAL = '22';
const ENOSYS = '38';

/** Each of these was forbidden. */
export function refuses(names: readonly string[]) {
  return async ({ attempts }: Arena): Promise<void> => {
    const given = await attempts();
    // EPERM says that somebody forbade it; other errors would only say that the try was a bad one.
    for (const name of names)
      expect.soft([EPERM, EACCES, ENOSYS, 'signal 31'], `${name}: ${given.get(name)}`).toContain(given.get(name));
  };
}

const FIELD = (name: string) => `awk '/^${name}:/ {print $2}' /proc/self/status`;

export const kernelAttacks: Attacks = {
  ...Object.fromEntries(Object.entries(REFUSED).map(([id, names]) => [id, refuses(names.split(' '))])),

  async capabilities({ box, attempts }) {
    const fields = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'];
    const { out } = await box.sh(fields.map(FIELD).join('; '));
    expect(out.trim().split('\n')).toEqual(fields.map(() => '0000000000000000'));
    // EINVAL: there is no such user in the sandbox at all.
    expect([EPERM, EINVAL]).toContain((await attempts()).get('setuid'));
  },

  async 'no-new-privileges'({ box }) {
    expect((await box.sh(FIELD('NoNewPrivs'))).out.trim()).toBe('1');
  },

  async seccomp({ box }) {
    expect((await box.sh(FIELD('Seccomp'))).out.trim()).toBe('2');
  },

  async devices({ box, attempts }) {
    expect((await attempts()).get('mknod')).toBe(EPERM);
    const { out } = await box.sh(
      'for f in /dev/* /dev/*/*; do [ -b "$f" ] && echo "$f"; done; ls /dev/kvm /dev/mem /dev/fuse /dev/net/tun 2>/dev/null; echo end',
    );
    expect(out).toBe('end\n');
  },

  async 'host-processes'({ box }) {
    const { out } = await box.sh(
      'ls -d /proc/[0-9]* | wc -l; ls /proc/1/root/ | head -50; cat /proc/*/cmdline | tr "\\0" " "',
    );
    expect(Number(out.split('\n')[0])).toBeLessThan(20);
    expect(out).not.toMatch(/vitest/u);
    const { out: signalled } = await box.sh(`kill -0 ${process.pid} && echo reached`);
    expect(signalled).not.toMatch(/^reached/mu);
  },

  async 'kernel-settings'({ box }) {
    const writes = [
      'sys/kernel/core_pattern',
      'sys/kernel/modprobe',
      'sys/vm/overcommit_memory',
      'sysrq-trigger',
      'mtrr',
      'irq/default_smp_affinity',
    ];
    const reads = ['kcore', 'keys', 'kallsyms', 'kmsg', 'timer_list', 'slabinfo', 'iomem', 'vmallocinfo'];
    // Opened for appending and nothing written: what would be allowed changes nothing. What is masked may be /dev/null itself.
    const { out } = await box.sh(
      `for f in ${writes.join(' ')}; do [ "$(stat -c %F:%t:%T /proc/$f 2>/dev/null)" = 'character special file:1:3' ] && continue
         (: >> /proc/$f) 2>/dev/null && echo "open $f"; done
       for f in ${reads.join(' ')}; do [ -n "$(head -c 10 /proc/$f 2>/dev/null | tr -d '\\0')" ] && echo "read $f"; done
       ls /sys/kernel /sys/fs/cgroup 2>/dev/null; echo end`,
    );
    expect(out).toBe('end\n');
  },

  async 'inherited-descriptors'({ box }) {
    for (const command of ['./implements descriptors', 'exec ./implements descriptors'])
      for (const pty of [false, true])
        for (let i = 0; i < 5; i++) expect((await box.sh(command, { pty })).out.replaceAll('\r', '')).toBe('0\n1\n2\n');
  },

  async environment({ open }) {
    process.env['PINCER_ESCAPE_SECRET'] = 'HOST-SECRET';
    try {
      const box = await open({ env: { DECLARED: 'yes' } });
      const { out } = await box.sh('env | cut -d= -f1; echo ---; cat /proc/*/environ | tr "\\0" "\\n"', {
        env: { GIVEN: 'yes' },
      });
      const [own = '', all = ''] = out.split('---\n');
      const known = ['GIVEN', 'HOME', 'OLDPWD', 'PATH', 'PINCER_OWNER', 'PINCER_SESSION', 'PWD', 'SHLVL', '_'];
      expect(own.split('\n').filter((name) => name !== '' && !known.includes(name))).toEqual([]);
      expect(own).toContain('GIVEN\n');
      expect(all).toContain('DECLARED=yes\n');
      expect(all).not.toMatch(/HOST-SECRET|VITEST|PINCER_STATE_DIR|NODE_ENV/u);
    } finally {
      delete process.env['PINCER_ESCAPE_SECRET'];
    }
  },

  async arguments({ box, folder }) {
    const outside = folder('outside');
    const { out } = await box.sh('cat /proc/1/cmdline /proc/2/cmdline | tr "\\0" " "');
    expect(out).not.toContain(box.workspace);
    expect(out).not.toContain(outside.slice(0, outside.lastIndexOf('-')));
  },
};
