/**
 * Builds the arguments of bubblewrap: all mounts of a sandbox, in mount order. This is a pure function; `profile/` collects
 * its inputs from this machine, and `bubblewrap/` starts the result.
 */
import type { SandboxLimits } from '../../wire/sandbox.ts';
import { INSIDE } from './backend.ts';
import { FIRST_PIPES } from '../process/runner-messages.ts';

/** What a mount binds: an open O_PATH descriptor, or a path. */
export type MountSource = { readonly fd: number } | { readonly path: string };

/** A bind mount of a host path. */
export interface Mount {
  readonly source: MountSource;
  readonly target: string;
  readonly access: 'ro' | 'rw';
}

/** An entry of the root file system: a bind of the same path, an empty folder, a copy of a descriptor's content, a symlink, or a given text. */
export type RootPart =
  | { readonly kind: 'bind'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'copy'; readonly path: string; readonly fd: number }
  | Link
  | { readonly kind: 'text'; readonly path: string; readonly text: string };

export interface Link {
  readonly kind: 'link';
  readonly path: string;
  readonly to: string;
}

/** A mount over a path of the workspace. */
export interface Guard {
  /** The path inside. */
  readonly target: string;
  /** `pin`: writable, but cannot be moved. `ro`: read-only. `hidden`: replaced by an empty folder. */
  readonly how: 'pin' | 'ro' | 'hidden';
  readonly source: MountSource;
}

/** Paths of /proc that expose the whole machine. */
export interface KernelFiles {
  readonly readOnly: readonly string[];
  readonly maskedFiles: readonly string[];
  readonly maskedFolders: readonly string[];
}

export interface ProfileParts {
  /** The uid and gid that processes inside see. */
  readonly ids: { readonly uid: number; readonly gid: number };
  readonly limits: Pick<SandboxLimits, 'tmpBytes'>;
  readonly root: readonly RootPart[];
  readonly kernel: KernelFiles;
  /** Paths that this user can read and others cannot. */
  readonly masked: { readonly files: readonly string[]; readonly folders: readonly string[] };
  /** The files of the runner. Those that are visible anyway are symlinks, because mounts dominate the start time. */
  readonly provisions: readonly (Mount | Link)[];
  readonly workspace: Mount;
  readonly guards: readonly Guard[];
  /** The binds of the operator. */
  readonly binds: readonly Mount[];
  /** Mounted over the operator's binds. */
  readonly lastGuards: readonly Guard[];
  readonly env: Readonly<Record<string, string>>;
  readonly seccomp: Uint8Array;
}

export interface Profile {
  readonly args: readonly string[];
  /** Bytes for a pipe, or an open descriptor. The first becomes descriptor `FIRST_DESCRIPTOR` of bubblewrap, and so on. */
  readonly descriptors: readonly (Uint8Array | number)[];
}

/** 0, 1 and 2 are stdin, stdout and stderr, 3 is the agent's channel, 4 the arguments, 5 receives the PID from bubblewrap. */
export const ARGS_DESCRIPTOR = 4;
export const INFO_DESCRIPTOR = 5;
export const FIRST_DESCRIPTOR = 6;

/** On /tmp, so it shares the size of /tmp. */
export const HOME_INSIDE = '/tmp/home';
/** The agent's own files. */
export const SCRATCH_INSIDE = '/run/pincer';
export const HOSTNAME_INSIDE = 'sandbox';
/** The default PATH. */
export const PATH_INSIDE = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';

const MIB = 1024 * 1024;
/** Enough for folders and symlinks: the root is read-only once the sandbox runs. */
const ROOT_BYTES = 4 * MIB;
const RUN_BYTES = 64 * MIB;
const SHARED_MEMORY_BYTES = 64 * MIB;

