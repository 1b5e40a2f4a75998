/*
 * Tries what a program in a sandbox must not be able to do, each in a process of its own, and prints one line per try:
 * `name allowed`, `name ERRNO` (by number) or `name signal NUMBER`. Arguments name the tries; without any it does all.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <stddef.h>
#include <unistd.h>

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#define SYS_io_uring_register 427
#endif
#ifndef SYS_open_tree
#define SYS_open_tree 428
#define SYS_move_mount 429
#define SYS_fsopen 430
#define SYS_fsconfig 431
#define SYS_fsmount 432
#define SYS_fspick 433
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif
#ifndef CLONE_NEWCGROUP
#define CLONE_NEWCGROUP 0x02000000
#endif

static char page[4096];

/* A child that came into being counts as a success; it ends at once. */
static long forked(long result) {
  if (result == 0) _exit(0);
  return result;
}

static long clone_with(unsigned long flags) { return forked(syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0)); }

static long clone3_with(uint64_t flags) {
  struct { uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls; } args;
  memset(&args, 0, sizeof args);
  args.flags = flags;
  args.exit_signal = SIGCHLD;
  return forked(syscall(SYS_clone3, &args, sizeof args));
}

/* A sleeping child of our own, which a debugger would be allowed to look at. */
static pid_t sleeping;

static pid_t sleeper(void) {
  sleeping = fork();
  if (sleeping == 0) {
    alarm(30);
    pause();
    _exit(0);
  }
  return sleeping;
}

static long try_socket(int family, int type, int protocol) { return socket(family, type, protocol); }

static long terminal_ioctl(unsigned long request, void *argument) {
  int master = open("/dev/ptmx", O_RDWR | O_NOCTTY);
  if (master < 0) return 0; /* counted as allowed: without a terminal nothing was tried */
  int unlock = 0;
  ioctl(master, TIOCSPTLCK, &unlock);
  int number = 0;
  ioctl(master, TIOCGPTN, &number);
  char name[64];
  snprintf(name, sizeof name, "/dev/pts/%d", number);
  setsid();
  int slave = open(name, O_RDWR);
  if (slave < 0) return 0;
  return ioctl(slave, request, argument);
}

static long attach(void) { pid_t pid = sleeper(); return ptrace(PTRACE_ATTACH, pid, 0, 0); }
static long seize(void) { pid_t pid = sleeper(); return ptrace(PTRACE_SEIZE, pid, 0, 0); }

static long read_memory(long number) {
  pid_t pid = sleeper();
  char here[8];
  struct { void *base; size_t length; } local = {here, sizeof here}, remote = {page, sizeof here};
  return syscall(number, pid, &local, 1, &remote, 1, 0);
}

static long take_descriptor(void) {
  pid_t pid = sleeper();
  int handle = syscall(SYS_pidfd_open, pid, 0);
  if (handle < 0) return handle;
  return syscall(SYS_pidfd_getfd, handle, 0, 0);
}

static long foreign_convention(void) {
#ifdef __x86_64__
  return syscall(0x40000000 | 39);
#else
  errno = ENOSYS;
  return -1;
#endif
}

static long foreign_architecture(void) {
#ifdef __x86_64__
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
  if (result < 0) { errno = -result; return -1; }
  return result;
#else
  raise(SIGSYS);
  return 0;
#endif
}

static long datagram_pair(void) {
  int pair[2];
  return socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
}

/* A file that whoever opens it has to wait for; one of this process alone, because nobody else may have it open. */
static long lease(void) {
  char name[64];
  snprintf(name, sizeof name, "/tmp/leased-%d", getpid());
  int fd = open(name, O_CREAT | O_RDWR, 0600);
  if (fd < 0) return 0; /* counted as allowed: without a file nothing was tried */
  unlink(name);
  return fcntl(fd, F_SETLEASE, F_WRLCK);
}

/* Files that have the bits from the beginning; a list of access rights would make a program of them later. */
static long created(const char *name) {
  umask(0);
  unlink(name);
  return open(name, O_CREAT | O_RDWR, 02705);
}

static long created_newly(const char *name) {
  uint64_t how[3] = {O_CREAT | O_RDWR, 06755, 0};
  unlink(name);
  return syscall(SYS_openat2, AT_FDCWD, name, how, sizeof how);
}

