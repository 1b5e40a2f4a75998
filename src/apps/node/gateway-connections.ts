/**
 * Keeps this node connected to its gateway, and to all others of the same fleet on NATS. Gateways tell the node on its own subjects
 * that they have it; the handshake decides which of them belong to the fleet.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { isNatsUrl } from '../../hosts/identity/invitation.ts';
import { limitedLog } from '../../hosts/nodes/limited-log.ts';
import { type Connection, type ConnectionOptions, type ConnectionState, connectNode } from './connection.ts';
import type { DialTarget } from './greeting.ts';
import { ReconnectDelays } from './reconnect-delays.ts';

/** The state of the node: connected, or how the connection to the paired gateway is. */
export type NodeState =
  | Exclude<ConnectionState, { readonly state: 'connected' }>
  | { readonly state: 'connected'; readonly gateway: string; readonly gateways: readonly string[] };

/** Calls `heard` with the id of each gateway that has this node, until the connection to NATS ends. */
export type Discover = (
  url: string,
  target: DialTarget,
  heard: (gateway: string) => void,
  signal: AbortSignal,
) => Promise<void>;

export interface GatewaysOptions extends Omit<ConnectionOptions, 'member' | 'isServedElsewhere' | 'onState'> {
  /** Default: only the paired gateway is used. */
  readonly discover?: Discover;
  readonly onState: (state: NodeState) => void;
  readonly log: (text: string) => void;
}

interface Member {
  readonly connection: Connection;
  heardAt: number;
}

/** Gateways besides the paired one. */
const MOST_MEMBERS = 7;
/** A gateway without a message for this time is forgotten until its next message. */
const SILENT_MS = 5 * 60_000;
const LOOK_MS = 1_000;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
const GATEWAY_ID = /^[a-z2-7]{32}$/u;

export function connectToGateways(options: GatewaysOptions): Connection {
  const { discover, store, invitation, ...shared } = options;
  const log = limitedLog(options.log);
  const closing = new AbortController();
  const members = new Map<string, Member>();
  /** By the id of the gateway; that of the paired one is empty. */
  const states = new Map<string, ConnectionState>([['', { state: 'connecting' }]]);
  let shown = '';
  let fail: (error: unknown) => void = () => {};
  const removed = new Promise<never>((_, reject) => (fail = reject));
  removed.catch(() => undefined);

  const connected = (): readonly string[] =>
    [...states.values()].flatMap((state) => (state.state === 'connected' ? [state.gateway] : []));

  function changed(id: string, state: ConnectionState): void {
    states.set(id, state);
    const next = current();
    const text = JSON.stringify(next);
    // The paired gateway may be off for ever: its attempts are no news while another one is connected.
    if (text === shown) return;
    shown = text;
    options.onState(next);
  }

  function current(): NodeState {
    const gateways = connected();
    const [gateway] = gateways;
    return gateway === undefined
      ? (states.get('') as Exclude<ConnectionState, { readonly state: 'connected' }>)
      : { state: 'connected', gateway, gateways };
  }

  function connect(id: string): Connection {
    return connectNode({
      ...shared,
      store,
      ...(id === '' ? {} : { member: id }),
      ...(id === '' && invitation !== undefined ? { invitation } : {}),
      isServedElsewhere: () => [...states].some(([other, { state }]) => other !== id && state === 'connected'),
      onState: (state) => {
        if (id === '' || members.has(id)) changed(id, state);
      },
    });
  }

  /** The one that the first connection is for: a second connection to it would replace the first, and so on. */
  const main = (): string | undefined => invitation?.gateway ?? store.paired()?.id;

  function heard(id: string): void {
    if (closing.signal.aborted || id === main() || !GATEWAY_ID.test(id)) return;
    const known = members.get(id);
    if (known !== undefined) {
      known.heardAt = performance.now();
      return;
    }
    const silent = [...members].find(([each]) => states.get(each)?.state !== 'connected');
    if (members.size >= MOST_MEMBERS && silent !== undefined) drop(silent[0]);
    if (members.size >= MOST_MEMBERS) {
      log(`gateway ${id} is ignored: ${MOST_MEMBERS + 1} are connected`);
      return;
    }
    const connection = connect(id);
    members.set(id, { connection, heardAt: performance.now() });
    connection.ended.catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'NODE_REVOKED') return fail(error);
      log(`gateway ${id}: ${messageOf(error)}`);
      drop(id);
    });
  }

  function drop(id: string): void {
    const member = members.get(id);
    members.delete(id);
    void member?.connection.close();
    if (states.delete(id)) changed('', states.get('')!);
  }

  const looking = setInterval(() => {
    const since = performance.now() - SILENT_MS;
    for (const [id, { heardAt }] of members) if (heardAt < since && states.get(id)?.state !== 'connected') drop(id);
  }, LOOK_MS).unref();

  async function discovering(): Promise<void> {
    const { signal } = closing;
    const delays = new ReconnectDelays(FIRST_DELAY_MS, LONGEST_DELAY_MS);
    while (discover !== undefined && !signal.aborted) {
      const [paired, token] = [store.paired(), store.natsToken()];
      const isOnNats = paired !== undefined && !paired.isBound && isNatsUrl(options.url) && token !== undefined;
      let waitMs = LOOK_MS;
      if (isOnNats) {
        const node = paired.node === undefined ? {} : { node: paired.node };
        const hearing = (id: string): void => {
          delays.linked();
          heard(id);
        };
        await discover(options.url, { keys: options.keys, token, ...node }, hearing, signal).catch((error: unknown) => {
          if (!signal.aborted) log(`looking for gateways: ${messageOf(error)}`);
        });
        waitMs = delays.next();
      }
      await pause(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  const paired = connect('');
  const found = discovering();
  const all = (): readonly Connection[] => [paired, ...[...members.values()].map(({ connection }) => connection)];
  const ended = Promise.race([paired.ended, removed]);
  ended.catch(() => undefined); // the caller may close it before it waits
  return {
    ended,
    renew(reason) {
      for (const connection of all()) connection.renew(reason);
    },
    async close() {
      closing.abort(new Error('the node stops'));
      clearInterval(looking);
      await Promise.all([found, ...all().map((connection) => connection.close())]);
    },
  };
}
