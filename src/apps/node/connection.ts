/** Keeps this node connected to its gateway: dials, proves both identities, serves the link, and dials again after its end. */
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault, type FaultCode } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { openLink } from '../../hosts/channel/link.ts';
import { type Invitation, REMOVED } from '../../wire/nodes/handshake.ts';
import { NODE_METHODS } from '../../wire/nodes/methods.ts';
import type { GatewayCalls } from './gateway-calls.ts';
import { ReconnectDelays } from './reconnect-delays.ts';
import {
  type Attempt,
  type GreetingOptions,
  greetOnce,
  isNeedless,
  NextKeyAccepted,
  nextAttempt,
  PairedOverNats,
  removedNow,
} from './greeting.ts';

export type ConnectionState =
  | { readonly state: 'connecting' }
  /** The operator of the gateway compares the eight digits, and approves the node. */
  | { readonly state: 'pending'; readonly gateway: string; readonly code: string }
  | { readonly state: 'connected'; readonly gateway: string }
  | { readonly state: 'disconnected'; readonly reason: string; readonly code?: string; readonly retryInMs: number }
  /** There is no next attempt: a person has to act. */
  | { readonly state: 'refused'; readonly reason: string; readonly code: string };

export interface ConnectionOptions extends GreetingOptions {
  readonly calls: Pick<GatewayCalls, 'serve' | 'removed'>;
  readonly invitation?: Invitation;
  /** Whether another gateway is connected. As long as it is, the refusal of one gateway does not count as a removal. */
  readonly isServedElsewhere?: () => boolean;
  readonly onState: (state: ConnectionState) => void;
  /** Default: 500 ms, doubled up to 10 s. */
  readonly firstDelayMs?: number;
  readonly longestDelayMs?: number;
  readonly random?: () => number;
}

export interface Connection {
  /** Resolves when `close` ended it. Rejects with a fault that no new attempt can solve. */
  readonly ended: Promise<void>;
  /** Connects again at once, because the node has something else to tell in the handshake. Commands continue. */
  renew(reason: string): void;
  close(): Promise<void>;
}

const FIRST_DELAY_MS = 500;
/** Short, because commands and their callers wait for the node: 30 s is also how long a request waits for it. */
const LONGEST_DELAY_MS = 10_000;
/** A person has to act before another attempt can succeed. */
const FATAL: readonly FaultCode[] = [
  'NODE_GATEWAY_UNKNOWN',
  'NODE_INSECURE',
  'NODE_INVITATION',
  'NODE_REJECTED',
  'NODE_REVOKED',
];

export function connectNode(options: ConnectionOptions): Connection {
  const closing = new AbortController();
  const renewals = new EventEmitter();
  const ended = run(options, closing.signal, renewals);
  ended.catch(() => undefined); // the caller may close it before it waits
  return {
    ended,
    renew: (reason) => void renewals.emit('renew', reason),
    async close() {
      closing.abort(new Error('the node stops'));
      await ended.catch(() => undefined);
    },
  };
}

async function run(options: ConnectionOptions, signal: AbortSignal, renewals: EventEmitter): Promise<void> {
  const { firstDelayMs = FIRST_DELAY_MS, longestDelayMs = LONGEST_DELAY_MS, random = Math.random } = options;
  let attempt: Attempt = {
    key: 'current',
    ...(options.invitation === undefined ? {} : { invitation: options.invitation }),
  };
  const delays = new ReconnectDelays(firstDelayMs, longestDelayMs);
  const onState = (state: ConnectionState): void => {
    if (state.state === 'connected') delays.linked();
    options.onState(state);
  };
  while (!signal.aborted) {
    let failure: unknown;
    const renewal = new AbortController();
    const renew = (reason: string): void => renewal.abort(new Error(reason));
    renewals.once('renew', renew);
    try {
      onState({ state: 'connecting' });
      await connectOnce({ ...options, onState }, attempt, AbortSignal.any([signal, renewal.signal]));
    } catch (error) {
      failure = error;
      if (signal.aborted) return;
      if (!renewal.signal.aborted) await giveUpOn(options, error, attempt.invitation);
    } finally {
      renewals.off('renew', renew);
    }
    if (signal.aborted) return;
    attempt = nextAttempt(attempt, failure, options);
    if (renewal.signal.aborted || failure instanceof NextKeyAccepted || failure instanceof PairedOverNats) {
      delays.reset();
      continue;
    }
    // Nodes of a gateway that restarts must not all return in the same moment.
    const retryInMs = Math.round(delays.next() * (0.5 + random() / 2));
    const code = failure instanceof Fault ? { code: failure.code } : {};
    onState({ state: 'disconnected', reason: messageOf(failure), ...code, retryInMs });
    await pause(retryInMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Throws the reason of the end. */
async function connectOnce(options: ConnectionOptions, attempt: Attempt, signal: AbortSignal): Promise<never> {
  const { calls, onState } = options;
  const before = options.store.paired()?.id;
  const greeted = await greetOnce(options, attempt, signal);
  const { carrier, gateway, welcome } = greeted;
  const stop = (): void => carrier.close(messageOf(signal.reason));
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (before !== undefined && before !== options.store.paired()?.id) await calls.removed(before); // its place is taken
    signal.throwIfAborted();
    if (attempt.invitation?.token !== undefined) throw new PairedOverNats();
    if (greeted.mayUseNextKey) throw new NextKeyAccepted();
    // All gateways of a fleet act as the one that this node is paired with.
    const serve = calls.serve(options.store.paired()?.id ?? gateway.id, gateway.id);
    const link = openLink(carrier, { epoch: welcome.epoch, side: 'opener', serve, methods: NODE_METHODS });
    onState({ state: 'connected', gateway: gateway.id });
    const reason = await link.down;
    // Said by the gateway that was proved: the credentials of the node may end before its next handshake.
    throw reason === REMOVED ? removedNow(gateway.id) : new Error(reason);
  } finally {
    signal.removeEventListener('abort', stop);
    carrier.close('the link has ended');
  }
}

/** Rethrows a fault that only a person can solve. */
async function giveUpOn(
  { store, calls, onState, isServedElsewhere }: ConnectionOptions,
  error: unknown,
  invitation: Invitation | undefined,
): Promise<void> {
  if (!(error instanceof Fault)) return;
  if (error.code === 'NODE_REVOKED' && isServedElsewhere?.() === true) return;
  const paired = store.paired();
  if (error.code === 'NODE_REVOKED' && paired !== undefined) await calls.removed(paired.id);
  const isOtherGateway = error.code === 'NODE_IDENTITY' && paired === undefined && invitation !== undefined;
  const isExpired =
    error.code === 'NODE_CREDENTIALS' && invitation !== undefined && !isNeedless(invitation, error, store);
  if (!FATAL.includes(error.code) && !isOtherGateway && !isExpired) return;
  onState({ state: 'refused', reason: error.message, code: error.code });
  throw error;
}
