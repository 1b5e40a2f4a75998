/** One connection to the gateway up to its welcome, which pairs this node. */
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import type { Carrier } from '../../hosts/channel/carriers/carrier.ts';
import { type GreetedGateway, greetGateway, type Welcome } from '../../hosts/identity/handshake.ts';
import { isNatsUrl } from '../../hosts/identity/invitation.ts';
import type { NodeKeys } from '../../hosts/identity/node-keys.ts';
import { isFleetGateway, isSameIssuer } from '../../hosts/nodes/fleet/membership.ts';
import type { Invitation } from '../../wire/nodes/handshake.ts';
import type { NodeHello } from '../../wire/nodes/node.ts';
import type { NodeStore, Proof } from './node-store.ts';
import { isTokenOf } from './own-token.ts';

/** Who connects to which gateway; WebSocket needs nothing of it. */
export interface DialTarget {
  readonly keys: Pick<NodeKeys, 'current' | 'next'>;
  /** The expected gateway. */
  readonly gateway?: string;
  /** The id of this node there. */
  readonly node?: string;
  readonly invitation?: Invitation;
  /** For NATS. */
  readonly token?: string;
  /** TLS ends at a proxy, whose certificate has to be verified. */
  readonly proxy?: true;
}

export interface GreetingOptions {
  readonly url: string;
  /** The operator said that TLS ends at a proxy, for a pairing without an invitation. */
  readonly proxy?: true;
  readonly keys: Pick<NodeKeys, 'current' | 'next' | 'commit'>;
  readonly store: NodeStore;
  /** The id of a gateway of the fleet that this node is not paired with. Default: the paired one. */
  readonly member?: string;
  /** A person pairs this machine, so it requests a pairing also where the gateway does not know it any more. */
  readonly pairsAgain?: true;
  readonly hello: (attempt: Attempt) => Promise<NodeHello>;
  readonly dial: (url: string, signal: AbortSignal, target: DialTarget) => Promise<Carrier>;
  /** The operator of the gateway has to compare these digits, and a person on this node, too. */
  readonly onState: (state: { readonly state: 'pending'; readonly gateway: string; readonly code: string }) => void;
}

export interface Attempt {
  readonly invitation?: Invitation;
  /** `next` proves the key of a rotation that the gateway has accepted. */
  readonly key: 'current' | 'next';
  /** The attempt before proved the other key of a rotation, and the gateway did not know it. */
  readonly isOtherUnknown?: true;
}

export interface Greeted {
  readonly carrier: Carrier;
  readonly gateway: GreetedGateway;
  readonly welcome: Welcome;
  /** The gateway has accepted the next key: the next attempt proves it. */
  readonly mayUseNextKey: boolean;
}

/** Whether an invitation proves the gateway of this attempt, or a person on this node has compared its digits. */
export function isConfirmed(store: Pick<NodeStore, 'paired'>, { invitation }: Partial<Attempt> = {}): boolean {
  const paired = store.paired();
  return invitation !== undefined || (paired !== undefined && paired.unconfirmed === undefined);
}

/**
 * Whether TLS ends at a proxy: the invitation says it, or the pairing. The word of the operator counts for a first pairing, and can
 * add the proxy to a pairing without TLS.
 */
export function isProxied(
  { proxy, store }: Pick<GreetingOptions, 'proxy'> & { readonly store: Pick<NodeStore, 'paired'> },
  { invitation }: Partial<Attempt> = {},
): boolean {
  return invitation === undefined ? proxy === true || store.paired()?.proxy === true : invitation.proxy === true;
}

