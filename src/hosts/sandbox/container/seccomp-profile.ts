/**
 * The seccomp profile of containers, in the engines' JSON format. It is an allowlist, as the engines' own profiles are, but
 * for programs without capabilities and stricter: no io_uring, no ptrace, no keyrings, no namespaces, no mounts, no sockets
 * other than of the network inside, and no injection of terminal input.
 */

/** None of these reaches beyond the container, whatever its arguments are. */
const ALLOWED = [
  // files
  'access chdir chown chown32 close close_range copy_file_range dup dup2 dup3 faccessat faccessat2 fadvise64',
  'fadvise64_64 fallocate fchdir fchown fchown32 fchownat fdatasync fgetxattr flistxattr flock',
  'fremovexattr fsetxattr fstat fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate ftruncate64 futimesat',
  'getcwd getdents getdents64 getxattr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch lchown',
  'lchown32 lgetxattr link linkat listxattr llistxattr lremovexattr lseek _llseek lsetxattr lstat lstat64 mkdir',
  'mkdirat newfstatat pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv',
  'removexattr rename renameat renameat2 rmdir sendfile sendfile64 setxattr splice stat stat64 statfs statfs64',
  'statx symlink symlinkat sync sync_file_range syncfs tee truncate truncate64 umask unlink unlinkat utime',
  'utimensat utimensat_time64 utimes vmsplice write writev cachestat',
  // waiting for files and sockets
  'epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old',
  'eventfd eventfd2 io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit pipe pipe2 poll ppoll',
  'ppoll_time64 pselect6 pselect6_time64 select _newselect signalfd signalfd4 timerfd_create timerfd_gettime',
  'timerfd_gettime64 timerfd_settime timerfd_settime64',
  // sockets; which ones are made is decided by the calls `socket` and `socketpair`
  'accept accept4 bind connect getpeername getsockname getsockopt listen recv recvfrom recvmmsg recvmmsg_time64',
  'recvmsg send sendmmsg sendmsg sendto setsockopt shutdown',
  // memory
  'arch_prctl brk get_mempolicy madvise map_shadow_stack mbind membarrier memfd_create memfd_secret mincore',
  'mlock mlock2 mlockall mmap mmap2 mprotect mremap mseal msync munlock munlockall munmap pkey_alloc pkey_free',
  'pkey_mprotect remap_file_pages set_mempolicy',
  // IPC between programs of the container
  'ipc mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedreceive_time64 mq_timedsend mq_timedsend_time64',
  'mq_unlink msgctl msgget msgrcv msgsnd semctl semget semop semtimedop semtimedop_time64 shmat shmctl shmdt',
  'shmget',
  // programs and threads
  'capget capset execve execveat exit exit_group fork futex futex_requeue futex_time64 futex_wait futex_waitv',
  'futex_wake get_robust_list get_thread_area getcpu getegid getegid32 geteuid geteuid32 getgid getgid32',
  'getgroups getgroups32 getpgid getpgrp getpid getppid getpriority getresgid getresgid32 getresuid getresuid32',
  'getrlimit getrusage getsid gettid getuid getuid32 ioprio_get ioprio_set kill landlock_add_rule',
  'landlock_create_ruleset landlock_restrict_self pause pidfd_open pidfd_send_signal prctl prlimit64',
  'process_mrelease restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn',
  'rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo sched_get_priority_max',
  'sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler',
  'sched_rr_get_interval sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam',
  'sched_setscheduler sched_yield seccomp set_robust_list set_thread_area set_tid_address setfsgid setfsgid32',
  'setfsuid setfsuid32 setgid setgid32 setgroups setgroups32 setpgid setpriority setregid setregid32 setresgid',
  'setresgid32 setresuid setresuid32 setreuid setreuid32 setrlimit setsid setuid setuid32 sigaltstack sigreturn',
  'tgkill tkill vfork wait4 waitid waitpid',
  // time, names, random numbers
  'alarm clock_getres clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep clock_nanosleep_time64',
  'getitimer getrandom gettimeofday nanosleep setitimer sysinfo time timer_create timer_delete timer_getoverrun',
  'timer_gettime timer_gettime64 timer_settime timer_settime64 times ugetrlimit uname',
].flatMap((line) => line.split(' '));

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NEW_NAMESPACES = 0x7e020000;
const CLONE_PARENT = 0x8000;
/** TIOCSTI, TIOCLINUX, TIOCSETD. */
const TERMINAL_TRICKS = [0x5412, 0x541c, 0x5423];
/** AF_INET, AF_INET6: the network of the container, which has only a loopback. */
const SOCKETS = [2, 10];
const AF_NETLINK = 16;
/** NETLINK_ROUTE, NETLINK_SOCK_DIAG: information about that network. */
const NETLINKS = [0, 4];
const AF_UNIX = 1;
/** SOCK_STREAM, SOCK_SEQPACKET: such pairs stay connected; a datagram pair could send to a socket of the host. */
const PAIRS = [1, 5];
/** The type argument of a socket also contains flags. */
const SOCKET_KIND = 0xf;
/** F_SETLEASE: a process that opens a leased file blocks until the holder releases it, on the host as well. */
const LEASES = [1024];
/** The setuid and setgid bits: on a file in the workspace, they would be effective on the host. */
const SET_IDS = 0o6000;
/** O_CREAT and the bit of O_TMPFILE: without them the kernel ignores the mode argument. */
const CREATES = 0o100 | 0o20000000;
/** The index of the mode argument. */
const MODES = { chmod: 1, creat: 1, fchmod: 1, fchmodat: 2, fchmodat2: 2, mknod: 1, mknodat: 2, open: 2, openat: 3 };
/** PER_LINUX, PER_LINUX32, ADDR_NO_RANDOMIZE, both, and the query. */
const PERSONALITIES = [0, 8, 0x40000, 0x40008, 0xffffffff];
const ENOSYS = 38;
const EPERM = 1;
const LOW_HALF = 0xffffffff;

