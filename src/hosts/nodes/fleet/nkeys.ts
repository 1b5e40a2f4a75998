/**
 * Keys of NATS: Ed25519 keys in base32 with a letter for their role and a checksum. The key of a machine is one, too, so a node
 * proves the same key to the NATS server and to its gateway.
 */
import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';

/** First byte of a public key: five bits of the role. */
const ROLES = { operator: 14 << 3, account: 0, user: 20 << 3 } as const;
export type NkeyRole = keyof typeof ROLES;

/** A key that signs. */
export interface Nkey {
  /** `O…`, `A…` or `U…`. */
  readonly publicKey: string;
  sign(bytes: Uint8Array): Uint8Array;
}

const SEED = 18 << 3;
const KEY_BYTES = 32;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** An Ed25519 private key in PKCS #8, without its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The text of a new private key, `S…`. */
export function newSeed(role: NkeyRole): string {
  return seedText(role, randomBytes(KEY_BYTES));
}

export function seedText(role: NkeyRole, bytes: Uint8Array): string {
  const code = ROLES[role];
  return checked(Buffer.from([SEED | (code >> 5), (code & 31) << 3, ...bytes]));
}

export function publicNkey(role: NkeyRole, publicKey: Uint8Array): string {
  return checked(Buffer.from([ROLES[role], ...publicKey]));
}

/** Undefined where the text is not a private key of this role. */
export function nkeyOf(role: NkeyRole, seed: string): Nkey | undefined {
  const bytes = unchecked(seed);
  if (bytes?.length !== KEY_BYTES + 2 || seed !== seedText(role, bytes.subarray(2))) return undefined;
  return nkeyOfBytes(role, bytes.subarray(2));
}

/** A key from its 32 private bytes. */
export function nkeyOfBytes(role: NkeyRole, bytes: Uint8Array): Nkey {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, bytes]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return {
    publicKey: publicNkey(role, Buffer.from(x, 'base64url')),
    sign: (message) => new Uint8Array(sign(null, message, privateKey)),
  };
}

/** The 32 bytes of a public key; undefined where the text is not one of this role. */
export function publicBytes(role: NkeyRole, text: string): Uint8Array | undefined {
  const bytes = unchecked(text);
  if (bytes?.length !== KEY_BYTES + 1 || bytes[0] !== ROLES[role]) return undefined;
  return new Uint8Array(bytes.subarray(1));
}

function checked(bytes: Buffer): string {
  const sum = Buffer.alloc(2);
  sum.writeUInt16LE(crc16(bytes));
  return base32(Buffer.concat([bytes, sum]));
}

function unchecked(text: string): Buffer | undefined {
  if (!/^[A-Z2-7]{56,58}$/u.test(text)) return undefined;
  const bits = [...text].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const all = Buffer.from((bits.match(/.{8}/gu) ?? []).map((eight) => Number.parseInt(eight, 2)));
  const bytes = all.subarray(0, -2);
  return crc16(bytes) === all.readUInt16LE(bytes.length) && base32(all) === text ? bytes : undefined;
}

/** Without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/gu) ?? []).map((five) => LETTERS[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) sum = ((sum << 1) ^ ((sum & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff;
  }
  return sum;
}
