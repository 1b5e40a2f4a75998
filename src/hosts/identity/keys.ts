/** The identity of a machine: an Ed25519 key in its state folder. Gateways and nodes have one alike. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { check, object, string } from '../../wire/schema.ts';
import { makeSecret, readSecret } from '../files/secret-file.ts';
import { makeFolder } from '../files/state-folder.ts';

export interface Identity {
  /** Base32 of the first 20 bytes of SHA-256 of the public key: 32 letters. */
  readonly id: string;
  readonly publicKey: Uint8Array;
  sign(bytes: Uint8Array): Uint8Array;
}

const KEY_BYTES = 32;
const ID_BYTES = 20;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
const key = string({ max: 43, pattern: /^[\w-]{43}$/u });
const identityFile = object({ publicKey: key, privateKey: key });
const CURVE = { kty: 'OKP', crv: 'Ed25519' } as const;

/** Reads `identity.json` of a state folder, which is created at first use. */
export function loadIdentity(stateDir: string): Identity {
  const path = join(stateDir, 'identity.json');
  return readIdentity(path) ?? createIdentity(stateDir, path);
}

export function newIdentity(): Identity {
  return identityOf(newKeys());
}

export function identityId(publicKey: Uint8Array): string {
  const hash = createHash('sha256').update(publicKey).digest().subarray(0, ID_BYTES);
  const bits = [...hash].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replaceAll(/.{5}/gu, (five) => LETTERS[Number.parseInt(five, 2)] ?? '');
}

export function isSignedBy(publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== KEY_BYTES) return false;
  try {
    const jwk = { ...CURVE, x: Buffer.from(publicKey).toString('base64url') };
    return verify(null, bytes, createPublicKey({ key: jwk, format: 'jwk' }), signature);
  } catch {
    return false;
  }
}

interface Keys {
  readonly publicKey: string;
  readonly privateKey: string;
}

function newKeys(): Keys {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { publicKey: x, privateKey: d };
}

function identityOf(keys: Keys): Identity {
  const privateKey = createPrivateKey({ key: { ...CURVE, x: keys.publicKey, d: keys.privateKey }, format: 'jwk' });
  const publicKey = new Uint8Array(Buffer.from(keys.publicKey, 'base64url'));
  return { id: identityId(publicKey), publicKey, sign: (bytes) => new Uint8Array(sign(null, bytes, privateKey)) };
}

export function createIdentity(stateDir: string, path: string): Identity {
  try {
    makeFolder(stateDir);
    makeSecret(path, `${JSON.stringify(newKeys())}\n`);
  } catch (error) {
    throw unusable(path, messageOf(error));
  }
  const created = readIdentity(path); // another process may have been first
  if (created === undefined) throw unusable(path, 'another process removed it');
  return created;
}

/** Undefined where there is no such file. */
export function readIdentity(path: string): Identity | undefined {
  const found = readSecret(path);
  if (found === undefined) return undefined;
  if ('problem' in found) throw unusable(path, found.problem);
  let identity: Identity;
  try {
    identity = identityOf(check(identityFile, JSON.parse(found.bytes.toString('utf8')), 'identity'));
  } catch {
    throw unusable(path, 'it does not contain a key');
  }
  const sample = Buffer.from(path);
  if (!isSignedBy(identity.publicKey, sample, identity.sign(sample))) throw unusable(path, 'its keys are not a pair');
  return identity;
}

function unusable(path: string, why: string): Fault {
  return new Fault('NODE_KEY_UNUSABLE', `${path} cannot be used: ${why}`, {
    hint: 'restore the file with mode 0600; without it this machine gets a new identity and must be paired again',
    details: { path },
  });
}
