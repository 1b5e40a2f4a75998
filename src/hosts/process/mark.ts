/** Identifies the processes of a session by variables in their environment. */
import { createHash } from 'node:crypto';

/** Distinguishes daemons, so that none ends sessions of another one that have the same name. */
export function ownerOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 16);
}

/** The variables in the environment of every process of a session. */
export function markOf(owner: string, session: string): Readonly<Record<string, string>> {
  return { PINCER_SESSION: session, PINCER_OWNER: owner };
}

/** The same variables as `NAME=value`. */
export function markLines(owner: string, session: string): string[] {
  return Object.entries(markOf(owner, session)).map(([name, value]) => `${name}=${value}`);
}

/** Whether a line of an environment is part of a mark. */
export function isMarkLine(line: string): boolean {
  return MARK_NAMES.some((name) => line.startsWith(`${name}=`));
}

const MARK_NAMES = Object.keys(markOf('', ''));

export function groupPrefix(owner: string): string {
  return `pincer-${owner}-`;
}

/** The name of a session's control group. It is a hash, because a session's name may not be a valid file name. */
export function groupName(owner: string, session: string): string {
  return `${groupPrefix(owner)}${createHash('sha256').update(session).digest('hex').slice(0, 16)}`;
}
