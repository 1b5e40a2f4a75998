/** After a failed write, the content of the file decides whether the write succeeded. */
import { Fault } from '../../base/fault.ts';
import type { Files, Located, OpenFile } from '../../hosts/files/shape.ts';
import { sameBytes } from '../../text/edit/spliced-source.ts';
import type { ByteSource } from '../../text/scan/source.ts';

export interface IntendedContent {
  readonly content: ByteSource;
  /** The file that `content` reads from, if any; the comparison is meaningless if the write went to this same file. */
  readonly from?: OpenFile;
}

/** Runs a write. Returns its fault instead of throwing it when the file has exactly the intended content. */
export function writeOrRecover(
  files: Files,
  located: Located,
  intended: IntendedContent,
  write: () => void,
): Fault | undefined {
  try {
    write();
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault) || !hasContent(files, located, intended)) throw error;
    return error;
  }
}

function hasContent(files: Files, located: Located, { content, from }: IntendedContent): boolean {
  try {
    const file = files.open(located);
    try {
      const isSameFile = from !== undefined && from.stamp.ino === file.stamp.ino && from.stamp.dev === file.stamp.dev;
      return !isSameFile && sameBytes(file, content);
    } finally {
      file.close();
    }
  } catch (error) {
    // The first failure is more useful than this one.
    if (error instanceof Fault) return false;
    throw error;
  }
}

export function recoveredDetails(fault: Fault | undefined): Readonly<Record<string, unknown>> {
  return fault === undefined ? {} : { recovered: { code: fault.code, message: fault.message } };
}
