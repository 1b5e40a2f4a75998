/**
 * Both ends prove that they have the key of the login, and neither sends it. Another program that took the port of a stopped
 * server learns nothing that it could use, and the page believes nothing that it says.
 */
import { type LoginHandshake, proofText } from '../../wire/page/login.ts';

const NONCE_BYTES = 32;

export function newNonce(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
}

/** `crypto.subtle` needs a secure context: https, or the address of this machine. */
export async function proofOf(end: 'page' | 'server', key: string, handshake: LoginHandshake): Promise<string> {
  const { subtle } = crypto;
  const encoder = new TextEncoder();
  const hash = await subtle.digest('SHA-256', encoder.encode(key));
  const hmac = await subtle.importKey('raw', hash, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return hexOf(new Uint8Array(await subtle.sign('HMAC', hmac, encoder.encode(proofText(end, handshake)))));
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
