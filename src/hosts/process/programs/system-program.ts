/**
 * Helper programs of the system. None is looked up on PATH: anyone who controls a folder on PATH would run code with the rights
 * of this process. A helper must be in a folder that only root can write, and gets neither an environment nor the current
 * directory.
 */
import { readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const FOLDERS = ['/usr/bin', '/bin', '/run/current-system/sw/bin'];
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

const known = new Map<string, string | undefined>();

/** The absolute path of a helper that only root can replace; undefined where there is none. */
export function systemProgram(name: string, folders: readonly string[] = FOLDERS): string | undefined {
  const key = [name, ...folders].join('\0');
  if (!known.has(key)) known.set(key, find(name, folders));
  return known.get(key);
}

/** A helper gets files and folders by descriptor, and nothing of this process's environment. */
export interface HelperRun {
  readonly timeoutMs: number;
  /** Open files that the helper finds as /proc/self/fd/3, 4, and so on. */
  readonly descriptors?: readonly number[];
}

/** Runs a helper to its end. Returns whether there is one and it exited with status 0. */
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
      // One program may have many names and acts by the name that it is started with.
      if (isProgram(statSync(real)) && [path, real].every(isSafeBelowRoot)) return path;
    } catch {
      // not in this folder: try the next one
    }
  }
  return undefined;
}

function isProgram(stats: Stats): boolean {
  return stats.isFile() && (stats.mode & 0o111) !== 0 && isRootOnly(stats);
}

/** Whether only root can change each folder above a path. */
function isSafeBelowRoot(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!isRootOnly(statSync(folder))) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** In a sticky folder only the owner of an entry can change it, and the entry itself is checked, too. */
function isRootOnly(stats: Stats): boolean {
  const isSticky = stats.isDirectory() && (stats.mode & STICKY) !== 0;
  return isRoot(stats.uid) && (isSticky || (stats.mode & WRITABLE_BY_OTHERS) === 0);
}

/** In a user namespace that does not map root, files of root belong to the overflow uid. */
function isRoot(uid: number): boolean {
  return uid === 0 || (uid === unmappedUid() && uid !== process.geteuid?.());
}

let unmapped: number | undefined;

function unmappedUid(): number {
  unmapped ??= readUnmapped();
  return unmapped;
}

/** The uid that stands for unmapped users; -1 where all are mapped. */
function readUnmapped(): number {
  try {
    const [first = '', second] = readFileSync('/proc/self/uid_map', 'latin1').trim().split('\n');
    if (second === undefined && Number(first.trim().split(/\s+/u)[2]) >= 0xffff_fffe) return -1;
    return Number(readFileSync('/proc/sys/kernel/overflowuid', 'latin1'));
  } catch {
    return -1; // not Linux
  }
}
