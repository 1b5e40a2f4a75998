/** Which obeyed files a sandbox guards: used to create guards and to detect missing ones. */
import { entryAt, realOf } from './reading.ts';
import type { Found } from './scan.ts';

/** Files of class 2 with documented evidence only are not guarded; changes of them are reported after a command. */
export function isGuardedRow({ class: obeyed, evidence }: Found['row']): boolean {
  return obeyed === 1 || evidence === 'ran';
}

/** Whether the row matches a repository, or a file that names one. */
export function isRepositoryRow({ class: obeyed, reader }: Found['row']): boolean {
  return obeyed === 1 && reader === 'git';
}

/** The real path of a script; undefined where it is not a file. */
export function scriptAt(path: string): string | undefined {
  const real = realOf(path);
  return real === undefined || entryAt(real) !== 'file' ? undefined : real;
}
