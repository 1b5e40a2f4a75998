/**
 * Whether a program and a folder are still the ones that were judged.
 *
 * The file is looked at right before and right after the start, with the time of its last change of any kind, which a
 * rename there and back moves, too. Running it through an open descriptor would close the gap between, but a script
 * would then see a path that is gone, and every process would be called by a number.
 */
import { closeSync, constants, fstatSync, openSync, statSync, type BigIntStats } from 'node:fs';
import type { Launch, LaunchStage } from '../hosts/process/launch.ts';

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
    const now = statSync(path, { bigint: true });
    return (
      now.dev === stat.dev &&
      now.ino === stat.ino &&
      now.size === stat.size &&
      now.mtimeNs === stat.mtimeNs &&
      now.ctimeNs === stat.ctimeNs
    );
  } catch {
    return false; // it is gone
  }
}

/** A folder held open: programs are started in exactly this one, whatever stands at its path by then. */
export interface HeldFolder {
  readonly path: string;
  release(): void;
}

/** Opens the working folder; a sentence when it is not the one that was judged. Throws what the system says. */
export function holdFolder({ cwd, cwdIdentity }: Launch): HeldFolder | string {
  const fd = openSync(cwd, constants.O_RDONLY | constants.O_DIRECTORY);
  const { dev, ino } = fstatSync(fd, { bigint: true });
  if (cwdIdentity !== undefined && cwdIdentity !== `${dev}:${ino}`) {
    closeSync(fd);
    return `${cwd} is not the folder that was judged: it was changed since`;
  }
  const path = process.platform === 'linux' ? `/proc/self/fd/${fd}` : cwd;
  return { path, release: () => closeSync(fd) };
}