static long unix_connect(int is_abstract) {
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return fd;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *told = getenv("ABSTRACT");
  const char *name = is_abstract ? told == 0 ? "pincer-escape" : told : "/workspace/host.sock";
  socklen_t length = offsetof(struct sockaddr_un, sun_path) + is_abstract + strlen(name) + !is_abstract;
  strcpy(address.sun_path + is_abstract, name);
  return connect(fd, (struct sockaddr *)&address, length);
}

struct attempt { const char *name; long (*run)(void); };

#define TRY(id, expression) static long try_##id(void) { return expression; }
TRY(unshare_user, unshare(CLONE_NEWUSER))
TRY(unshare_mount, unshare(CLONE_NEWNS))
TRY(unshare_net, unshare(CLONE_NEWNET))
TRY(clone_user, clone_with(CLONE_NEWUSER))
TRY(clone_pid, clone_with(CLONE_NEWPID))
TRY(clone_net, clone_with(CLONE_NEWNET))
TRY(clone_cgroup, clone_with(CLONE_NEWCGROUP))
TRY(clone3_user, clone3_with(CLONE_NEWUSER))
TRY(setns, setns(open("/proc/self/ns/net", O_RDONLY), 0))
TRY(mount, mount("none", "/tmp", "tmpfs", 0, 0))
TRY(remount, mount("none", "/", 0, MS_REMOUNT | MS_BIND, 0))
TRY(umount, umount2("/workspace/.git", MNT_DETACH))
TRY(pivot_root, syscall(SYS_pivot_root, "/", "/tmp"))
TRY(chroot, chroot("/tmp"))
TRY(fsopen, syscall(SYS_fsopen, "tmpfs", 0))
TRY(fspick, syscall(SYS_fspick, AT_FDCWD, "/", 0))
TRY(open_tree, syscall(SYS_open_tree, AT_FDCWD, "/", 1))
TRY(move_mount, syscall(SYS_move_mount, AT_FDCWD, "/tmp", AT_FDCWD, "/run", 0))
TRY(mount_setattr, syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, page, 32))
TRY(io_uring_setup, syscall(SYS_io_uring_setup, 1, page))
TRY(io_uring_enter, syscall(SYS_io_uring_enter, 0, 0, 0, 0, 0))
TRY(io_uring_register, syscall(SYS_io_uring_register, 0, 0, 0, 0))
TRY(ptrace_me, ptrace(PTRACE_TRACEME, 0, 0, 0))
TRY(ptrace_attach, attach())
TRY(ptrace_seize, seize())
TRY(process_vm_readv, read_memory(SYS_process_vm_readv))
TRY(process_vm_writev, read_memory(SYS_process_vm_writev))
TRY(pidfd_getfd, take_descriptor())
TRY(kcmp, syscall(SYS_kcmp, getpid(), getpid(), 0, 0, 0))
TRY(keyctl, syscall(SYS_keyctl, 0, -3, 0))
TRY(add_key, syscall(SYS_add_key, "user", "pincer", "x", 1, -3))
TRY(request_key, syscall(SYS_request_key, "user", "pincer", 0, -3))
TRY(bpf, syscall(SYS_bpf, 0, page, 48))
TRY(perf_event_open, syscall(SYS_perf_event_open, page, 0, -1, -1, 0))
TRY(userfaultfd, syscall(SYS_userfaultfd, 1))
TRY(name_to_handle_at, syscall(SYS_name_to_handle_at, AT_FDCWD, "/", page, page + 2048, 0))
TRY(open_by_handle_at, syscall(SYS_open_by_handle_at, AT_FDCWD, page, 0))
TRY(fanotify_init, syscall(SYS_fanotify_init, 0, 0))
TRY(init_module, syscall(SYS_init_module, page, 0, ""))
TRY(finit_module, syscall(SYS_finit_module, 0, "", 0))
TRY(delete_module, syscall(SYS_delete_module, "none", 0))
TRY(kexec_load, syscall(SYS_kexec_load, 0, 0, 0, 0))
TRY(reboot, syscall(SYS_reboot, 0, 0, 0, 0))
TRY(swapon, syscall(SYS_swapon, "/tmp/none", 0))
TRY(acct, syscall(SYS_acct, 0))
TRY(syslog, syscall(SYS_syslog, 3, page, 10))
TRY(settimeofday, syscall(SYS_settimeofday, 0, 0))
TRY(sethostname, sethostname("x", 1))
TRY(quotactl_fd, syscall(SYS_quotactl_fd, 0, 0, 0, 0))
TRY(mknod, mknod("/tmp/disk", S_IFBLK | 0600, makedev(8, 0)))
TRY(setuid, getuid() == 0 ? (errno = EPERM, -1) : setuid(0))
TRY(af_unix, try_socket(AF_UNIX, SOCK_STREAM, 0))
TRY(unix_path, unix_connect(0))
TRY(unix_abstract, unix_connect(1))
TRY(af_vsock, try_socket(40, SOCK_STREAM, 0))
TRY(af_alg, try_socket(38, SOCK_SEQPACKET, 0))
TRY(af_packet, try_socket(17, SOCK_RAW, 0))
TRY(raw_icmp, try_socket(AF_INET, SOCK_RAW, 1))
TRY(datagram_pair, datagram_pair())
TRY(netlink_events, try_socket(AF_NETLINK, SOCK_RAW, 15))
TRY(netlink_audit, try_socket(AF_NETLINK, SOCK_RAW, 9))
TRY(lease, lease())
TRY(create_set_id, created("created"))
TRY(create_set_id_newly, created_newly("created-newly"))
TRY(mknod_set_id, mknod("made", S_IFREG | 06755, 0))
TRY(tiocsti, terminal_ioctl(TIOCSTI, "x"))
TRY(tioclinux, terminal_ioctl(TIOCLINUX, "\003"))
TRY(tiocsetd, terminal_ioctl(TIOCSETD, &(int){15}))
TRY(foreign_convention, foreign_convention())
TRY(foreign_architecture, foreign_architecture())

