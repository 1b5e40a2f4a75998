/** Sends and receives the messages of a handshake over a carrier that is not trusted. */
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { Mismatch } from '../../wire/mismatch.ts';
import { signedMessage } from '../../wire/nodes/handshake.ts';
import { check, type Schema } from '../../wire/schema.ts';
import type { Carrier } from '../channel/carriers/carrier.ts';
import { isSignedBy } from './keys.ts';

const LONGEST = 4 * 1024;
const HANDSHAKE_MS = 5_000;

export interface HandshakeLimits {
  /** Default: 5 s for the whole handshake. */
  readonly timeoutMs?: number;
}

/** Both ends use one deadline for all messages, so that a peer cannot delay each of them. */
export class HandshakeMessages {
  readonly #carrier: Carrier;
  readonly #deadline: number;
  readonly #timeoutMs: number;

  constructor(carrier: Carrier, { timeoutMs = HANDSHAKE_MS }: HandshakeLimits) {
    this.#carrier = carrier;
    this.#timeoutMs = timeoutMs;
    this.#deadline = performance.now() + timeoutMs;
  }

  send(message: unknown): Uint8Array {
    const bytes = Buffer.from(JSON.stringify(message));
    if (bytes.length > LONGEST) throw malformed(`this end's message of ${bytes.length} bytes is too long`);
    this.#carrier.send(bytes);
    return bytes;
  }

  /** `waitMs`: waits so long instead of until the deadline, as for the answer of a person. */
  receive(waitMs?: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const settle = (work: () => void): void => {
        clearTimeout(timer);
        this.#carrier.on(undefined);
        work();
      };
      const timer = setTimeout(
        () => {
          const ms = waitMs ?? this.#timeoutMs;
          settle(() => reject(malformed(`no message from ${this.#carrier.remote} within ${ms} ms`)));
        },
        waitMs ?? this.#deadline - performance.now(),
      );
      this.#carrier.on({
        message: (bytes) =>
          settle(() => {
            if (bytes.length <= LONGEST) resolve(bytes);
            else reject(malformed(`a message of ${bytes.length} bytes`));
          }),
        room() {},
        down: (reason) => settle(() => reject(malformed(`the other end disconnected: ${reason}`))),
      });
    });
  }
}

/** Reads JSON of the other end. */
export function readAs<T>(schema: Schema<T>, bytes: Uint8Array, name: string): T {
  try {
    return check(schema, parseJson(bytes), name);
  } catch (error) {
    if (error instanceof Mismatch) throw malformed(`${error.place} must be ${error.expected}`);
    throw error;
  }
}

export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw malformed(`a message that is not JSON: ${messageOf(error)}`);
  }
}

/** A message of the other end and the exact bytes that it signed. */
export interface SignedBytes {
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

export function readSigned(bytes: Uint8Array, name: string): SignedBytes {
  const { signed, signature } = readAs(signedMessage, bytes, name);
  return { signed: Buffer.from(signed), signature: fromBase64(signature) };
}

/** `role`: whose key it is, for the message. */
export function expectSigned(publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array, role: string): void {
  if (isSignedBy(publicKey, digest, signature)) return;
  throw new Fault('NODE_IDENTITY', `the ${role} did not prove its key for this connection`, {
    hint: 'another machine may intercept the connection, or a proxy terminates TLS; nothing was sent to it',
  });
}

export function malformed(what: string): Fault {
  return new Fault('NODE_HANDSHAKE', `handshake failed: ${what}`, {
    hint: 'check that the address is the node port of a pincer gateway',
  });
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

export function fromBase64(text: string): Uint8Array {
  return Buffer.from(text, 'base64url');
}
