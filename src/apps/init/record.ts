/**
 * What init did to a file, kept in the state folder, so that it can be taken back to the byte: where our text stands, and
 * what stood there before. It counts only while the file is as init left it; otherwise the entry is taken out by its name.
 */
import { createHash } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import { readPrivate, replacePrivate } from '../../hosts/approvals/private-file.ts';
import { initRecordFile } from '../../hosts/files/gate/init-record.ts';
import { removeIfThere } from '../../hosts/files/locks/lock-file.ts';

export interface InitRecord {
  readonly version: 1;
  readonly path: string;
  /** SHA-256 of the file as init left it. */
  readonly after: string;
  /** The bytes of the file that were not there before, and those that were there instead, in base64. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  /** Whether init made the file, and the folders that it made for it, the deepest last. */
  readonly created: boolean;
  readonly folders: readonly string[];
  /** The members that were made for the entry. */
  readonly made: readonly (readonly string[])[];
}

/** What is needed to go from one content to the other and back. */
export function differenceOf(before: Uint8Array, after: Uint8Array): Pick<InitRecord, 'start' | 'end' | 'before'> {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < most - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const old = Buffer.from(before.subarray(start, before.length - tail)).toString('base64');
  return { start, end: after.length - tail, before: old };
}

/** The content before init; undefined when the file is not as init left it. */
export function restored({ after, start, end, before }: InitRecord, bytes: Uint8Array): Uint8Array | undefined {
  if (hashOf(bytes) !== after) return undefined;
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(before, 'base64'), bytes.subarray(end)]);
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What is kept about a file; nothing when there is no record that can be believed. */
export function readRecord(stateDir: string, path: string): InitRecord | undefined {
  const read = readPrivate(initRecordFile(stateDir, path));
  if ('refused' in read || read.bytes === undefined) return undefined;
  try {
    const record = JSON.parse(read.bytes.toString()) as InitRecord;
    return record.version === 1 && record.path === path ? record : undefined;
  } catch {
    return undefined; // a record that somebody broke is worth as much as none: the entry is found by its name
  }
}

export function writeRecord(stateDir: string, record: InitRecord): void {
  try {
    replacePrivate(initRecordFile(stateDir, record.path), `${JSON.stringify(record)}\n`, () => undefined);
  } catch (error) {
    throw new Fault('FS_STATE_UNUSABLE', `what was done to ${record.path} could not be noted in ${stateDir}`, {
      hint: 'the file is written; --remove will take the entry out by its name',
      cause: error,
    });
  }
}

export function forgetRecord(stateDir: string, path: string): void {
  removeIfThere(initRecordFile(stateDir, path));
}
