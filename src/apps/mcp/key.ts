/**
 * The key that signs what a client carries from a question to its answer. It stands in the state folder, so that the process
 * that hears the answer need not be the one that asked.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';

const KEY_BYTES = 32;
const OTHERS = 0o077;

/** The key of a state folder, made by whoever needs it first. */
export function stateKey(stateDir: string): Uint8Array {
  const folder = join(stateDir, 'mcp');
  const path = join(folder, 'state.key');
  return readKey(path) ?? makeKey(folder, path);
}

/** Complete from the first moment on: it gets its name only when it has been written. */
function makeKey(folder: string, path: string): Uint8Array {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process was first: its key holds
  } finally {
    rmSync(draft, { force: true });
  }
  const key = readKey(path);
  if (key === undefined) throw unusable(path, 'it was removed in this moment');
  return key;
}

/** Undefined where there is none. A key that others know, or could have put there, signs nothing. */
function readKey(path: string): Uint8Array | undefined {
  const fd = openKey(path);
  if (fd === undefined) return undefined;
  try {
    const { mode, uid, size } = fstatSync(fd);
    if ((mode & OTHERS) !== 0) throw unusable(path, 'others may read or write it');
    if (process.getuid !== undefined && uid !== process.getuid()) throw unusable(path, 'it belongs to another user');
    const key = new Uint8Array(KEY_BYTES);
    if (size !== KEY_BYTES || readSync(fd, key) !== KEY_BYTES)
      throw unusable(path, `it does not have ${KEY_BYTES} bytes`);
    return key;
  } finally {
    closeSync(fd);
  }
}

function openKey(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unusable(path, code ?? 'it cannot be opened');
  }
}

function unusable(path: string, why: string): Fault {
  return new Fault('GATEWAY_KEY_UNUSABLE', `${path} cannot be used: ${why}`, {
    hint: 'remove the file; a new key is made at the next question',
    details: { path },
  });
}
