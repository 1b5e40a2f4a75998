/** Which folder a command may change files in. */
import { sep } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import { realOf, realPlaceOf } from '../../obeyed/reading.ts';

/** Compares real paths. A path that does not exist counts where it would be created. */
export function isOutsideOf(folder: string, path: string): boolean {
  const top = realOf(folder);
  return top === undefined || !isInside(realPlaceOf(path), top, sep);
}

/** The workspace, or the working folder where that is outside the workspace. */
export function workspaceFor(workspace: string, cwd: string): string {
  return isOutsideOf(workspace, cwd) ? cwd : workspace;
}
