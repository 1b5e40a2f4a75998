/** What both ends of a handshake have sent and received, and the values that are derived from it. */
import { createHash, createHmac } from 'node:crypto';

const PURPOSE = 'pincer-node-v1';
/**
 * Before all that a key signs here. It is not UTF-8, and a NATS server, for which a node signs a text with the same key, can never
 * ask for it.
 */
const SIGNED = Buffer.concat([Buffer.from([0xff]), Buffer.from(`${PURPOSE} `)]);
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

/** What each end commits to in its first message and reveals when the other end cannot choose its own values any more. */
export interface RevealedNonces {
  readonly node: Uint8Array;
  readonly gateway: Uint8Array;
}

/**
 * Eight digits for people to compare. They do not depend on the proof or on a signature: an attacker could try versions of those
 * until the digits match. The gateway reveals its nonce after the proof, so a node cannot know its digits before it waits.
 */
export function pairingCode({ hello, challenge, binding }: Transcript, nonces: RevealedNonces): string {
  const hash = hashOf('code', hello, challenge, binding, nonces.node, nonces.gateway);
  const number = hash.readBigUInt64BE() % CODES;
  return String(number).padStart(CODE_DIGITS, '0');
}

/** Proves the secret of an invitation for this connection only. */
export function invitationMac(
  { hello, challenge, binding }: Transcript,
  nonce: Uint8Array,
  secret: Uint8Array,
): Uint8Array {
  return createHmac('sha256', secret)
    .update(hashOf('invitation', hello, challenge, binding, nonce))
    .digest();
}

/** What the next key of a node signs, so that a node cannot announce the key of another machine. */
export function nextKeyDigest({ hello, challenge, binding }: Transcript, key: Uint8Array): Uint8Array {
  return digest('next key', hello, challenge, binding, key);
}

export function commitmentTo(nonce: Uint8Array): Uint8Array {
  return hashOf('commitment', nonce);
}

/** For a signature. */
function digest(use: string, ...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([SIGNED, hashOf(use, ...parts)]);
}

/** The length of each part is hashed, too, so that different parts never have the same hash. */
function hashOf(use: string, ...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of [Buffer.from(`${PURPOSE} ${use}`), ...parts]) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(part.length);
    hash.update(length).update(part);
  }
  return hash.digest();
}
