/**
 * The key that signs the `requestState` of approval requests. It is in the state folder, so that another process than the
 * one that asked can verify the answer.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { makeSecret, readSecret } from '../../hosts/files/secret-file.ts';

const KEY_BYTES = 32;

/** The key of a state folder, created at first use. */
export function stateKey(stateDir: string): Uint8Array {
  const folder = join(stateDir, 'mcp');
  const path = join(folder, 'state.key');
  return readKey(path) ?? makeKey(folder, path);
}

function makeKey(folder: string, path: string): Uint8Array {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  makeSecret(path, randomBytes(KEY_BYTES));
  const key = readKey(path);
  if (key === undefined) throw unusable(path, 'it was removed just now');
  return key;
}

/** Undefined if there is none. Refuses a key that other users can read or write. */
function readKey(path: string): Uint8Array | undefined {
  const found = readSecret(path);
  if (found === undefined) return undefined;
  if ('problem' in found) throw unusable(path, found.problem);
  if (found.bytes.length !== KEY_BYTES) throw unusable(path, `it does not have ${KEY_BYTES} bytes`);
  return new Uint8Array(found.bytes);
}

function unusable(path: string, why: string): Fault {
  return new Fault('GATEWAY_KEY_UNUSABLE', `${path} cannot be used: ${why}`, {
    hint: 'remove the file; the next approval request creates a new key',
    details: { path },
  });
}
