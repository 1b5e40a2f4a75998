import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf, reason, stateUnusable } from './faults.ts';

/** The subfolders of the state folder. */
export type StatePart = 'locks' | 'tickets' | 'journal' | 'staged' | 'changes' | 'reads' | 'attributes';

/** Creates a subfolder of the state folder if needed, checks that it is private to this user, and returns its path. */
export function statePart(stateDir: string, part: StatePart): string {
  const folder = join(stateDir, part);
  if (recentlyTrusted(folder)) return folder;
  let problem: string | undefined;
  try {
    makeFolder(folder);
    problem = whyUntrusted(stateDir) ?? whyUntrusted(folder);
  } catch (error) {
    throw stateUnusable(stateDir, reason(error), error);
  }
  if (problem !== undefined) throw stateUnusable(stateDir, problem);
  trusted.set(folder, Date.now());
  return folder;
}

const trusted = new Map<string, number>();
/** A folder is checked again after this time, so that a writer of many files checks it once. */
const TRUST_MS = 100;

function recentlyTrusted(folder: string): boolean {
  const seen = trusted.get(folder);
  return seen !== undefined && Date.now() - seen < TRUST_MS;
}

/** The folder for content that cannot be in the folder of its target; it need not exist. */
export function stagedFolder(stateDir: string): string {
  return join(stateDir, 'staged');
}

/** Why the journals of this folder cannot be trusted: other users could have written them. */
export function whyUntrusted(folder: string): string | undefined {
  const user = process.geteuid?.();
  const stats = statSync(folder);
  if (!stats.isDirectory()) return `${folder} is not a folder`;
  if (user === undefined) return undefined;
  if (stats.uid !== user) return `${folder} belongs to another user`;
  return (stats.mode & 0o022) === 0 ? undefined : `other users can write to ${folder}`;
}

/** Creates a folder and its parents. Node's recursive mkdir never returns where a parent refuses new entries (/proc). */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error; // another process may have created it at the same time
  }
}
