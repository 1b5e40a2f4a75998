/** Where the daemon of a state folder is to be found: a small file in that folder names its socket. */
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { writePrivate } from '../../hosts/files/write-private.ts';

export interface Pointer {
  readonly pid: number;
  /** Tells the process from a later one with the same number; empty where the system does not say. */
  readonly start: string;
  readonly socket: string;
}

/** The daemon's own part of the state folder. */
export function daemonFolder(stateDir: string): string {
  return join(stateDir, 'daemon');
}

/** What the daemon prints. */
export function daemonLog(stateDir: string): string {
  return join(daemonFolder(stateDir), 'daemon.log');
}

/** The daemon that last said where it is; it may be dead. Undefined when none did. */
export function readPointer(stateDir: string): Pointer | undefined {
  try {
    const { pid, start, socket } = JSON.parse(readFileSync(pointerFile(stateDir), 'utf8')) as Partial<Pointer>;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 1) return undefined;
    if (typeof start !== 'string' || typeof socket !== 'string' || !isAbsolute(socket)) return undefined;
    return { pid, start, socket };
  } catch {
    return undefined; // none yet, or damaged: a daemon that starts writes a new one
  }
}

/** Says where the daemon is, in one step; its folder is there. */
export function writePointer(stateDir: string, pointer: Pointer): void {
  writePrivate(pointerFile(stateDir), `${JSON.stringify(pointer)}\n`);
}

export function removePointer(stateDir: string): void {
  rmSync(pointerFile(stateDir), { force: true });
}

function pointerFile(stateDir: string): string {
  return join(daemonFolder(stateDir), 'daemon.json');
}

/** Why nothing may be said to a socket in this folder: somebody else could have put it there. */
export function whyUnsafe(folder: string): string | undefined {
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) return `${folder} is not a folder`;
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  if (stats.uid !== user) return `${folder} belongs to another user`;
  return (stats.mode & 0o077) === 0 ? undefined : `others may enter ${folder}`;
}

/** The same for the folder that a socket stands in. */
export function whySocketUnsafe(socket: string): string | undefined {
  return whyUnsafe(dirname(socket));
}