/** A condition on an argument: `(argument & mask) == value`, or equality. */
interface Condition {
  readonly index: number;
  readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ';
  readonly value: number;
  readonly valueTwo?: number;
}

export interface SyscallRule {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  readonly errnoRet?: number;
  readonly args?: readonly Condition[];
}

/** System calls of other architectures are not allowed at all. */
export interface SeccompProfile {
  readonly defaultAction: 'SCMP_ACT_ERRNO';
  readonly defaultErrnoRet: number;
  readonly architectures: readonly string[];
  readonly syscalls: readonly SyscallRule[];
}

const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: 'SCMP_ARCH_X86_64',
  arm64: 'SCMP_ARCH_AARCH64',
};

/** Undefined for an unsupported architecture (Node's name for it), where the engine's own profile applies. */
export function seccompProfile(architecture: string = process.arch): SeccompProfile | undefined {
  const known = ARCHITECTURES[architecture];
  if (known === undefined) return undefined;
  const when = (name: string, ...args: readonly Condition[]): SyscallRule => ({
    names: [name],
    action: 'SCMP_ACT_ALLOW',
    args,
  });
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    architectures: [known],
    syscalls: [
      { names: ALLOWED, action: 'SCMP_ACT_ALLOW' },
      // Their flags are behind a pointer, which a filter cannot follow; programs fall back to clone and openat.
      { names: ['clone3', 'openat2'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
      when('clone', masked(0, NEW_NAMESPACES | CLONE_PARENT, 0)),
      ...SOCKETS.map((family) => when('socket', masked(0, LOW_HALF, family))),
      ...NETLINKS.map((kind) => when('socket', masked(0, LOW_HALF, AF_NETLINK), masked(2, LOW_HALF, kind))),
      ...PAIRS.map((kind) => when('socketpair', masked(0, LOW_HALF, AF_UNIX), masked(1, SOCKET_KIND, kind))),
      ...['fcntl', 'fcntl64'].flatMap((name) =>
        allBut(LEASES).map(([mask, value]) => when(name, masked(1, mask, value))),
      ),
      ...PERSONALITIES.map((value) => when('personality', { index: 0, op: 'SCMP_CMP_EQ', value })),
      ...Object.entries(MODES).map(([name, index]) => when(name, masked(index, SET_IDS, 0))),
      ...(['open', 'openat'] as const).map((name) => when(name, masked(MODES[name] - 1, CREATES, 0))),
      ...allBut(TERMINAL_TRICKS).map(([mask, value]) => when('ioctl', masked(1, mask, value))),
    ],
  };
}

function masked(index: number, mask: number, value: number): Condition {
  return { index, op: 'SCMP_CMP_MASKED_EQ', value: mask, valueTwo: value };
}

/**
 * Conditions of which exactly one is true for every 32-bit number except these. An allowlist has no "not", and the kernel
 * uses only the low half of the argument, so a comparison of all 64 bits could be bypassed.
 */
export function allBut(numbers: readonly number[]): (readonly [mask: number, value: number])[] {
  const rules: (readonly [number, number])[] = [];
  // From the highest bit on: a prefix that none of the numbers has is allowed as a whole.
  const split = (bits: number, prefix: number, left: readonly number[]): void => {
    const rest = 2 ** (32 - bits);
    if (left.length === 0) rules.push([LOW_HALF - rest + 1, prefix]);
    if (left.length === 0 || bits === 32) return;
    const middle = prefix + rest / 2;
    split(
      bits + 1,
      prefix,
      left.filter((number) => number < middle),
    );
    split(
      bits + 1,
      middle,
      left.filter((number) => number >= middle),
    );
  };
  split(0, 0, numbers);
  return rules;
}
