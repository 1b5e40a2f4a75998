/**
 * The record of init's change of a file, in the state folder, so that `--remove` restores the exact bytes. It is valid only
 * while the file is unchanged since init; otherwise the entry is removed by its name.
 */
import { createHash } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import { readPrivate, replacePrivate } from '../../hosts/approvals/private-file.ts';
import { initRecordFile } from '../../hosts/files/gate/init-record.ts';
import { removeIfThere } from '../../hosts/files/locks/lock-file.ts';

export interface InitRecord {
  readonly version: 1;
  readonly path: string;
  /** SHA-256 of the file after init. */
  readonly after: string;
  /** The range that init wrote, and the bytes that it replaced, in base64. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  /** Whether init created the file, and the folders that it created for it, the deepest last. */
  readonly created: boolean;
  readonly folders: readonly string[];
  /** The parents that init created for the entry. */
  readonly made: readonly (readonly string[])[];
}

/** The changed range, and the bytes that were there before. */
export function differenceOf(before: Uint8Array, after: Uint8Array): Pick<InitRecord, 'start' | 'end' | 'before'> {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < most - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const old = Buffer.from(before.subarray(start, before.length - tail)).toString('base64');
  return { start, end: after.length - tail, before: old };
}

/** The content before init; undefined if the file was changed since. */
export function restored({ after, start, end, before }: InitRecord, bytes: Uint8Array): Uint8Array | undefined {
  if (hashOf(bytes) !== after) return undefined;
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(before, 'base64'), bytes.subarray(end)]);
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Undefined if there is no trustworthy record. */
export function readRecord(stateDir: string, path: string): InitRecord | undefined {
  const read = readPrivate(initRecordFile(stateDir, path));
  if ('refused' in read || read.bytes === undefined) return undefined;
  try {
    const record = JSON.parse(read.bytes.toString()) as InitRecord;
    return record.version === 1 && record.path === path ? record : undefined;
  } catch {
    return undefined; // a damaged record: the entry is found by its name
  }
}

export function writeRecord(stateDir: string, record: InitRecord): void {
  try {
    replacePrivate(initRecordFile(stateDir, record.path), `${JSON.stringify(record)}\n`, () => undefined);
  } catch (error) {
    throw new Fault('FS_STATE_UNUSABLE', `cannot write the record of the change of ${record.path} to ${stateDir}`, {
      hint: 'the file was changed; --remove will remove the entry by its name',
      cause: error,
    });
  }
}

export function forgetRecord(stateDir: string, path: string): void {
  removeIfThere(initRecordFile(stateDir, path));
}