export function profile(parts: ProfileParts): Profile {
  const descriptors: (Uint8Array | number)[] = [];
  const pass = (what: Uint8Array | number): string => `${FIRST_DESCRIPTOR + descriptors.push(what) - 1}`;
  const bind = ({ source, target, access }: Mount): string[] => {
    const option = access === 'ro' ? '--ro-bind' : '--bind';
    return 'fd' in source ? [`${option}-fd`, pass(source.fd), target] : [option, source.path, target];
  };
  const guard = ({ target, how, source }: Guard): string[] =>
    how === 'hidden' ? emptyFolder(target) : bind({ source, target, access: how === 'ro' ? 'ro' : 'rw' });

  const args = [
    ['--unshare-user', '--disable-userns', '--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'],
    ['--uid', `${parts.ids.uid}`, '--gid', `${parts.ids.gid}`],
    ['--hostname', HOSTNAME_INSIDE, '--info-fd', `${INFO_DESCRIPTOR}`, '--seccomp', pass(parts.seccomp)],
    ['--size', `${ROOT_BYTES}`, '--tmpfs', '/'],
    parts.root.flatMap((part) => rootPart(part, pass)),
    parts.masked.files.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    parts.masked.folders.flatMap(emptyFolder),
    kernelFiles(parts.kernel),
    ['--perms', '1777', '--size', `${parts.limits.tmpBytes}`, '--tmpfs', '/tmp', '--dir', HOME_INSIDE],
    ['--perms', '0755', '--size', `${RUN_BYTES}`, '--tmpfs', '/run'],
    ['--perms', '0700', '--dir', SCRATCH_INSIDE, '--perms', '0700', '--dir', `${SCRATCH_INSIDE}/${FIRST_PIPES}`],
    ['--dir', '/var/cache', '--dir', '/var/lib', '--dir', '/var/log'],
    ['--symlink', '../run', '/var/run', '--symlink', '../tmp', '/var/tmp'],
    devices(parts.limits.tmpBytes), // late, because its many mounts slow down every later one
    parts.provisions.flatMap((each) => ('to' in each ? rootPart(each, pass) : bind(each))),
    bind(parts.workspace),
    parts.guards.flatMap(guard),
    parts.binds.flatMap(bind),
    parts.lastGuards.flatMap(guard),
    ['--remount-ro', '/', '--chdir', INSIDE, '--clearenv'],
    Object.entries(parts.env).flatMap(([name, value]) => ['--setenv', name, value]),
  ].flat();
  return { args, descriptors };
}

function rootPart(part: RootPart, pass: (what: Uint8Array | number) => string): string[] {
  if (part.kind === 'bind') return ['--ro-bind', part.path, part.path];
  if (part.kind === 'folder') return ['--perms', '0755', '--dir', part.path];
  if (part.kind === 'link') return ['--symlink', part.to, part.path];
  const content = part.kind === 'copy' ? part.fd : new TextEncoder().encode(part.text);
  return ['--perms', '0444', '--file', pass(content), part.path];
}

/** /dev is a tmpfs without a size limit, so it is remounted read-only; only /dev/shm stays writable. */
function devices(tmpBytes: number): string[] {
  const size = Math.min(SHARED_MEMORY_BYTES, tmpBytes);
  const shared = ['--perms', '1777', '--size', `${size}`, '--tmpfs', '/dev/shm'];
  return ['--dev', '/dev', ...shared, '--remount-ro', '/dev'];
}

/**
 * Bubblewrap leaves /proc/sys writable for its owner: uid 0 without capabilities could still write core_pattern and make the
 * kernel start a program of its choice as root on the next crash.
 */
function kernelFiles({ readOnly, maskedFiles, maskedFolders }: KernelFiles): string[] {
  return [
    '--proc',
    '/proc',
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...maskedFiles.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...maskedFolders.flatMap(emptyFolder),
  ];
}

function emptyFolder(target: string): string[] {
  return ['--perms', '0755', '--size', '4096', '--tmpfs', target, '--remount-ro', target];
}
