/** How a process of a session is known: by what stands in its environment. */
import { createHash } from 'node:crypto';

/** Names the launchers of one folder, so that two daemons never end each other's sessions of the same name. */
export function ownerOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 16);
}

/** The variables that every process of a session is started with. */
export function markOf(owner: string, session: string): Readonly<Record<string, string>> {
  return { PINCER_SESSION: session, PINCER_OWNER: owner };
}

/** The same as they stand in an environment. */
export function markLines(owner: string, session: string): string[] {
  return Object.entries(markOf(owner, session)).map(([name, value]) => `${name}=${value}`);
}

/** Whether a line of an environment is part of a mark. */
export function isMarkLine(line: string): boolean {
  return MARK_NAMES.some((name) => line.startsWith(`${name}=`));
}

const MARK_NAMES = Object.keys(markOf('', ''));

/** How the names of the control groups of an owner begin. */
export function groupPrefix(owner: string): string {
  return `pincer-${owner}-`;
}

/** The name of a session's control group; a session's name is not trusted to be a file's. */
export function groupName(owner: string, session: string): string {
  return `${groupPrefix(owner)}${createHash('sha256').update(session).digest('hex').slice(0, 16)}`;
}
