/** The text of a client's file as it stands in a folder that may be anybody's: a pipe never opens, and a device never ends. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { decodeText } from '../../text/lines/bytes.ts';

/** No file of configuration is larger. */
const LARGEST = 64 << 20;

/** The text of the file; throws where it is no file, or too large to be one of configuration. */
export function readClientFile(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(fd);
    if (!status.isFile()) throw notRegular(path);
    refuseLarge(path, status.size);
    return decodeText(readFileSync(fd));
  } finally {
    closeSync(fd);
  }
}

export function notRegular(path: string): Fault {
  return new Fault('FS_NOT_REGULAR', `${path} is no regular file`, {
    hint: 'nothing was written; move it away first',
  });
}

export function refuseLarge(path: string, size: number): void {
  if (size <= LARGEST) return;
  throw new Fault('CONFIG_CLIENT_CONFLICT', `${path} is larger than ${LARGEST >> 20} MiB`, {
    hint: 'this is no file of configuration; nothing was written',
  });
}
