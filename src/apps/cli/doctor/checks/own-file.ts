/** Owner and mode of files in the state folder. */
import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import { Fault } from '../../../../base/fault.ts';

/** Does not follow symlinks. */
export function lstatIfExists(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

export function isOwn({ uid }: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || uid === user;
}

/** `0755`. */
export function modeText({ mode }: Stats): string {
  return `0${(mode & 0o7777).toString(8)}`;
}

/** Sets the mode of an own file or folder. Opens with O_NOFOLLOW, because another process may put a symlink there. */
export function setMode(path: string, mode: number): void {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!isOwn(fstatSync(fd)))
      throw new Fault('FS_STATE_UNUSABLE', `${path} belongs to another user`, { hint: 'ask its owner to correct it' });
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}
