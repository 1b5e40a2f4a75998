/**
 * Whether a program and a folder are still the ones that were judged.
 *
 * The file is looked at right before and right after the start, with the time of its last change of any kind, which a
 * rename there and back moves, too. Running it through an open descriptor would close the gap between, but a script
 * would then see a path that is gone, and every process would be called by a number.
 */
import { closeSync, constants, fstatSync, openSync, statSync, type BigIntStats } from 'node:fs';
import type { Launch, LaunchStage } from '../../hosts/process/launch.ts';

/** What is to be looked at again after the start. */
export interface Seen {
  readonly path: string;
  readonly stat: BigIntStats;
}

/** The program as it is now; a sentence when it is not the one that was judged. Throws what the system says. */
export function lookAtProgram({ file, identity }: LaunchStage, path = file): Seen | string {
  const stat = statSync(path, { bigint: true });
  const same =
    identity === undefined ||
    (`${stat.dev}` === identity.dev &&
      `${stat.ino}` === identity.ino &&
      `${stat.size}` === identity.size &&
      `${stat.mtimeNs}` === identity.mtimeNs &&
      (identity.ctimeNs === undefined || `${stat.ctimeNs}` === identity.ctimeNs));
  return same ? { path, stat } : `${file} is not the program that was judged: it was changed since`;
}

/** Whether nothing happened to the program in the meantime. */
export function isStillSame({ path, stat }: Seen): boolean {
  try {
    return isSame(statSync(path, { bigint: true }), stat);
  } catch {
    return false; // it is gone
  }
}

/** Whether it is one file, which nothing has happened to between. */
export function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}

/** A folder held open: programs are started in exactly this one, whatever stands at its path by then. */
export interface HeldFolder {
  readonly path: string;
  release(): void;
}

/** Opens the working folder; a sentence when it is not the one that was judged. Throws what the system says. */
export function holdFolder({ cwd, cwdIdentity }: Launch): HeldFolder | string {
  const fd = openSync(cwd, constants.O_RDONLY | constants.O_DIRECTORY);
  if (cwdIdentity === undefined) {
    closeSync(fd); // any folder will do, so its path does
    return { path: cwd, release: () => {} };
  }
  const { dev, ino } = fstatSync(fd, { bigint: true });
  if (cwdIdentity !== `${dev}:${ino}`) {
    closeSync(fd);
    return `${cwd} is not the folder that was judged: it was changed since`;
  }
  const path = process.platform === 'linux' ? `/proc/self/fd/${fd}` : cwd;
  return { path, release: () => closeSync(fd) };
}
