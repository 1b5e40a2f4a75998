/** Reads a client's file in an untrusted folder: opening a pipe may block, and reading a device may never end. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { decodeText } from '../../text/lines/bytes.ts';

/** No configuration file is larger. */
const LARGEST = 64 << 20;

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
  return new Fault('FS_NOT_REGULAR', `${path} is not a regular file`, {
    hint: 'nothing was written; move it away first',
  });
}

export function refuseLarge(path: string, size: number): void {
  if (size <= LARGEST) return;
  throw new Fault('CONFIG_CLIENT_CONFLICT', `${path} is larger than ${LARGEST >> 20} MiB`, {
    hint: 'this is not a configuration file; nothing was written',
  });
}
