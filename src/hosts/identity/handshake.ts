/**
 * The handshake of a node with a gateway. Each end proves its key with a signature over all that was sent and the TLS exporter
 * of the connection, so no machine between them can be the other end of both TLS connections. No certificate has to be trusted.
 *   1. node → hello      key, commitment to its nonce, protocol versions
 *   2. gateway → challenge  key, nonce, commitment to a second nonce; signed
 *   3. node → proof      nonce, name, offer, proof of an invitation; signed
 *   4. gateway → welcome with the epoch of the link, pending with the second nonce, or refused
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Fault, type FaultCode } from '../../base/fault.ts';
import { HANDSHAKE, type HandshakeAnswer, type Invitation, NODE_PROTOCOLS } from '../../wire/nodes/handshake.ts';
import type { NodeHello, NodeOffer, NodePlatform } from '../../wire/nodes/node.ts';
import { isObject } from '../../wire/schema.ts';
import type { Carrier } from '../channel/carriers/carrier.ts';
import {
  expectSigned,
  fromBase64,
  type HandshakeLimits,
  HandshakeMessages,
  malformed,
  parseJson,
  readAs,
  readSigned,
  toBase64,
} from './handshake-messages.ts';
import { anotherGateway, commonProtocol, noMember, unboundGateway } from './handshake-faults.ts';
import { type Identity, identityId } from './keys.ts';
import {
  challengeDigest,
  commitmentTo,
  invitationMac,
  nextKeyDigest,
  pairingCode,
  proofDigest,
  type Transcript,
} from './transcript.ts';

export interface Welcome {
  /** Of the link. */
  readonly epoch: string;
  /** Id and name of the node at this gateway. */
  readonly id?: string;
  readonly name?: string;
  /** The gateway has stored the next key of the node, and accepts it from now on. */
  readonly knowsNextKey?: true;
  /** For NATS; of the next key, where the gateway knows it, or of the current one. */
  readonly token?: string;
}

export type FinalDecision =
  | ({ readonly answer: 'welcome' } & Welcome)
  | { readonly answer: 'refused'; readonly code: FaultCode; readonly message: string; readonly hint?: string };
export type Decision = FinalDecision | { readonly answer: 'pending' };

/** A node that has proved its key. */
export interface ProvenNode {
  readonly id: string;
  readonly publicKey: Uint8Array;
  readonly name: string;
  readonly platform: NodePlatform;
  readonly version: string;
  readonly offer: NodeOffer;
  readonly instance: string;
  /** Eight digits, which the node shows, too. */
  readonly code: string;
  /** Whether the signatures cover the TLS connection. */
  readonly isBound: boolean;
  readonly protocol: number;
  readonly remote: string;
  /** The key that the node will use instead of `publicKey`; both have signed it. */
  readonly nextKey?: Uint8Array;
  /** The id of the invitation that the node names. It counts only if `proves` is true for its secret. */
  readonly invitation?: string;
  readonly proves: (secret: Uint8Array) => boolean;
}

export interface AcceptedNode {
  readonly peer: ProvenNode;
  readonly decision: Decision;
  /** Answers a pending node later. After `refused` the carrier is closed. */
  readonly settle: (decision: FinalDecision) => void;
}

/** A gateway that has proved its key. */
interface ProvenGateway {
  readonly id: string;
  readonly publicKey: Uint8Array;
  readonly version: string;
  readonly protocol: number;
  readonly isBound: boolean;
}

export type GreetedGateway = ProvenGateway & {
  /** For a pending node it waits for a person, and rejects when the gateway refuses or disconnects. */
  readonly welcome: Promise<Welcome>;
} & (
    | { readonly answer: 'welcome'; readonly code?: undefined }
    /** `code`: eight digits, which the gateway shows, too. */
    | { readonly answer: 'pending'; readonly code: string }
  );

export interface AcceptOptions extends HandshakeLimits {
  /** Of this program. */
  readonly version: string;
  /** The id of the node with this key (default: that of a node which never changed its key). */
  readonly idOf?: (publicKey: Uint8Array) => string;
  /** The NATS token of this gateway. */
  readonly membership?: string;
  readonly protocols?: { readonly min: number; readonly max: number };
}

export interface GreetOptions extends HandshakeLimits {
  /** The id of the gateway. Another one is refused. */
  readonly expected?: string;
  /** Set where this node is paired with another gateway: whether the expected one belongs to the same fleet. */
  readonly isMember?: (publicKey: Uint8Array, membership: string) => boolean;
  readonly invitation?: Invitation;
  /** The key that this node will use next. */
  readonly next?: Identity;
  /**
   * Whether the signatures must cover the TLS connection. `if-tls`: unless the connection has no TLS, as on loopback (default).
   * `proxy`: not required, because TLS ends at a proxy whose certificate the caller has verified.
   */
  readonly binding?: 'required' | 'if-tls' | 'proxy';
  /** How long a pending node waits for the answer (default: 6 minutes; the gateway ends a request after 5). */
  readonly pendingMs?: number;
  readonly protocols?: { readonly min: number; readonly max: number };
}

