/** Keeps this node connected to its gateway: dials, proves both identities, serves the link, and dials again after its end. */
import { setTimeout as pause } from 'node:timers/promises';
import { Fault, type FaultCode } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import type { Carrier } from '../../hosts/channel/carriers/carrier.ts';
import { type Link, openLink } from '../../hosts/channel/link.ts';
import { type GreetedGateway, greetGateway } from '../../hosts/identity/handshake.ts';
import type { Identity } from '../../hosts/identity/keys.ts';
import { type Invitation, NODE_METHODS, type NodeHello } from '../../wire/node.ts';
import type { Door } from './door.ts';
import type { NodeStore } from './node-store.ts';

export type ConnectionState =
  | { readonly state: 'connecting' }
  /** The operator of the gateway compares the eight digits, and approves the node. */
  | { readonly state: 'pending'; readonly gateway: string; readonly code: string }
  | { readonly state: 'connected'; readonly gateway: string }
  | { readonly state: 'disconnected'; readonly reason: string; readonly code?: string; readonly retryInMs: number };

export interface ConnectionOptions {
  readonly url: string;
  readonly identity: Identity;
  readonly store: NodeStore;
  readonly door: Pick<Door, 'serve' | 'endSessions'>;
  readonly invitation?: Invitation;
  readonly hello: () => Promise<NodeHello>;
  readonly dial: (url: string, signal: AbortSignal) => Promise<Carrier>;
  readonly onState: (state: ConnectionState) => void;
  /** Default: 500 ms, doubled up to 30 s. */
  readonly firstDelayMs?: number;
  readonly random?: () => number;
}

export interface Connection {
  /** Resolves when `close` ended it. Rejects with a fault that no new attempt can solve. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** After a link of this length, the delay starts at its minimum again. */
const STABLE_MS = 10_000;
/** A person has to act before another attempt can succeed. */
const FATAL: readonly FaultCode[] = ['NODE_REVOKED', 'NODE_REJECTED', 'NODE_INVITATION', 'NODE_INSECURE'];

export function connectNode(options: ConnectionOptions): Connection {
  const closing = new AbortController();
  const ended = run(options, closing.signal);
  ended.catch(() => undefined); // the caller may close it before it waits
  return {
    ended,
    async close() {
      closing.abort();
      await ended.catch(() => undefined);
    },
  };
}

async function run(options: ConnectionOptions, signal: AbortSignal): Promise<void> {
  const { firstDelayMs = FIRST_DELAY_MS, random = Math.random, onState } = options;
  let { invitation } = options;
  for (let delay = firstDelayMs; !signal.aborted; delay = Math.min(delay * 2, LONGEST_DELAY_MS)) {
    let failure: unknown;
    const began = performance.now();
    try {
      onState({ state: 'connecting' });
      await connectOnce(options, invitation, signal, () => (invitation = undefined));
    } catch (error) {
      failure = error;
      if (signal.aborted) return;
      await giveUpOn(options, error, invitation);
    }
    if (signal.aborted) return;
    if (performance.now() - began >= STABLE_MS) delay = firstDelayMs;
    // Nodes of a gateway that restarts must not all return in the same moment.
    const retryInMs = Math.round(delay * (0.5 + random() / 2));
    const code = failure instanceof Fault ? { code: failure.code } : {};
    onState({ state: 'disconnected', reason: messageOf(failure), ...code, retryInMs });
    await pause(retryInMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Throws the reason of the end. */
async function connectOnce(
  options: ConnectionOptions,
  invitation: Invitation | undefined,
  signal: AbortSignal,
  onPaired: () => void,
): Promise<never> {
  const { url, identity, store, onState } = options;
  const paired = store.paired();
  const expected = invitation?.gateway ?? paired?.id;
  const isSame = paired !== undefined && paired.id === expected;
  const hello = await options.hello();
  const carrier = await options.dial(url, signal);
  const stop = (): void => carrier.close('the node stops');
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) throw new Error('the node stops');
    const greeted = await greetGateway(carrier, identity, hello, {
      ...(expected === undefined ? {} : { expected }),
      ...(invitation === undefined ? {} : { invitation }),
      // A connection that TLS protected must not be replaced by one that it does not.
      binding: isSame && paired.isBound ? 'required' : 'if-tls',
    });
    if (greeted.answer === 'pending') onState({ state: 'pending', gateway: greeted.id, code: greeted.code });
    const link = openedLink(carrier, await greeted.epoch, greeted, options);
    onPaired();
    onState({ state: 'connected', gateway: greeted.id });
    throw new Error(await link.down);
  } finally {
    signal.removeEventListener('abort', stop);
    carrier.close('the link has ended');
  }
}

function openedLink(
  carrier: Carrier,
  epoch: string,
  { id, isBound }: GreetedGateway,
  { url, store, door }: ConnectionOptions,
): Link {
  store.pair({ id, url, isBound });
  return openLink(carrier, { epoch, side: 'opener', serve: door.serve(id), methods: NODE_METHODS });
}

/** Rethrows a fault that only a person can solve. */
async function giveUpOn(
  { store, door }: ConnectionOptions,
  error: unknown,
  invitation: Invitation | undefined,
): Promise<void> {
  if (!(error instanceof Fault)) return;
  const paired = store.paired();
  if (error.code === 'NODE_REVOKED' && paired !== undefined) await door.endSessions(paired.id);
  const isOtherGateway = error.code === 'NODE_IDENTITY' && paired === undefined && invitation !== undefined;
  if (FATAL.includes(error.code) || isOtherGateway) throw error;
}
