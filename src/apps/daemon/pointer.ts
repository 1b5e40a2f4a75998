/** The pointer file of a state folder: it names the socket of the daemon. */
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { writePrivate } from '../../hosts/files/write-private.ts';

export interface Pointer {
  readonly pid: number;
  /** Start time, which distinguishes the process from a later one with the same pid; empty if the system does not show it. */
  readonly start: string;
  readonly socket: string;
}

/** The exit code of a daemon that found another one running. */
export const ANOTHER_RUNS = 75;

export function daemonFolder(stateDir: string): string {
  return join(stateDir, 'daemon');
}

export function daemonLog(stateDir: string): string {
  return join(daemonFolder(stateDir), 'daemon.log');
}

/** The last daemon that wrote the file; it may be dead. */
export function readPointer(stateDir: string): Pointer | undefined {
  try {
    const { pid, start, socket } = JSON.parse(readFileSync(pointerFile(stateDir), 'utf8')) as Partial<Pointer>;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 1) return undefined;
    if (typeof start !== 'string' || typeof socket !== 'string' || !isAbsolute(socket)) return undefined;
    return { pid, start, socket };
  } catch {
    return undefined; // no file, or a damaged one: the next daemon writes a new one
  }
}

/** Replaces the file atomically, in an existing folder. */
export function writePointer(stateDir: string, pointer: Pointer): void {
  writePrivate(pointerFile(stateDir), `${JSON.stringify(pointer)}\n`);
}

export function removePointer(stateDir: string): void {
  rmSync(pointerFile(stateDir), { force: true });
}

function pointerFile(stateDir: string): string {
  return join(daemonFolder(stateDir), 'daemon.json');
}

/** Why no client may connect to a socket in this folder: another user could have created it. */
export function whyUnsafe(folder: string): string | undefined {
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) return `${folder} is not a folder`;
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  if (stats.uid !== user) return `${folder} belongs to another user`;
  return (stats.mode & 0o077) === 0 ? undefined : `other users can enter ${folder}`;
}

export function whySocketUnsafe(socket: string): string | undefined {
  return whyUnsafe(dirname(socket));
}