const NONCE_BYTES = 32;
const PENDING_MS = 6 * 60_000;
const NO_BINDING = new Uint8Array(0);
/** The refusals that a node repeats as its own fault. */
const REFUSALS: readonly FaultCode[] = [
  'NODE_CLONED',
  'NODE_FLEET_UNAVAILABLE',
  'NODE_HANDSHAKE',
  'NODE_IDENTITY',
  'NODE_INVITATION',
  'NODE_PAIRING_FULL',
  'NODE_PROTOCOL',
  'NODE_REJECTED',
  'NODE_REVOKED',
];

/** At the gateway. Rejects with a fault and closes the carrier when the node does not prove its key in time. */
export async function acceptNode(
  carrier: Carrier,
  own: Identity,
  decide: (peer: ProvenNode) => Promise<Decision>,
  options: AcceptOptions,
): Promise<AcceptedNode> {
  const messages = new HandshakeMessages(carrier, options);
  const settle = (decision: FinalDecision): void => {
    messages.send(decision);
    if (decision.answer === 'refused') carrier.close(decision.message);
  };
  try {
    const secondNonce = randomBytes(NONCE_BYTES);
    const peer = await proveNode(carrier, messages, own, { ...options, secondNonce });
    const decision = await decide(peer);
    if (decision.answer === 'pending') messages.send({ ...decision, nonce: toBase64(secondNonce) });
    else settle(decision);
    return { peer, decision, settle };
  } catch (error) {
    const refusal = error instanceof Fault && REFUSALS.includes(error.code) ? error : malformed('the gateway failed');
    refuse(messages, refusal);
    carrier.close(refusal.message);
    throw error;
  }
}

async function proveNode(
  carrier: Carrier,
  messages: HandshakeMessages,
  own: Identity,
  {
    version,
    secondNonce,
    membership,
    protocols = NODE_PROTOCOLS,
    idOf = identityId,
  }: AcceptOptions & { readonly secondNonce: Uint8Array },
): Promise<ProvenNode> {
  const helloBytes = await messages.receive();
  const hello = readAs(HANDSHAKE.hello, helloBytes, 'hello');
  const protocol = commonProtocol(hello.protocol, protocols);
  const isBound = carrier.binding !== undefined;
  const challenge = Buffer.from(
    JSON.stringify({
      protocol,
      key: toBase64(own.publicKey),
      nonce: toBase64(randomBytes(NONCE_BYTES)),
      commit: toBase64(commitmentTo(secondNonce)),
      version,
      bound: isBound,
      ...(membership === undefined ? {} : { membership }),
    }),
  );
  const transcript: Transcript = { hello: helloBytes, challenge, binding: carrier.binding ?? NO_BINDING };
  messages.send(signedBy(own, challenge, challengeDigest(transcript)));

  const { signed, signature } = readSigned(await messages.receive(), 'proof');
  const publicKey = fromBase64(hello.key);
  expectSigned(publicKey, proofDigest(transcript, signed), signature, 'node');
  const proof = readAs(HANDSHAKE.proof, signed, 'proof');
  const nonce = fromBase64(proof.nonce);
  if (!isSame(commitmentTo(nonce), fromBase64(hello.commit))) throw malformed('the nonce is not the committed one');
  const mac = proof.invitation === undefined ? undefined : fromBase64(proof.invitation.mac);
  const nextKey = proof.nextKey === undefined ? undefined : fromBase64(proof.nextKey.key);
  if (nextKey !== undefined)
    expectSigned(
      nextKey,
      nextKeyDigest(transcript, nextKey),
      fromBase64(proof.nextKey!.signature),
      'new key of the node',
    );
  return {
    id: idOf(publicKey),
    publicKey,
    ...(nextKey === undefined ? {} : { nextKey }),
    name: proof.name,
    platform: proof.platform,
    version: hello.version,
    offer: proof.offer,
    instance: hello.instance,
    code: pairingCode(transcript, { node: nonce, gateway: secondNonce }),
    isBound,
    protocol,
    remote: carrier.remote,
    ...(proof.invitation === undefined ? {} : { invitation: proof.invitation.id }),
    proves: (secret) => mac !== undefined && isSame(invitationMac(transcript, nonce, secret), mac),
  };
}

/** At the node. Rejects with a fault, and closes the carrier, when the gateway is not the expected one or refuses. */
export async function greetGateway(
  carrier: Carrier,
  own: Identity,
  hello: NodeHello,
  options: GreetOptions = {},
): Promise<GreetedGateway> {
  const messages = new HandshakeMessages(carrier, options);
  try {
    const { codeWith, ...greeted } = await proveOwn(carrier, messages, own, hello, options);
    const answer = readAnswer(await messages.receive());
    if (answer.answer === 'welcome') return { ...greeted, answer: 'welcome', welcome: Promise.resolve(answer) };
    const code = codeWith(fromBase64(answer.nonce));
    const welcome = lastAnswer(carrier, messages, options.pendingMs);
    welcome.catch(() => undefined); // the caller may not wait for it
    return { ...greeted, answer: 'pending', code, welcome };
  } catch (error) {
    carrier.close('the handshake failed');
    throw error;
  }
}

