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
import { uniqueName } from './locks/owner.ts';

const NEW_FILE = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);

export interface PrivateWrite {
  /** Keeps an existing file, also one that another process creates at the same time. Default: it is replaced. */
  readonly once?: boolean;
  /** Whether to fsync the content before the rename. */
  readonly durable?: boolean;
  /** The path of the temporary file, in the same folder. */
  readonly temp?: string;
  /** Called before the rename; if it throws, nothing is changed. */
  readonly check?: () => void;
}

/** Atomically writes a file that only its owner may read, never through a link. Its folder must exist. */
export function writePrivate(path: string, content: string | Uint8Array, how: PrivateWrite = {}): void {
  const temp = how.temp ?? `${path}.${process.pid}.${uniqueName()}`;
  const fd = openSync(temp, NEW_FILE, 0o600);
  try {
    try {
      fchmodSync(fd, 0o600); // whatever the umask is
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
