import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf, reason, stateUnusable } from './faults.ts';

/** What the state folder holds. */
export type StatePart = 'locks' | 'tickets' | 'journal' | 'staged' | 'changes' | 'reads' | 'attributes';

/** Makes sure of a folder inside the state folder, private to this user, and gives its path. */
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
/** A folder is looked at again after this time; whoever writes many files looks once. */
const TRUST_MS = 100;

function recentlyTrusted(folder: string): boolean {
  const seen = trusted.get(folder);
  return seen !== undefined && Date.now() - seen < TRUST_MS;
}

/** Where contents wait that cannot stand beside their targets; it need not exist. */
export function stagedFolder(stateDir: string): string {
  return join(stateDir, 'staged');
}

/** Why the journals of this folder may not be believed: others could have put them there. */
export function whyUntrusted(folder: string): string | undefined {
  const user = process.geteuid?.();
  const stats = statSync(folder);
  if (!stats.isDirectory()) return `${folder} is not a folder`;
  if (user === undefined) return undefined;
  if (stats.uid !== user) return `${folder} belongs to another user`;
  return (stats.mode & 0o022) === 0 ? undefined : `others may write to ${folder}`;
}

/** Makes a folder and its parents; the runtime's own way never ends where a parent refuses new names (/proc). */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error; // another process may have made it in this moment
  }
}
