/** After a write that failed: what the file holds now decides, not what the failure says. */
import { Fault } from '../../base/fault.ts';
import type { Files, Located, OpenFile } from '../../hosts/files/shape.ts';
import { sameBytes } from '../../text/edit/spliced-source.ts';
import type { ByteSource } from '../../text/scan/source.ts';

/** The content that a write was to leave behind. */
export interface Meant {
  readonly content: ByteSource;
  /** The file that `content` is read from, if it is: only as long as that one has not been written to, it tells. */
  readonly from?: OpenFile;
}

/** Runs a write; a fault is forgiven and given back only when the file holds exactly the bytes that were meant. */
export function writeOrRecover(files: Files, located: Located, meant: Meant, write: () => void): Fault | undefined {
  try {
    write();
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault) || !holds(files, located, meant)) throw error;
    return error;
  }
}

function holds(files: Files, located: Located, { content, from }: Meant): boolean {
  try {
    const file = files.open(located);
    try {
      const isSameFile = from !== undefined && from.stamp.ino === file.stamp.ino && from.stamp.dev === file.stamp.dev;
      return !isSameFile && sameBytes(file, content);
    } finally {
      file.close();
    }
  } catch (error) {
    // A file that cannot be read does not hold them; the first failure says more than this one.
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** What an answer says about a forgiven failure. */
export function recoveredDetails(fault: Fault | undefined): Readonly<Record<string, unknown>> {
  return fault === undefined ? {} : { recovered: { code: fault.code, message: fault.message } };
}
