/** The root file system of a sandbox: the host's programs, and from /etc only world-readable files that programs need. */
import { existsSync, lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow } from '../../../base/inside.ts';
import { INSIDE } from '../backend.ts';
import { HOSTNAME_INSIDE, type KernelFiles, type RootPart } from '../profile.ts';
import type { PathHandles } from './path-handles.ts';

/** Symlinks into /usr on most systems, folders on others. */
const BESIDE_USR = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Nothing else: no accounts, keys, tokens, or settings of package managers, which often contain passwords. */
const IN_ETC = [
  'alternatives ld.so.cache ld.so.conf ld.so.conf.d ld-musl-x86_64.path ld-musl-aarch64.path profile',
  'profile.d bash.bashrc bashrc bash_completion bash_completion.d inputrc shells zsh zshenv zshrc',
  'zprofile fish terminfo DIR_COLORS localtime timezone locale.alias locale.conf locale.gen',
  'default/locale os-release lsb-release debian_version redhat-release fedora-release alpine-release',
  'ssl/certs ssl/cert.pem ssl/openssl.cnf ca-certificates ca-certificates.conf pki/tls/certs',
  'pki/tls/cert.pem pki/tls/openssl.cnf pki/ca-trust crypto-policies services protocols rpc networks',
  'host.conf gai.conf mime.types magic magic.mime fonts xml sgml groff manpath.config papersize perl',
  'python3 texmf ImageMagick-6 ImageMagick-7 vim xattr.conf',
].flatMap((line) => line.split(' '));
const IN_ETC_BY_NAME = /^(?:python3\.\d+|java-\d+-openjdk|java)$/u;

export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

/** Larger files and folders of /etc are bind-mounted: a copy takes memory, and each file a descriptor. */
const LONGEST_COPY = 128 * 1024;
const MOST_COPIED = 8;

export function rootParts(
  { uid, gid }: UserIds,
  home: string,
  handles: Pick<PathHandles, 'openForReading'>,
): RootPart[] {
  const names = [...IN_ETC, ...readdirSync('/etc').filter((name) => IN_ETC_BY_NAME.test(name))];
  return [
    { kind: 'bind', path: '/usr' },
    ...BESIDE_USR.flatMap((path) => partAt(path, handles)),
    ...names.flatMap((name) => partAt(join('/etc', name), handles)),
    { kind: 'link', path: '/etc/mtab', to: '/proc/self/mounts' },
    ...texts(uid, gid, home),
  ];
}

/** Every mount slows down all later ones, so small files, and folders with few of them, are copied. */
function partAt(path: string, handles: Pick<PathHandles, 'openForReading'>): RootPart[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (stats.isSymbolicLink()) return [{ kind: 'link', path, to: readlinkSync(path) }];
  const isWorldReadable = (stats.mode & 0o004) !== 0;
  if (!isWorldReadable || !(stats.isFile() || stats.isDirectory())) return [];
  if (stats.isFile() && stats.size <= LONGEST_COPY) return [{ kind: 'copy', path, fd: handles.openForReading(path) }];
  const names = stats.isDirectory() ? fewNames(path) : undefined;
  if (names === undefined) return [{ kind: 'bind', path }];
  return [{ kind: 'folder', path }, ...names.flatMap((name) => partAt(join(path, name), handles))];
}

/** The entries of a small folder in /etc; undefined for large folders and for folders of programs. */
function fewNames(path: string): string[] | undefined {
  if (!path.startsWith('/etc/')) return undefined;
  const names = readdirSync(path);
  return names.length <= MOST_COPIED ? names : undefined;
}

/** These files are generated, so that a sandbox does not see the accounts and host names of this machine. */
function texts(uid: number, gid: number, home: string): RootPart[] {
  const users: readonly (readonly [string, number, number, string])[] = [
    ['sandbox', uid, gid, home],
    ...(uid === 0 ? [] : [['root', 0, 0, '/'] as const]),
    ...(uid === 65534 ? [] : [['nobody', 65534, 65534, '/'] as const]),
  ];
  const groups: readonly (readonly [string, number])[] = [
    ['sandbox', gid],
    ...(gid === 0 ? [] : [['root', 0] as const]),
    ...(gid === 65534 ? [] : [['nogroup', 65534] as const]),
    ['tty', 5],
  ];
  const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('');
  return [
    {
      kind: 'text',
      path: '/etc/passwd',
      text: lines(users.map(([name, user, group, folder]) => `${name}:x:${user}:${group}::${folder}:/bin/sh`)),
    },
    { kind: 'text', path: '/etc/group', text: lines(groups.map(([name, group]) => `${name}:x:${group}:`)) },
    {
      kind: 'text',
      path: '/etc/hosts',
      text: lines([`127.0.0.1 localhost ${HOSTNAME_INSIDE}`, `::1 localhost ${HOSTNAME_INSIDE}`]),
    },
    { kind: 'text', path: '/etc/hostname', text: `${HOSTNAME_INSIDE}\n` },
    {
      kind: 'text',
      path: '/etc/nsswitch.conf',
      text: lines(['passwd: files', 'group: files', 'hosts: files', 'services: files', 'protocols: files']),
    },
    // When the gateway dropped root, repositories may belong to another user than the one inside.
    { kind: 'text', path: '/etc/gitconfig', text: `[safe]\n\tdirectory = ${INSIDE}\n\tdirectory = ${INSIDE}/*\n` },
  ];
}

