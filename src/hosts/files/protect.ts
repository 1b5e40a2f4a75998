/** What tools may not touch although it stands inside the boundary. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Located } from '../host.ts';
import { gitProtected, stateProtected } from './refusals.ts';
import { splitPath } from './steps.ts';

export type Protection = 'git' | 'none';

/** Characters that HFS+ does not see in a name. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/** Whether some file system takes this name for `.git`: case, unseen characters, NTFS streams, ends and short names. */
export function isGitName(name: string): boolean {
  if (!/[.~]/u.test(name)) return false;
  const plain = name
    .replace(UNSEEN, '')
    .split(':', 1)[0]!
    .replace(/[ .]+$/u, '')
    .toLowerCase();
  return plain === '.git' || /^git~\d+$/u.test(plain);
}

/** Refuses to write a repository's own files; what the operator named by hand is the operator's business. */
export function refuseGit(file: Located, protect: Protection = 'git'): void {
  if (protect === 'none' || file.root === undefined) return;
  if (splitPath(relative(file.root, file.path)).some(isGitName)) throw gitProtected(file.path);
}

const realStates = new Map<string, string>();

/** Refuses what stands in the state folder: its locks and records are what everything else relies on. */
export function refuseState(path: string, stateDir: string): void {
  let state = realStates.get(stateDir);
  if (state === undefined) {
    state = realOf(stateDir);
    realStates.set(stateDir, state);
  }
  if (path === state || path.startsWith(state + sep)) throw stateProtected(path);
}

/** The real path of a folder that need not exist yet. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not made yet, or not to be reached: then its parent says where it will be.
    return path === dirname(path) ? path : join(realOf(dirname(path)), basename(path));
  }
}
