import type { FileWriter } from '../shape.ts';
import { append } from './append.ts';
import { commit } from '../batch/commit.ts';
import { removeEmptyFolders } from '../batch/folders.ts';
import { exclusively } from '../locks/exclusively.ts';
import type { Recorder } from '../changes/recorder-shape.ts';
import { recover } from '../batch/recover.ts';
import { replace } from './replace.ts';
import { touch } from './touch.ts';
import { refuseProtected, type WriteOptions } from './write-options.ts';

/** The writing half of the local files; `recorder` records every change. */
export function fileWriter(how: Omit<WriteOptions, 'record'>, purpose: string, recorder?: Recorder): FileWriter {
  const options: WriteOptions = { ...how, ...(recorder && { record: () => recorder.begin(purpose) }) };
  return {
    exclusively: (located, work) => exclusively(located, options, work),
    replace: (file, splices, expected) => replace(file, splices, options, expected),
    append: (file, line) => append(file, line, options),
    commit: (changes) => commit(changes, options),
    touch: (file) => touch(file, options),
    removeEmptyFolders: (folders) => removeEmptyFolders(folders, options),
    refuseProtected: (located) => refuseProtected(located, options),
    recover: () => recover(options),
  };
}