export interface MaskedPaths {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Whether a host path is visible inside at the same path. */
export function isVisible(path: string, parts: readonly RootPart[], { files, folders }: MaskedPaths): boolean {
  if (files.includes(path) || folders.some((folder) => isBelow(path, folder))) return false;
  return parts.some((part) => part.kind === 'bind' && isBelow(path, part.path));
}

/**
 * Folders two levels below those of packages are not searched: on many machines they contain more than 100,000 files, which
 * takes a second of CPU time. Private folders of a package or an operator are above that level.
 */
const NOT_SEARCHED = /^\/usr\/(?:bin|sbin|include|lib(?:32|64|x32)?|share)\/[^/]+\/[^/]+$/u;

/**
 * Files and folders below the bound folders that only root may read, for a sandbox that keeps uid 0: all of /etc, /usr/local,
 * /usr/src and the rest of /usr, and two levels of the package folders.
 */
export function pathsToMask(parts: readonly RootPart[]): MaskedPaths {
  const tops = parts.flatMap(({ kind, path }) => (kind === 'bind' && /^\/(?:etc\/|usr$)/u.test(path) ? [path] : []));
  const key = tops.join(' ');
  if (cached?.key === key && performance.now() - cached.at < CACHE_MS && allExist(cached.masked)) return cached.masked;
  const found = tops.map(unreadableBelow);
  const masked = { files: found.flatMap(({ files }) => files), folders: found.flatMap(({ folders }) => folders) };
  cached = { key, at: performance.now(), masked };
  return masked;
}

/** A search reads thousands of files, and many sandboxes may start at the same time. */
const CACHE_MS = 60_000;
let cached: { readonly key: string; readonly at: number; readonly masked: MaskedPaths } | undefined;

/** Bubblewrap fails on a mount over a removed path. */
function allExist({ files, folders }: MaskedPaths): boolean {
  return [...files, ...folders].every((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
}

/** The paths at and below `top` that others may not read. */
export function unreadableBelow(top: string): MaskedPaths {
  const files: string[] = [];
  const folders: string[] = [];
  const look = (path: string): void => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.isSymbolicLink()) return;
    if (!stats.isDirectory()) {
      if ((stats.mode & 0o004) === 0) files.push(path);
    } else if ((stats.mode & 0o001) === 0) folders.push(path);
    else if (!NOT_SEARCHED.test(path)) for (const name of readdirSync(path)) look(join(path, name));
  };
  look(top);
  return { files, folders };
}

/** Many programs read these; none inside may write them. */
const READ_ONLY = ['/proc/sys', '/proc/bus', '/proc/fs', '/proc/irq', '/proc/pressure', '/proc/tty', '/proc/driver'];
/** Memory, keys, timers and the load of other tenants: for the administrator of the machine only. */
const MASKED = [
  '/proc/acpi /proc/asound /proc/scsi /proc/kcore /proc/keys /proc/key-users /proc/kmsg /proc/kallsyms',
  '/proc/kpagecgroup /proc/kpagecount /proc/kpageflags /proc/latency_stats /proc/iomem /proc/ioports',
  '/proc/mtrr /proc/sched_debug /proc/slabinfo /proc/sysrq-trigger /proc/timer_list /proc/timer_stats',
  '/proc/vmallocinfo /proc/config.gz /proc/modules',
].flatMap((line) => line.split(' '));

/** Only paths that this kernel has. */
export function kernelFiles(): KernelFiles {
  const masked = MASKED.filter((path) => existsSync(path));
  const isFolder = (path: string): boolean => statSync(path).isDirectory();
  return {
    readOnly: READ_ONLY.filter((path) => existsSync(path)),
    maskedFiles: masked.filter((path) => !isFolder(path)),
    maskedFolders: masked.filter(isFolder),
  };
}
