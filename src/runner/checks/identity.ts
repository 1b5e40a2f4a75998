/**
 * Whether a program and a folder are still the ones that were judged.
 *
 * The file is checked right before and right after the start, with its ctime, which also changes when it is renamed and renamed
 * back. Executing an open descriptor would close the gap between, but a script would then see a path that does not exist, and
 * every process would have a number as its name.
 */
import { closeSync, constants, fstatSync, openSync, statSync, type BigIntStats } from 'node:fs';
import type { Launch, LaunchStage } from '../../hosts/process/launch.ts';

/** Checked again after the start. */
export interface Seen {
  readonly path: string;
  readonly stat: BigIntStats;
}

/** The current state of the program, or why it is not the one that was judged. Throws errors of the system. */
export function lookAtProgram({ file, identity }: LaunchStage, path = file): Seen | string {
  const stat = statSync(path, { bigint: true });
  const same =
    identity === undefined ||
    (`${stat.dev}` === identity.dev &&
      `${stat.ino}` === identity.ino &&
      `${stat.size}` === identity.size &&
      `${stat.mtimeNs}` === identity.mtimeNs &&
      (identity.ctimeNs === undefined || `${stat.ctimeNs}` === identity.ctimeNs));
  return same ? { path, stat } : `${file} is not the program that was judged: it has changed since`;
}

export function isStillSame({ path, stat }: Seen): boolean {
  try {
    return isSame(statSync(path, { bigint: true }), stat);
  } catch {
    return false; // it is gone
  }
}

/** Whether both are the same unchanged file. */
export function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}

/** An open folder: programs start in exactly this one, even if its path is replaced. */
export interface OpenFolder {
  readonly path: string;
  release(): void;
}

/** Opens the working folder, or returns why it is not the one that was judged. Throws errors of the system. */
export function openFolder({ cwd, cwdIdentity }: Launch): OpenFolder | string {
  const fd = openSync(cwd, constants.O_RDONLY | constants.O_DIRECTORY);
  if (cwdIdentity === undefined) {
    closeSync(fd); // no identity to keep: the path is enough
    return { path: cwd, release: () => {} };
  }
  const { dev, ino } = fstatSync(fd, { bigint: true });
  if (cwdIdentity !== `${dev}:${ino}`) {
    closeSync(fd);
    return `${cwd} is not the folder that was judged: it has changed since`;
  }
  const path = process.platform === 'linux' ? `/proc/self/fd/${fd}` : cwd;
  return { path, release: () => closeSync(fd) };
}
