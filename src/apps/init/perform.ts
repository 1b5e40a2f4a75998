/** Writes what was planned: all files of a client or none, each only if it is still as it was when it was shown. */
import { rmdirSync } from 'node:fs';
import { errnoOf } from '../../hosts/files/faults.ts';
import type { FileChange, Files } from '../../hosts/files/shape.ts';
import type { Scope } from './clients.ts';
import type { FilePlan } from './plan.ts';
import { forgetRecord, writeRecord } from './record.ts';

export async function perform(files: Files, stateDir: string, plans: readonly FilePlan[], scope: Scope): Promise<void> {
  const active = plans.filter(({ action }) => action !== 'none');
  const writer = await files.writer('init');
  writer.commit(active.map((plan) => changeOf(plan, scope)));
  for (const { record, place, action, folders } of active) {
    if (record === undefined) forgetRecord(stateDir, place.file.path);
    else writeRecord(stateDir, record);
    if (action === 'delete') for (const folder of folders.toReversed()) removeEmpty(folder);
  }
}

function changeOf({ place: { file, stamp }, before, after }: FilePlan, scope: Scope): FileChange {
  // What only its user reads may hold the secrets of other servers later on.
  if (before === undefined) return { file, create: after!, ...(scope === 'user' ? { mode: 0o600 } : {}) };
  if (after === undefined) return { file, stamp: stamp!, remove: true };
  const splices = [{ start: 0, end: before.length, bytes: after }];
  return { file, stamp: stamp!, edit: { splices, old: before } };
}

/** A folder that is in use by now stays. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errnoOf(error) ?? '')) throw error;
  }
}