/** Closes the carrier where it rejects. */
export async function greetOnce(options: GreetingOptions, attempt: Attempt, signal: AbortSignal): Promise<Greeted> {
  const { url, keys, store, member, onState } = options;
  const { invitation } = attempt;
  const paired = store.paired();
  const expected = member ?? invitation?.gateway ?? paired?.id;
  const isSame = paired !== undefined && (member !== undefined || paired.id === expected);
  const next = keys.next();
  const isNext = attempt.key === 'next' && next !== undefined;
  const mayRequest = invitation !== undefined || options.pairsAgain === true;
  const proxy = isProxied(options, attempt) && !isNatsUrl(url);
  const hello = await options.hello(attempt);
  const token = store.natsToken();
  const carrier = await options.dial(url, signal, {
    keys,
    ...(expected === undefined ? {} : { gateway: expected }),
    ...(isSame && paired.node !== undefined ? { node: paired.node } : {}),
    ...(invitation === undefined ? {} : { invitation }),
    ...(token === undefined ? {} : { token }),
    ...(proxy ? { proxy } : {}),
  });
  const stop = (): void => carrier.close(messageOf(signal.reason));
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const gateway = await greetGateway(carrier, isNext ? next : keys.current(), hello, {
      ...(expected === undefined ? {} : { expected }),
      ...(member === undefined ? {} : { isMember: membersOf(store) }),
      ...(invitation === undefined ? {} : { invitation }),
      ...(isNext || next === undefined ? {} : { next }),
      // A connection that TLS protected must not be replaced by one that it does not.
      binding: isSame && paired.isBound ? 'required' : proxy || isNatsUrl(url) ? 'proxy' : 'if-tls',
    });
    const { id, code, isBound, answer } = gateway;
    if (answer === 'pending' && (isNext || member !== undefined || (isSame && !mayRequest))) {
      const isRemoved = member === undefined && (next === undefined || attempt.isOtherUnknown === true);
      throw isRemoved ? removedByGateway(id, url) : new UnknownKey(id);
    }
    if (answer === 'pending') {
      store.requested(id, code);
      onState({ state: 'pending', gateway: id, code });
    } else if (expected === undefined && store.requestedCode(id) === undefined) throw unknownGateway(id, url);
    // Without it, nothing but the word of this machine says that it is the gateway.
    const shown = store.requestedCode(id);
    const welcome = await gateway.welcome.catch((error: unknown) => {
      // The person gave up or was refused, perhaps because the digits differ.
      if (signal.aborted || (error instanceof Fault && error.code === 'NODE_REJECTED')) store.withdraw();
      throw error;
    });
    if (welcome.token !== undefined) keepToken(options, welcome.token);
    else if (isNatsUrl(url)) throw noToken(id);
    const node = welcome.id === undefined ? {} : { node: welcome.id };
    const name = welcome.name === undefined ? {} : { name: welcome.name };
    if (member === undefined) {
      const proof = proofOf(invitation, shown);
      // Another process may have forgotten the gateway meanwhile, perhaps because its digits differ.
      if (proof === undefined && store.paired()?.id !== id) throw unknownGateway(id, url);
      store.pair({ id, url, isBound, ...(proxy && !isBound ? { proxy } : {}), ...node, ...name }, proof);
    }
    if (isNext) keys.commit(next);
    return { carrier, gateway, welcome, mayUseNextKey: !isNext && next !== undefined && welcome.knowsNextKey === true };
  } catch (error) {
    carrier.close('the handshake failed');
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The account that the paired gateway chose decides. A node that was paired in another way has no fleet. */
export function membersOf(store: Pick<NodeStore, 'paired' | 'natsToken'>) {
  return (publicKey: Uint8Array, membership: string): boolean => {
    const [paired, own] = [store.paired(), store.natsToken()];
    if (paired === undefined || paired.isBound || !isNatsUrl(paired.url) || own === undefined) return false;
    return isFleetGateway(membership, publicKey, own);
  };
}

/** Several gateways give tokens: one that is late may be for a key that this node has replaced meanwhile. */
function keepToken({ keys, store, member }: GreetingOptions, token: string): void {
  const next = keys.next();
  const isOwn = isTokenOf(token, keys.current()) || (next !== undefined && isTokenOf(token, next));
  const known = store.natsToken();
  const isOfFleet = member === undefined || (known !== undefined && isSameIssuer(token, known));
  if (isOwn && isOfFleet) store.setNatsToken(token);
}

function proofOf(invitation: Invitation | undefined, shown: string | undefined): Proof | undefined {
  if (invitation !== undefined) return { by: 'invitation' };
  return shown === undefined ? undefined : { by: 'digits', code: shown };
}

/** Not an error: the connection of an invitation over NATS only pairs, and the next one uses the credentials of this node. */
export class PairedOverNats extends Error {
  constructor() {
    super('the gateway has paired this node');
  }
}

/** Not an error: the connection ended so that the next one proves the new key. */
export class NextKeyAccepted extends Error {
  constructor() {
    super('the gateway accepted the new key of this node');
  }
}

/**
 * The key of the next attempt. After a crash the node may not know that the gateway uses the next key already, or no longer: a
 * refused key is followed by the other one.
 */
export function nextAttempt(attempt: Attempt, failure: unknown, { keys, store }: GreetingOptions): Attempt {
  const isRefused = failure instanceof Fault && failure.code === 'NODE_IDENTITY';
  const other = attempt.key === 'current' && keys.next() !== undefined ? 'next' : 'current';
  const next: Attempt = {
    key: failure instanceof NextKeyAccepted || isRefused ? other : attempt.key,
    ...(failure instanceof UnknownKey && other !== attempt.key ? { isOtherUnknown: true } : {}),
  };
  const { invitation } = attempt;
  if (invitation !== undefined && isNeedless(invitation, failure, store)) return next;
  if (invitation?.token !== undefined && !(failure instanceof PairedOverNats)) return { ...next, invitation };
  // The gateway consumes it when it pairs the node.
  return invitation === undefined || store.paired()?.id === invitation.gateway ? next : { ...next, invitation };
}

/** A node that is started again with the invitation that has paired it: NATS refuses the invitation, and not the node. */
export function isNeedless(
  { gateway }: Invitation,
  failure: unknown,
  store: Pick<NodeStore, 'paired' | 'natsToken'>,
): boolean {
  const isRefused = failure instanceof Fault && failure.code === 'NODE_CREDENTIALS';
  return isRefused && store.paired()?.id === gateway && store.natsToken() !== undefined;
}

/** For the start of a node, before anything is sent: a proxy could change what both ends send. */
export function refuseProxyWhereBound(
  { proxy, store }: Parameters<typeof isProxied>[0],
  invitation: Invitation | undefined,
): void {
  const paired = store.paired();
  if (paired?.isBound !== true || paired.id !== (invitation?.gateway ?? paired.id)) return;
  if (invitation === undefined ? proxy === true : invitation.proxy === true) throw boundBefore(paired.id);
}

function boundBefore(gateway: string): Fault {
  return new Fault('NODE_INSECURE', `the gateway ${gateway} is paired without a proxy, so this node refuses one`, {
    hint: 'connect directly; or remove the node at the gateway, run pincer node forget here, and pair again',
    details: { gateway },
  });
}

function noToken(gateway: string): Fault {
  return new Fault('NODE_CREDENTIALS', `the gateway ${gateway} gave this node no credentials for NATS`, {
    hint: 'update pincer on the gateway',
  });
}

/** The other key of a rotation may be the one that the gateway knows. */
class UnknownKey extends Fault {
  constructor(gateway: string) {
    super('NODE_IDENTITY', `the gateway ${gateway} does not know the key of this node`, {
      hint: 'the node connects with the other key of pincer node rotate',
    });
  }
}

/** The gateway has removed this node from its list while it was not connected. */
function removedByGateway(gateway: string, url: string): Fault {
  return new Fault('NODE_REVOKED', `the gateway ${gateway} has removed this node, and no longer knows it`, {
    hint: `to pair it again: pincer node pair --gateway ${url}, or with an invitation`,
    details: { gateway, url },
  });
}

/** The gateway has removed this node just now, and refuses it until it is invited again. */
export function removedNow(gateway: string): Fault {
  return new Fault('NODE_REVOKED', `the gateway ${gateway} has removed this node`, {
    hint: 'to pair it again: pincer nodes invite on the gateway, then pincer node run --invitation - here',
    details: { gateway },
  });
}

/** No person has compared digits, so any machine at this address could have sent the welcome. */
function unknownGateway(id: string, url: string): Fault {
  return new Fault('NODE_GATEWAY_UNKNOWN', `the gateway ${id} at ${url} already knows this node, but not vice versa`, {
    hint: 'pair with pincer nodes invite; or run pincer nodes remove twice on the gateway, and compare the digits again',
    details: { gateway: id, url },
  });
}
