import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { freshName } from './locks/owner.ts';

const NEW_FILE = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);

/** How a private file is written. */
export interface PrivateWrite {
  /** A file that exists stays as it is, also when another process makes it at the same time. Default: it is replaced. */
  readonly once?: boolean;
  /** The content reaches the disk before the file has its name. */
  readonly durable?: boolean;
  /** The path of the unfinished file, in the same folder. */
  readonly temp?: string;
  /** Called before the file gets its name; if it throws, nothing is changed. */
  readonly check?: () => void;
}

/** Writes a file that only its owner may read: never through a link, and complete from its first moment on. Its folder exists. */
export function writePrivate(path: string, content: string | Uint8Array, how: PrivateWrite = {}): void {
  const temp = how.temp ?? `${path}.${process.pid}.${freshName()}`;
  const fd = openSync(temp, NEW_FILE, 0o600);
  try {
    try {
      fchmodSync(fd, 0o600); // whatever the umask takes away
      writeFileSync(fd, content);
      if (how.durable === true) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    how.check?.();
    if (how.once === true) linkSync(temp, path);
    else renameSync(temp, path);
  } catch (error) {
    rmSync(temp, { force: true });
    if (how.once === true && (error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  }
  if (how.once === true) unlinkSync(temp);
}