async function proveOwn(
  carrier: Carrier,
  messages: HandshakeMessages,
  own: Identity,
  { version, instance, name, platform, offer }: NodeHello,
  { expected, isMember, invitation, next, binding = 'if-tls', protocols = NODE_PROTOCOLS }: GreetOptions,
): Promise<ProvenGateway & { readonly codeWith: (secondNonce: Uint8Array) => string }> {
  const nonce = randomBytes(NONCE_BYTES);
  const hello = messages.send({
    role: 'node',
    protocol: protocols,
    version,
    key: toBase64(own.publicKey),
    commit: toBase64(commitmentTo(nonce)),
    instance,
  });
  const bytes = await messages.receive();
  const early = parseJson(bytes);
  if (isObject(early) && Object.hasOwn(early, 'answer')) throw unprovenRefusal(bytes);
  const { signed, signature } = readSigned(bytes, 'challenge');
  const challenge = readAs(HANDSHAKE.challenge, signed, 'challenge');
  if (challenge.protocol < protocols.min || challenge.protocol > protocols.max)
    throw malformed(`the gateway chose protocol ${challenge.protocol}`);
  const isBound = challenge.bound && carrier.binding !== undefined;
  const mayBeUnbound = binding === 'proxy' || (binding === 'if-tls' && carrier.binding === undefined);
  if (!isBound && (challenge.bound || !mayBeUnbound)) throw unboundGateway(binding === 'required');
  const transcript: Transcript = {
    hello,
    challenge: signed,
    binding: isBound ? (carrier.binding ?? NO_BINDING) : NO_BINDING,
  };
  const publicKey = fromBase64(challenge.key);
  expectSigned(publicKey, challengeDigest(transcript), signature, 'gateway');
  const id = identityId(publicKey);
  const wanted = expected ?? invitation?.gateway;
  if (wanted !== undefined && wanted !== id) throw anotherGateway(wanted, id);
  const { membership } = challenge;
  if (isMember !== undefined && (membership === undefined || !isMember(publicKey, membership))) throw noMember(id);

  const proof = Buffer.from(
    JSON.stringify({
      nonce: toBase64(nonce),
      name,
      platform,
      offer,
      ...(invitation === undefined
        ? {}
        : {
            invitation: {
              id: invitation.id,
              mac: toBase64(invitationMac(transcript, nonce, fromBase64(invitation.secret))),
            },
          }),
      ...(next === undefined
        ? {}
        : {
            nextKey: {
              key: toBase64(next.publicKey),
              signature: toBase64(next.sign(nextKeyDigest(transcript, next.publicKey))),
            },
          }),
    }),
  );
  messages.send(signedBy(own, proof, proofDigest(transcript, proof)));
  return {
    id,
    publicKey,
    version: challenge.version,
    protocol: challenge.protocol,
    isBound,
    codeWith(secondNonce) {
      if (!isSame(commitmentTo(secondNonce), fromBase64(challenge.commit)))
        throw malformed('the second nonce of the gateway is not the committed one');
      return pairingCode(transcript, { node: nonce, gateway: secondNonce });
    },
  };
}

/** A gateway that stopped without closing the connection would never answer: the caller connects again. */
async function lastAnswer(carrier: Carrier, messages: HandshakeMessages, waitMs = PENDING_MS): Promise<Welcome> {
  try {
    const answer = readAnswer(await messages.receive(waitMs));
    if (answer.answer === 'welcome') return answer;
    throw malformed('the gateway sent a second "pending"');
  } catch (error) {
    carrier.close('the handshake failed');
    throw error;
  }
}

/** Throws the fault of a refusal. */
function readAnswer(bytes: Uint8Array): Exclude<HandshakeAnswer, { readonly answer: 'refused' }> {
  const answer = readAs(HANDSHAKE.answer, bytes, 'answer');
  if (answer.answer !== 'refused') return answer;
  const code = REFUSALS.find((each) => each === answer.code) ?? 'NODE_HANDSHAKE';
  const extras = answer.hint === undefined ? {} : { hint: answer.hint };
  throw new Fault(code, `the gateway refused this node: ${answer.message}`, extras);
}

/** A refusal before the gateway has proved its key may come from any machine: the node tries again. */
function unprovenRefusal(bytes: Uint8Array): Fault {
  const answer = readAs(HANDSHAKE.answer, bytes, 'answer');
  if (answer.answer !== 'refused') return malformed(`the gateway sent "${answer.answer}" without a proof of its key`);
  const code = answer.code === 'NODE_PROTOCOL' ? answer.code : 'NODE_HANDSHAKE';
  return new Fault(code, `the gateway refused this node: ${answer.message}`, {
    hint: answer.hint ?? 'check the address of the gateway',
  });
}

function refuse(messages: HandshakeMessages, { code, message, hint }: Fault): void {
  const texts = { message: message.slice(0, 512), ...(hint === undefined ? {} : { hint: hint.slice(0, 512) }) };
  messages.send({ answer: 'refused', code, ...texts });
}

function signedBy(own: Identity, text: Buffer, digest: Uint8Array): unknown {
  return { signed: text.toString('utf8'), signature: toBase64(own.sign(digest)) };
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
