/**
 * The profile of a bubblewrap sandbox as data: what is seen inside, in the order in which it is laid over each other. A pure
 * function: what stands on this machine was looked up before (`profile/`), and what starts it comes later (`bubblewrap/`).
 */
import type { SandboxLimits } from '../../wire/sandbox.ts';
import { INSIDE } from './backend.ts';
import { FIRST_PIPES } from '../process/runner-messages.ts';

/** What something inside is made from: a thing that is held by a descriptor, or one that only its path names. */
export type Source = { readonly fd: number } | { readonly path: string };

/** One thing of this machine that is seen inside. */
export interface Mount {
  readonly source: Source;
  readonly target: string;
  readonly access: 'ro' | 'rw';
}

/** One thing of the root: bound from the same path, a folder, a copy of what a descriptor reads, a link, or a text of our own. */
export type RootPart =
  | { readonly kind: 'bind'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'copy'; readonly path: string; readonly fd: number }
  | Link
  | { readonly kind: 'text'; readonly path: string; readonly text: string };

/** A link inside. */
export interface Link {
  readonly kind: 'link';
  readonly path: string;
  readonly to: string;
}

/** What is put over a part of the workspace. */
export interface Guard {
  /** The path inside. */
  readonly target: string;
  /** `pin`: as it is, but it cannot be moved away. `ro`: not written. `hidden`: an empty folder instead. */
  readonly how: 'pin' | 'ro' | 'hidden';
  readonly source: Source;
}

/** What the kernel tells about the whole machine. */
export interface KernelFiles {
  /** Seen, never written. */
  readonly readOnly: readonly string[];
  readonly maskedFiles: readonly string[];
  readonly maskedFolders: readonly string[];
}

/** Everything that a sandbox is made from. */
export interface ProfileParts {
  /** Who is seen inside. */
  readonly inhabitant: { readonly uid: number; readonly gid: number };
  readonly limits: Pick<SandboxLimits, 'tmpBytes'>;
  readonly root: readonly RootPart[];
  readonly kernel: KernelFiles;
  /** Things of the root that this user may read and others may not. */
  readonly masked: { readonly files: readonly string[]; readonly folders: readonly string[] };
  /** What the agent inside needs; links to what is seen anyway, for a mount costs more than all else. */
  readonly provisions: readonly (Mount | Link)[];
  readonly workspace: Mount;
  readonly guards: readonly Guard[];
  /** The operator's. */
  readonly binds: readonly Mount[];
  /** Put over the operator's binds. */
  readonly lastGuards: readonly Guard[];
  readonly env: Readonly<Record<string, string>>;
  readonly seccomp: Uint8Array;
}

/** What bubblewrap is told, and the descriptors that it is told about: bytes to be read, or what a descriptor of ours holds. */
export interface Profile {
  readonly args: readonly string[];
  /** The first one becomes descriptor `FIRST_DESCRIPTOR` of bubblewrap, and so on. */
  readonly descriptors: readonly (Uint8Array | number)[];
}

/** 0, 1 and 2 are the usual ones, 3 is the agent's channel, 4 the arguments, 5 where bubblewrap says who runs. */
export const ARGS_DESCRIPTOR = 4;
export const INFO_DESCRIPTOR = 5;
export const FIRST_DESCRIPTOR = 6;

/** The home of commands inside; it shares the size of /tmp. */
export const HOME_INSIDE = '/tmp/home';
/** Where the agent keeps what is its own. */
export const SCRATCH_INSIDE = '/run/pincer';
export const HOSTNAME_INSIDE = 'sandbox';
/** Where programs are looked for, before a profile says otherwise. */
export const PATH_INSIDE = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';

const MIB = 1024 * 1024;
/** Folders and links only: the root itself is never written once the sandbox runs. */
const ROOT_BYTES = 4 * MIB;
const RUN_BYTES = 64 * MIB;
const SHARED_MEMORY_BYTES = 64 * MIB;

/** The profile of these parts. */
export function profile(parts: ProfileParts): Profile {
  const descriptors: (Uint8Array | number)[] = [];
  const hand = (what: Uint8Array | number): string => `${FIRST_DESCRIPTOR + descriptors.push(what) - 1}`;
  const bind = ({ source, target, access }: Mount): string[] => {
    const option = access === 'ro' ? '--ro-bind' : '--bind';
    return 'fd' in source ? [`${option}-fd`, hand(source.fd), target] : [option, source.path, target];
  };
  const guard = ({ target, how, source }: Guard): string[] =>
    how === 'hidden' ? emptyFolder(target) : bind({ source, target, access: how === 'ro' ? 'ro' : 'rw' });

  const args = [
    ['--unshare-user', '--disable-userns', '--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'],
    ['--uid', `${parts.inhabitant.uid}`, '--gid', `${parts.inhabitant.gid}`],
    ['--hostname', HOSTNAME_INSIDE, '--info-fd', `${INFO_DESCRIPTOR}`, '--seccomp', hand(parts.seccomp)],
    ['--size', `${ROOT_BYTES}`, '--tmpfs', '/'],
    parts.root.flatMap((part) => rootPart(part, hand)),
    parts.masked.files.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    parts.masked.folders.flatMap(emptyFolder),
    kernelFiles(parts.kernel),
    ['--perms', '1777', '--size', `${parts.limits.tmpBytes}`, '--tmpfs', '/tmp', '--dir', HOME_INSIDE],
    ['--perms', '0755', '--size', `${RUN_BYTES}`, '--tmpfs', '/run'],
    ['--perms', '0700', '--dir', SCRATCH_INSIDE, '--perms', '0700', '--dir', `${SCRATCH_INSIDE}/${FIRST_PIPES}`],
    ['--dir', '/var/cache', '--dir', '/var/lib', '--dir', '/var/log'],
    ['--symlink', '../run', '/var/run', '--symlink', '../tmp', '/var/tmp'],
    devices(parts.limits.tmpBytes), // many mounts, which make every later one slower
    parts.provisions.flatMap((each) => ('to' in each ? rootPart(each, hand) : bind(each))),
    bind(parts.workspace),
    parts.guards.flatMap(guard),
    parts.binds.flatMap(bind),
    parts.lastGuards.flatMap(guard),
    ['--remount-ro', '/', '--chdir', INSIDE, '--clearenv'],
    Object.entries(parts.env).flatMap(([name, value]) => ['--setenv', name, value]),
  ].flat();
  return { args, descriptors };
}

function rootPart(part: RootPart, hand: (what: Uint8Array | number) => string): string[] {
  if (part.kind === 'bind') return ['--ro-bind', part.path, part.path];
  if (part.kind === 'folder') return ['--perms', '0755', '--dir', part.path];
  if (part.kind === 'link') return ['--symlink', part.to, part.path];
  const content = part.kind === 'copy' ? part.fd : new TextEncoder().encode(part.text);
  return ['--perms', '0444', '--file', hand(content), part.path];
}

/** The folder of devices would be memory without a limit, so only the shared memory in it stays writable. */
function devices(tmpBytes: number): string[] {
  const size = Math.min(SHARED_MEMORY_BYTES, tmpBytes);
  const shared = ['--perms', '1777', '--size', `${size}`, '--tmpfs', '/dev/shm'];
  return ['--dev', '/dev', ...shared, '--remount-ro', '/dev'];
}

/**
 * Bubblewrap leaves /proc/sys writable for the user who owns it: the gateway's root without any capability could still tell
 * the kernel which program to start when another one crashes.
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
