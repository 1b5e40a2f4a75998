import type { ByteSplice, FileWriter, OpenFile, Stamp, Written } from '../host.ts';
import { append } from './append.ts';
import { commit } from './batch/commit.ts';
import { removeEmptyFolders } from './batch/empty-folders.ts';
import { loseName } from './descriptor-file.ts';
import { exclusively } from './exclusively.ts';
import { changed } from './faults.ts';
import type { Recorder } from './recorder.ts';
import { recover } from './recover.ts';
import { rootOf } from './root.ts';
import { sameStamp } from './stamp.ts';
import { refuseProtected, type WriteOptions } from './writing.ts';

/** The writing half of the files of this machine; `recorder` is told of every change. */
export function fileWriter(how: Omit<WriteOptions, 'record'>, purpose: string, recorder?: Recorder): FileWriter {
  const options: WriteOptions = { ...how, ...(recorder && { record: () => recorder.begin(purpose) }) };
  return {
    exclusively: (located, work) => exclusively(located, options, work),
    replace: (file, splices, expected) => replace(file, splices, options, expected),
    append: (file, line) => append(file, line, options),
    commit: (changes) => commit(changes, options),
    removeEmptyFolders: (folders) => removeEmptyFolders(folders, options),
    refuseProtected: (located) => refuseProtected(located, options),
    recover: () => recover(options),
  };
}

/**
 * Puts splices into a file: a finished copy takes its name in one step, so that every reader, at any moment and
 * after any crash, sees all of the old or all of the new bytes.
 */
export function replace(
  file: OpenFile,
  splices: readonly ByteSplice[],
  options: WriteOptions,
  expected: Stamp = file.stamp,
): Written {
  const { located } = file;
  if (splices.length === 0) return { path: located.path, size: file.size, changed: false };
  if (!sameStamp(expected, file.stamp)) throw changed(located.path);
  const [written] = commit([{ file: located, stamp: expected, edit: { splices } }], options);
  rootOf(located)?.files.lose(located.path);
  loseName(file);
  return written!;
}
