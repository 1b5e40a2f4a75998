/**
 * What a sandbox promises: one row for each thing that the escape suite tries (tests/contracts/sandbox-escape), under the same
 * name, so that what `pincer sandbox explain` says is what was tried.
 */
import type { BackendName, SandboxPromise } from '../../../wire/sandbox.ts';

/** The rows, in the order in which they are shown. */
export const PROMISES = {
  'root-read-only': 'programs and settings of the root cannot be written',
  'workspace-rw': 'with access rw the workspace can be written, and what is written belongs to its owner',
  'workspace-ro': 'with access ro nothing in the workspace can be written, moved or removed',
  'workspace-none': 'with access none the workspace is not seen, and a private one is there instead',
  'host-files': 'homes, state folders and other folders of the host do not exist inside',
  'host-secrets':
    'shadow files, ssh and TLS keys, sudoers and tokens of the host cannot be read, also when the gateway is root',
  'private-tmp': '/tmp is the own one of the sandbox',
  'host-processes': 'processes of the host are not seen',
  'kernel-settings': 'settings and triggers of the kernel cannot be written, and its memory and keys cannot be read',
  devices: 'there are no disks, and no device can be made',
  'inherited-descriptors': 'a command has only the descriptors 0, 1 and 2',
  environment: "a command has the declared environment and nothing of the gateway's",
  arguments: 'the arguments of what runs the sandbox name nothing of the host but what is bound',
  'bound-links': 'a link in the workspace leads nowhere outside, for commands and for file tools',
  'hard-links': 'a file of the host cannot be linked into the workspace',
  'swap-race': 'a workspace that is swapped while the sandbox starts is refused or is the right one',
  'git-hooks': 'hooks, settings and the rest of every .git cannot be written, moved away or replaced',
  'git-missing': 'where there is no repository, none can be made at the top of the workspace',
  'obeyed-files':
    'files that the host obeys later (pincer.jsonc, editor tasks, …) cannot be written where they exist, at any depth',
  'state-hidden': 'the state folder is not seen and cannot be replaced, also when it stands in the workspace',
  'set-user-id': 'a set-user-id program gains nothing',
  'set-user-id-files': 'no file can be made that others on the host would run with the rights of its owner',
  capabilities: 'a command has no capabilities and cannot get any',
  'no-new-privileges': 'no program gains privileges when it is started',
  seccomp: 'a filter on system calls is loaded',
  'user-namespaces': 'no new namespace can be made or entered',
  mounts: 'nothing can be mounted, unmounted or remounted',
  'io-uring': 'io_uring is closed',
  'other-memory':
    'memory and descriptors of other processes cannot be taken with ptrace, process_vm, pidfd_getfd or kcmp',
  keys: 'the keyrings of the kernel are closed',
  'kernel-surface':
    'bpf, perf, userfaultfd, file handles, modules, kexec, fanotify, kernel events and the kernel log are closed',
  leases: 'a file of the workspace cannot be held so that the host waits for it',
  terminals: 'no input can be pushed into a terminal',
  'foreign-calls': 'system calls of other conventions do not pass the filter by',
  'loopback-only': 'there is no network but the own loopback',
  'host-loopback': "a server on the host's loopback cannot be reached",
  'unix-sockets': 'Unix sockets of the host cannot be reached, by path and by abstract name',
  vsock: "the virtual machine's own sockets are closed",
  'raw-sockets': 'raw and packet sockets are closed',
  'fork-bomb': 'a fork bomb ends at the limit of processes, and the sandbox goes on',
  'memory-bomb': 'a memory bomb ends at the limit of memory',
  'file-size': 'a file ends at the limit of its size',
  'tmp-fill': '/tmp, /dev/shm, /run and /dev cannot be filled beyond their sizes',
  'limits-enforced': 'a limit that is set and cannot be enforced is an error',
  'output-flood': "a flood of output is bounded in the gateway's memory",
  'ends-all': 'the end of a sandbox ends everything in it, daemons included',
  'kill-tree': 'the end of a command ends its daemons too, and nothing else',
  'gateway-killed': 'a killed gateway leaves nothing behind',
  'background-server': 'a server that one command started is reached by the next',
  'terminal-inside': 'a terminal is one of the sandbox, with job control, and loses nothing at its end',
  'egress-denied': 'names that are not allowed, and addresses instead of names, are refused',
  'egress-allowed': 'an allowed name is reached, and only through the gateway',
  'egress-rebinding': 'an allowed name that leads to a private address is refused',
} as const satisfies Readonly<Record<string, string>>;

export type PromiseId = keyof typeof PROMISES;

/** What a backend cannot hold on every machine, with the reason. */
const LACKS: Readonly<Partial<Record<BackendName, Readonly<Partial<Record<PromiseId, string>>>>>> = {};

/**
 * What is not promised of a container whose runtime brings a kernel of its own: that kernel is another wall, and a good one, but our filter on
 * system calls is not asked there, and its processes are not seen from outside.
 */
export const OF_THIS_KERNEL: readonly PromiseId[] = [
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

/** Held by mounts over files of a writable workspace, which the kernel takes away when the host replaces those files. */
const BY_GUARDS: readonly PromiseId[] = ['git-hooks', 'git-missing', 'obeyed-files'];
const NOT_LOSSLESS =
  'protects from mistakes, not from hostile code: a file that the host replaces is not guarded until the next command; a hard link of a guarded file can be written; what is new or changed is told after the command';

/** The promises for a workspace that can be written. */
export function promisesOfWritable(promises: readonly SandboxPromise[]): readonly SandboxPromise[] {
  const byGuards: ReadonlySet<string> = new Set(BY_GUARDS);
  return promises.map((promise) =>
    promise.holds && byGuards.has(promise.id) ? { ...promise, reason: NOT_LOSSLESS } : promise,
  );
}

/** What a backend promises; `more` adds what does not hold on this machine. */
export function promisesOf(
  backend: BackendName,
  more: Readonly<Partial<Record<PromiseId, string>>> = {},
): readonly SandboxPromise[] {
  const lacks = { ...LACKS[backend], ...more };
  return (Object.entries(PROMISES) as [PromiseId, string][]).map(([id, what]) => {
    const reason = lacks[id];
    return reason === undefined ? { id, what, holds: true } : { id, what, holds: false, reason };
  });
}
