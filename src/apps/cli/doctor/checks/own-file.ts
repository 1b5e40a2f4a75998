/** Modes of files and folders that are ours. */
import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import { Fault } from '../../../../base/fault.ts';

/** What stands at a path itself; undefined where nothing does. */
export function lstatIfExists(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Whether it belongs to whoever runs this. */
export function isOwn({ uid }: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || uid === user;
}

/** `0755`. */
export function modeText({ mode }: Stats): string {
  return `0${(mode & 0o7777).toString(8)}`;
}

/** Sets the mode of a file or folder of our own; a link that stands there in the meantime is not followed. */
export function setMode(path: string, mode: number): void {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!isOwn(fstatSync(fd)))
      throw new Fault('FS_STATE_UNUSABLE', `${path} belongs to another user`, { hint: 'let its owner correct it' });
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}
