/**
 * What a sandbox promises: one row for each attack of the escape suite (tests/contracts/sandbox-escape), under the same name,
 * so that `pincer sandbox explain` lists what was tested.
 */
import type { SandboxPromise } from '../../../wire/sandbox.ts';

/** In display order. */
export const PROMISES = {
  'root-read-only': 'the root file system is read-only',
  'workspace-rw': 'with access rw the workspace is writable, and new files belong to its owner',
  'workspace-ro': 'with access ro no file in the workspace can be written, moved or removed',
  'workspace-none': 'with access none the workspace is not visible, and a private one is mounted instead',
  'host-files': 'homes, state folders and other folders of the host do not exist inside',
  'host-secrets':
    'shadow files, ssh and TLS keys, sudoers and tokens of the host cannot be read, also when the gateway is root',
  'private-tmp': '/tmp is private to the sandbox',
  'host-processes': 'processes of the host are not visible',
  'kernel-settings': 'settings and triggers of the kernel cannot be written, and its memory and keys cannot be read',
  devices: 'there are no disks, and no device can be created',
  'inherited-descriptors': 'a command has only the descriptors 0, 1 and 2',
  environment: "a command has the declared environment and no variable of the gateway's",
  arguments: 'the command line that starts the sandbox names no host path except the binds',
  'bound-links': 'a symlink in the workspace cannot reach outside, for commands and for file tools',
  'hard-links': 'a file of the host cannot be hard-linked into the workspace',
  'swap-race': 'a workspace that is replaced while the sandbox starts is refused, or the right one is mounted',
  'git-hooks': 'hooks, settings and all other files of every .git cannot be written, moved or replaced',
  'git-missing': 'where there is no repository, none can be created at the top of the workspace',
  'obeyed-files':
    'files that the host obeys later (pincer.jsonc, editor tasks, …) cannot be written where they exist, at any depth',
  'state-hidden': 'the state folder is not visible and cannot be replaced, even when it is in the workspace',
  'set-user-id': 'a setuid program gains no privileges',
  'set-user-id-files': 'no setuid or setgid file can be created that other users on the host could run',
  capabilities: 'a command has no capabilities and cannot get any',
  'no-new-privileges': 'no program gains privileges when it is started',
  seccomp: 'a seccomp filter is loaded',
  'user-namespaces': 'no new namespace can be created or entered',
  mounts: 'no file system can be mounted, unmounted or remounted',
  'io-uring': 'io_uring is blocked',
  'other-memory':
    'memory and descriptors of other processes cannot be accessed with ptrace, process_vm, pidfd_getfd or kcmp',
  keys: 'the kernel keyrings are blocked',
  'kernel-surface':
    'bpf, perf, userfaultfd, file handles, modules, kexec, fanotify, kernel events and the kernel log are blocked',
  leases: 'a lease on a workspace file that would block programs on the host cannot be taken',
  terminals: 'no input can be injected into a terminal',
  'foreign-calls': 'system calls of other ABIs cannot bypass the filter',
  'loopback-only': 'there is no network except a private loopback',
  'host-loopback': "a server on the host's loopback cannot be reached",
  'unix-sockets': 'Unix sockets of the host cannot be reached, by path or by abstract name',
  vsock: 'vsock sockets of the virtual machine are blocked',
  'raw-sockets': 'raw and packet sockets are blocked',
  'fork-bomb': 'a fork bomb stops at the process limit, and the sandbox keeps working',
  'memory-bomb': 'a memory bomb stops at the memory limit',
  'file-size': 'a file cannot grow beyond the file size limit',
  'tmp-fill': '/tmp, /dev/shm, /run and /dev cannot be filled beyond their sizes',
  'limits-enforced': 'a configured limit that cannot be enforced is an error',
  'output-flood': 'a flood of output uses bounded memory of the gateway',
  'ends-all': 'the end of a sandbox ends all of its processes, including daemons',
  'kill-tree': 'the end of a command ends its daemons too, and no other process',
  'gateway-killed': 'a killed gateway leaves no process behind',
  'background-server': 'the next command can reach a server that an earlier one started',
  'terminal-inside': 'a terminal belongs to the sandbox, has job control, and loses no output at its end',
  'egress-denied': 'host names that are not allowed, and IP addresses, are refused',
  'egress-allowed': 'an allowed host name can be reached, and only through the gateway',
  'egress-rebinding': 'an allowed host name that resolves to a private address is refused',
} as const satisfies Readonly<Record<string, string>>;

export type PromiseId = keyof typeof PROMISES;

/**
 * Not promised of a container whose runtime has its own kernel. That kernel isolates well too, but it does not apply pincer's
 * seccomp filter, and the host cannot see its processes.
 */
export const KERNEL_PROMISES: readonly PromiseId[] = [
  'host-files',
  'kernel-settings',
  'devices',
  'set-user-id-files',
  'capabilities',
  'no-new-privileges',
  'seccomp',
  'user-namespaces',
  'io-uring',
  'other-memory',
  'kernel-surface',
  'leases',
  'terminals',
  'foreign-calls',
  'unix-sockets',
  'vsock',
  'raw-sockets',
  'fork-bomb',
  'file-size',
  'tmp-fill',
  'ends-all',
  'kill-tree',
];

/** Kept by mounts over files of a writable workspace; the kernel removes such a mount when the host replaces the file. */
const GUARD_PROMISES: readonly PromiseId[] = ['git-hooks', 'git-missing', 'obeyed-files'];
const GUARD_LIMITS =
  'protects from mistakes, not from hostile code: a file that the host replaces is not guarded until the next command; a guarded file can be written through another hard link; new and changed files are reported after the command';

/** Adds what guards cannot prevent, for a writable workspace. */
export function withGuardLimits(promises: readonly SandboxPromise[]): readonly SandboxPromise[] {
  const byGuards: ReadonlySet<string> = new Set(GUARD_PROMISES);
  return promises.map((promise) =>
    promise.holds && byGuards.has(promise.id) ? { ...promise, reason: GUARD_LIMITS } : promise,
  );
}

/** `broken` are the promises that the backend cannot keep on this machine, with the reasons. */
export function promisesOf(broken: Readonly<Partial<Record<PromiseId, string>>> = {}): readonly SandboxPromise[] {
  return (Object.entries(PROMISES) as [PromiseId, string][]).map(([id, what]) => {
    const reason = broken[id];
    return reason === undefined ? { id, what, holds: true } : { id, what, holds: false, reason };
  });
}
