/** Which folder a command may change files in. */
import { sep } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import { realOf, realPlaceOf } from '../../obeyed/reading.ts';

/** Whether a path is not in a folder, by real paths; what does not exist counts where it would be. */
export function isOutsideOf(folder: string, path: string): boolean {
  const top = realOf(folder);
  return top === undefined || !isInside(realPlaceOf(path), top, sep);
}

/** The workspace; for a working folder that is not in it, that folder alone. */
export function workspaceFor(workspace: string, cwd: string): string {
  return isOutsideOf(workspace, cwd) ? cwd : workspace;
}
