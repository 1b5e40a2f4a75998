/** What of this machine's own root a sandbox sees: programs, and of /etc only what programs need and everybody may read. */
import { existsSync, lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow } from '../../../base/inside.ts';
import { INSIDE } from '../backend.ts';
import { HOSTNAME_INSIDE, type KernelFiles, type RootPart } from '../profile.ts';
import type { Holds } from './hold.ts';

/** Links into /usr on most systems, folders of their own on others. */
const BESIDE_USR = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Never more than this: no accounts, keys, tokens, nor settings of package tools, which often hold passwords. */
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
/** Their names carry a version. */
const IN_ETC_BY_NAME = /^(?:python3\.\d+|java-\d+-openjdk|java)$/u;

/** Who runs inside. */
export interface Inhabitant {
  readonly uid: number;
  readonly gid: number;
}

/** Longer files and fuller folders of /etc are bound: what is copied takes memory, and each file a descriptor. */
const LONGEST_COPY = 128 * 1024;
const MOST_COPIED = 8;

/** The parts of the root, as they stand on this machine. */
export function rootParts({ uid, gid }: Inhabitant, home: string, holds: Pick<Holds, 'read'>): RootPart[] {
  const names = [...IN_ETC, ...readdirSync('/etc').filter((name) => IN_ETC_BY_NAME.test(name))];
  return [
    { kind: 'bind', path: '/usr' },
    ...BESIDE_USR.flatMap((path) => partAt(path, holds)),
    ...names.flatMap((name) => partAt(join('/etc', name), holds)),
    { kind: 'link', path: '/etc/mtab', to: '/proc/self/mounts' },
    ...texts(uid, gid, home),
  ];
}

/** Every mount makes all others slower to make, so small things are copied: files, and folders that hold few of them. */
function partAt(path: string, holds: Pick<Holds, 'read'>): RootPart[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (stats.isSymbolicLink()) return [{ kind: 'link', path, to: readlinkSync(path) }];
  const isOpen = (stats.mode & 0o004) !== 0;
  if (!isOpen || !(stats.isFile() || stats.isDirectory())) return [];
  if (stats.isFile() && stats.size <= LONGEST_COPY) return [{ kind: 'copy', path, fd: holds.read(path) }];
  const names = stats.isDirectory() ? namesOfFew(path) : undefined;
  if (names === undefined) return [{ kind: 'bind', path }];
  return [{ kind: 'folder', path }, ...names.flatMap((name) => partAt(join(path, name), holds))];
}

/** What a folder of settings holds, where that is little; folders of programs are never looked through. */
function namesOfFew(path: string): string[] | undefined {
  if (!path.startsWith('/etc/')) return undefined;
  const names = readdirSync(path);
  return names.length <= MOST_COPIED ? names : undefined;
}

/** Accounts and names of this machine are nobody's business inside, so these files are our own. */
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
    // Repositories belong to another user than the one inside when the gateway gave up its rights.
    { kind: 'text', path: '/etc/gitconfig', text: `[safe]\n\tdirectory = ${INSIDE}\n\tdirectory = ${INSIDE}/*\n` },
  ];
}

/** What is put over things that others may not read. */
export interface Closed {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Whether a thing of this machine is seen inside at its own path. */
export function isSeen(path: string, parts: readonly RootPart[], { files, folders }: Closed): boolean {
  if (files.includes(path) || folders.some((folder) => isBelow(path, folder))) return false;
  return parts.some((part) => part.kind === 'bind' && isBelow(path, part.path));
}

/**
 * Folders two levels down in what packages fill: they hold more than 100,000 files on many machines, so they are not searched
 * (a second of processor time). What a package or an operator puts into a folder of its own is above them.
 */
const NOT_SEARCHED = /^\/usr\/(?:bin|sbin|include|lib(?:32|64|x32)?|share)\/[^/]+\/[^/]+$/u;

/**
 * Files and folders below the bound folders that only root may read, for a gateway that keeps uid 0: all of them in /etc,
 * /usr/local, /usr/src and whatever else is in /usr, and two levels of the folders that packages fill.
 */
export function closedParts(parts: readonly RootPart[]): Closed {
  const tops = parts.flatMap(({ kind, path }) => (kind === 'bind' && /^\/(?:etc\/|usr$)/u.test(path) ? [path] : []));
  const key = tops.join(' ');
  if (looked?.key === key && performance.now() - looked.at < LOOK_EVERY_MS && areThere(looked.closed))
    return looked.closed;
  const found = tops.map(closedBelow);
  const closed = { files: found.flatMap(({ files }) => files), folders: found.flatMap(({ folders }) => folders) };
  looked = { key, at: performance.now(), closed };
  return closed;
}

/** There are thousands of files to look at, and many sandboxes may be made at once. */
const LOOK_EVERY_MS = 60_000;
let looked: { readonly key: string; readonly at: number; readonly closed: Closed } | undefined;

/** A sandbox cannot put anything over what was removed since. */
function areThere({ files, folders }: Closed): boolean {
  return [...files, ...folders].every((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
}

/** What others may not read, at a path and below it. */
export function closedBelow(top: string): Closed {
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

/** Told by the kernel about the whole machine: read by many programs, written by none inside. */
const READ_ONLY = ['/proc/sys', '/proc/bus', '/proc/fs', '/proc/irq', '/proc/pressure', '/proc/tty', '/proc/driver'];
/** Memory, keys, timers and other tenants' load: for the machine's own administrator. */
const MASKED = [
  '/proc/acpi /proc/asound /proc/scsi /proc/kcore /proc/keys /proc/key-users /proc/kmsg /proc/kallsyms',
  '/proc/kpagecgroup /proc/kpagecount /proc/kpageflags /proc/latency_stats /proc/iomem /proc/ioports',
  '/proc/mtrr /proc/sched_debug /proc/slabinfo /proc/sysrq-trigger /proc/timer_list /proc/timer_stats',
  '/proc/vmallocinfo /proc/config.gz /proc/modules',
].flatMap((line) => line.split(' '));

/** What of /proc is put out of reach, as far as this kernel has it. */
export function kernelFiles(): KernelFiles {
  const masked = MASKED.filter((path) => existsSync(path));
  const isFolder = (path: string): boolean => statSync(path).isDirectory();
  return {
    readOnly: READ_ONLY.filter((path) => existsSync(path)),
    maskedFiles: masked.filter((path) => !isFolder(path)),
    maskedFolders: masked.filter(isFolder),
  };
}
