import type { ByteSplice, OpenFile, Stamp, Written } from '../shape.ts';
import { commit } from '../batch/commit.ts';
import { markReplaced } from '../descriptor-file.ts';
import { fileChanged } from '../faults.ts';
import { rootOf } from '../gate/root.ts';
import { sameStamp } from '../stamp.ts';
import type { WriteOptions } from './write-options.ts';

/**
 * Applies splices to a file: a finished copy is renamed over it, so that every reader, at any moment and after any crash,
 * sees all of the old or all of the new bytes.
 */
export function replace(
  file: OpenFile,
  splices: readonly ByteSplice[],
  options: WriteOptions,
  expected: Stamp = file.stamp,
): Written {
  const { located } = file;
  if (splices.length === 0) return { path: located.path, size: file.size, changed: false };
  if (!sameStamp(expected, file.stamp)) throw fileChanged(located.path);
  const [written] = commit([{ file: located, stamp: expected, edit: { splices } }], options);
  rootOf(located)?.files.remove(located.path);
  markReplaced(file);
  return written!;
}
