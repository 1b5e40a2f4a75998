/** The text at an address, for a shared process: it reads a small document itself and a larger one in a worker. */
import type { Files } from '../../hosts/files/shape.ts';
import { Meter, NeedsWorker } from '../../hosts/workers/meter.ts';
import { sharedFiles } from '../../hosts/workers/metered-files.ts';
import { resolveRaw } from '../../tools/path/verbs.ts';
import { hidesFile, type SecretsView } from '../../tools/secrets/secrets.ts';
import { sharedAllowance } from './allowances.ts';
import type { ToolTask } from './task.ts';
import { toolWorkers } from './tool-workers.ts';

/** All readers of resources share the same workers. */
const OWNER = 'resources';

/** Undefined if the address matches nothing. Refuses files with secrets. */
export async function textAtAddress(
  files: Files,
  stateDir: string,
  address: string,
  view: SecretsView,
): Promise<string | undefined> {
  const target = { hides: hidesFile(view) };
  try {
    return await resolveRaw(sharedFiles(files, new Meter(sharedAllowance('path'))), address, target);
  } catch (error) {
    if (!(error instanceof NeedsWorker)) throw error;
  }
  const workers = toolWorkers('documents');
  if (workers === undefined) return resolveRaw(files, address, target);
  const task: ToolTask = {
    options: { workspace: files.workspace, stateDir },
    workspaceId: files.workspaceId,
    umask: process.umask(),
    work: { type: 'raw-text', address, view },
  };
  return (await workers.run(task, { owner: OWNER })) as string | undefined;
}