#define ROW(id) {#id, try_##id}
static const struct attempt attempts[] = {
    ROW(unshare_user), ROW(unshare_mount), ROW(unshare_net), ROW(clone_user), ROW(clone_pid), ROW(clone_net),
    ROW(clone_cgroup), ROW(clone3_user), ROW(setns), ROW(mount), ROW(remount), ROW(umount), ROW(pivot_root),
    ROW(chroot), ROW(fsopen), ROW(fspick), ROW(open_tree), ROW(move_mount), ROW(mount_setattr), ROW(io_uring_setup),
    ROW(io_uring_enter), ROW(io_uring_register), ROW(ptrace_me), ROW(ptrace_attach), ROW(ptrace_seize),
    ROW(process_vm_readv), ROW(process_vm_writev), ROW(pidfd_getfd), ROW(kcmp), ROW(keyctl), ROW(add_key),
    ROW(request_key), ROW(bpf), ROW(perf_event_open), ROW(userfaultfd), ROW(name_to_handle_at), ROW(open_by_handle_at),
    ROW(fanotify_init), ROW(init_module), ROW(finit_module), ROW(delete_module), ROW(kexec_load), ROW(reboot),
    ROW(swapon), ROW(acct), ROW(syslog), ROW(settimeofday), ROW(sethostname), ROW(quotactl_fd), ROW(mknod), ROW(setuid),
    ROW(af_unix), ROW(unix_path), ROW(unix_abstract), ROW(af_vsock), ROW(af_alg), ROW(af_packet), ROW(raw_icmp),
    ROW(datagram_pair), ROW(netlink_events), ROW(netlink_audit), ROW(lease), ROW(create_set_id), ROW(create_set_id_newly),
    ROW(mknod_set_id), ROW(tiocsti), ROW(tioclinux), ROW(tiocsetd), ROW(foreign_convention), ROW(foreign_architecture),
};

static int is_wanted(const char *name, int count, char **names) {
  if (count == 0) return 1;
  for (int i = 0; i < count; i++)
    if (strcmp(name, names[i]) == 0) return 1;
  return 0;
}

int main(int count, char **names) {
  for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
    if (!is_wanted(attempts[i].name, count - 1, names + 1)) continue;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
      alarm(30);
      errno = 0;
      long result = attempts[i].run();
      int error = errno;
      if (sleeping > 0) kill(sleeping, SIGKILL); /* one that was attached to would stay, stopped */
      _exit(result >= 0 ? 0 : error == 0 ? 255 : error);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status)) printf("%s signal %d\n", attempts[i].name, WTERMSIG(status));
    else if (WEXITSTATUS(status) == 0) printf("%s allowed\n", attempts[i].name);
    else printf("%s %d\n", attempts[i].name, WEXITSTATUS(status));
  }
  return 0;
}
