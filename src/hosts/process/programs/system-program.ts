/**
 * Helper programs of the system. None is ever looked up on PATH: whoever controls a folder on PATH would run code with
 * the rights of this process. A helper is taken from a folder that only the administrator can write, and gets neither
 * an environment nor the current folder.
 */
import { readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const FOLDERS = ['/usr/bin', '/bin', '/run/current-system/sw/bin'];
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

const known = new Map<string, string | undefined>();

/** The absolute path of a helper that only the administrator can replace; undefined where there is none. */
export function systemProgram(name: string, folders: readonly string[] = FOLDERS): string | undefined {
  const key = [name, ...folders].join('\0');
  if (!known.has(key)) known.set(key, find(name, folders));
  return known.get(key);
}

/** What a helper may be given: files and folders by descriptor, never a part of our environment. */
export interface HelperRun {
  readonly timeoutMs: number;
  /** Open files that the helper finds as /proc/self/fd/3, 4, and so on. */
  readonly descriptors?: readonly number[];
}

/** Runs a helper to its end; whether there is one and it ended with status 0. */
export function runSystemProgram(name: string, args: readonly string[], run: HelperRun): boolean {
  const program = systemProgram(name);
  if (program === undefined) return false;
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { status } = spawnSync(program, args, {
    env: {},
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore', ...(run.descriptors ?? [])],
    timeout: run.timeoutMs,
  });
  return status === 0;
}

function find(name: string, folders: readonly string[]): string | undefined {
  if (name !== basename(name)) return undefined;
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      const real = realpathSync(path);
      // One program may have many names, and does what its name says: it is started by that name.
      if (isProgram(statSync(real)) && [path, real].every(isSafeBelowRoot)) return path;
    } catch {
      // not in this folder: the next one is asked
    }
  }
  return undefined;
}

function isProgram(stats: Stats): boolean {
  return stats.isFile() && (stats.mode & 0o111) !== 0 && isAdministrators(stats);
}

/** Whether each folder on the way to a path can be changed by the administrator only. */
function isSafeBelowRoot(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!isAdministrators(statSync(folder))) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Names in a sticky folder can be changed by their owners only, and what they name is looked at itself. */
function isAdministrators(stats: Stats): boolean {
  const isSticky = stats.isDirectory() && (stats.mode & STICKY) !== 0;
  return isRoot(stats.uid) && (isSticky || (stats.mode & WRITABLE_BY_OTHERS) === 0);
}

/** Inside a user namespace that does not map root, files of root appear under a number that belongs to nobody. */
function isRoot(uid: number): boolean {
  return uid === 0 || (uid === unmappedUid() && uid !== process.geteuid?.());
}

let unmapped: number | undefined;

function unmappedUid(): number {
  unmapped ??= readUnmapped();
  return unmapped;
}

/** The number of users that this namespace does not map; -1, which nobody has, where all are mapped. */
function readUnmapped(): number {
  try {
    const [first = '', second] = readFileSync('/proc/self/uid_map', 'latin1').trim().split('\n');
    if (second === undefined && Number(first.trim().split(/\s+/u)[2]) >= 0xffff_fffe) return -1;
    return Number(readFileSync('/proc/sys/kernel/overflowuid', 'latin1'));
  } catch {
    return -1; // not Linux
  }
}
