/** Which obeyed files a sandbox guards: for the guards themselves, and for the look whether one is missing. */
import { entryAt, realOf } from './reading.ts';
import type { Found } from './scan.ts';

/** Whether a file of this row is guarded. What a planted file was only documented to steer is reported after a command instead. */
export function isGuardedRow({ class: obeyed, evidence }: Found['row']): boolean {
  return obeyed === 1 || evidence === 'ran';
}

/** Whether it is a repository, or a file that names one. */
export function isRepositoryRow({ class: obeyed, reader }: Found['row']): boolean {
  return obeyed === 1 && reader === 'git';
}

/** The file that is guarded for a script: what links on the way lead to. What is no file is no script. */
export function scriptAt(path: string): string | undefined {
  const real = realOf(path);
  return real === undefined || entryAt(real) !== 'file' ? undefined : real;
}
