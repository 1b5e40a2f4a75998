import type { FileWriter } from '../host.ts';
import { append } from './append.ts';
import { commit } from './commit.ts';
import { exclusively } from './exclusively.ts';
import type { LockOptions } from './locks.ts';
import { recover } from './recover.ts';
import { replace } from './replace.ts';

/** The writing half of the files of this machine. */
export function fileWriter(options: LockOptions): FileWriter {
  return {
    exclusively: (files, work) => exclusively(files, options, work),
    replace: (file, splices, expected) => replace(file, splices, options, expected),
    append: (file, line) => append(file, line, options),
    commit: (changes) => commit(changes, options),
    recover: () => recover(options),
  };
}
