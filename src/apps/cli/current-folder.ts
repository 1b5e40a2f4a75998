import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';

/** The folder that a flag names, or the current directory, which may have been deleted since the shell entered it. */
export function currentFolder(named = '.', hint = 'change to a folder that exists'): string {
  try {
    return resolve(named);
  } catch (error) {
    throw new Fault('FS_NOT_FOUND', 'the current directory no longer exists', { hint, cause: error });
  }
}
