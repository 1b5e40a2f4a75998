/** What both ends of a handshake have sent and received, and the values that are derived from it. */
import { createHash, createHmac } from 'node:crypto';

const PURPOSE = 'pincer-node-v1';
const CODES = 100_000_000n;
const CODE_DIGITS = 8;

/** The exact bytes of the handshake. */
export interface Transcript {
  readonly hello: Uint8Array;
  /** The text that the gateway signed. */
  readonly challenge: Uint8Array;
  /** The TLS exporter; empty where the challenge says that there is none. */
  readonly binding: Uint8Array;
}

/** What the gateway signs. */
export function challengeDigest({ hello, challenge, binding }: Transcript): Uint8Array {
  return digest('challenge', hello, challenge, binding);
}

/** What the node signs. */
export function proofDigest({ hello, challenge, binding }: Transcript, proof: Uint8Array): Uint8Array {
  return digest('proof', hello, challenge, binding, proof);
}

/**
 * Eight digits for people to compare. They do not depend on the proof or on a signature: the node of an attacker could try
 * versions of those until the digits match. It committed to its nonce before it saw the nonce of the gateway.
 */
export function pairingCode({ hello, challenge, binding }: Transcript, nonce: Uint8Array): string {
  const number = digest('code', hello, challenge, binding, nonce).readBigUInt64BE() % CODES;
  return String(number).padStart(CODE_DIGITS, '0');
}

/** Proves the secret of an invitation for this connection only. */
export function invitationMac(
  { hello, challenge, binding }: Transcript,
  nonce: Uint8Array,
  secret: Uint8Array,
): Uint8Array {
  return createHmac('sha256', secret)
    .update(digest('invitation', hello, challenge, binding, nonce))
    .digest();
}

export function commitmentTo(nonce: Uint8Array): Uint8Array {
  return digest('commitment', nonce);
}

/** The length of each part is hashed, too, so that different parts never have the same hash. */
function digest(use: string, ...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of [Buffer.from(`${PURPOSE} ${use}`), ...parts]) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(part.length);
    hash.update(length).update(part);
  }
  return hash.digest();
}
