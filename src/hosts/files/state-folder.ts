import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { reason } from './faults.ts';

/** Makes sure of a folder inside the state folder, private to this user, and gives its path. */
export function statePart(stateDir: string, part: 'locks' | 'journal'): string {
  const folder = join(stateDir, part);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(stateDir, reason(error), error);
  }
  const problem = whyUntrusted(stateDir) ?? whyUntrusted(folder);
  if (problem !== undefined) throw unusable(stateDir, problem);
  return folder;
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

function unusable(stateDir: string, why: string, cause?: unknown): Fault {
  return new Fault('FS_STATE_UNUSABLE', `cannot use the state folder ${stateDir}: ${why}`, {
    hint: 'name a private folder of your own in PINCER_STATE_DIR',
    details: { stateDir },
    cause,
  });
}
