/**
 * The registry that gateways share, in the bucket `pin_nodes`. The database of each gateway is its own copy, and the authority at its
 * handshakes: a change is made there, and shared as soon as NATS allows it.
 */
import { messageOf } from '../../../base/message-of.ts';
import { type SharedNode, sharedNode } from '../../../wire/nodes/fleet.ts';
import { check } from '../../../wire/schema.ts';
import type { NatsConnection } from '../../channel/carriers/nats-connect.ts';
import { type Bucket, type Entry, unavailable, type Written } from './bucket.ts';
import { SharedBucket } from './shared-bucket.ts';
import { isSameNode, mergeNodes } from './shared-node.ts';

export interface SharedNodesParts {
  readonly replicas: 1 | 3;
  readonly registry: NodeSharing;
  readonly log: (text: string) => void;
}

/** The registry of this gateway, as far as it is shared. */
export interface NodeSharing {
  all(): readonly OwnRecord[];
  /** Takes over what another gateway has changed. */
  apply(node: SharedNode): void;
}

export interface OwnRecord {
  readonly node: SharedNode;
  /** No other gateway can reach it: it was paired over TLS to this one. An earlier pairing of it that is shared has ended. */
  readonly isBound: boolean;
}

export interface SharedNodes {
  /** Shares the registry until the connection ends. */
  connected(nats: NatsConnection): Promise<void>;
  /** The registry of this gateway has changed. */
  changed(): void;
  /** Reads one node from the leader, and takes it over. Throws NODE_FLEET_UNAVAILABLE. */
  read(id: string): Promise<void>;
  close(): Promise<void>;
}

const FOR_EVER = 0;

export function createSharedNodes({ replicas, registry, log }: SharedNodesParts): SharedNodes {
  const checked = new WeakMap<Entry, SharedNode | undefined>();
  const shared = new SharedBucket({ name: 'pin_nodes', ttlMs: FOR_EVER, replicas, pass, title: 'shared nodes', log });

  /** Each value is checked once. A malformed one is left alone: a later version may have written it. */
  function nodeOf(id: string, entry: Entry): SharedNode | undefined {
    if (!checked.has(entry)) checked.set(entry, checkedNode(entry.value, id, log));
    return checked.get(entry);
  }

  async function pass(bucket: Bucket): Promise<void> {
    const own = new Map(registry.all().map((record) => [record.node.id, record]));
    const ids = new Set([...own.keys(), ...bucket.entries().keys()]);
    await Promise.all([...ids].map((id) => reconcile(bucket, id, own.get(id))));
  }

  async function reconcile(bucket: Bucket, id: string, own: OwnRecord | undefined): Promise<void> {
    const entry = bucket.entries().get(id);
    const theirs = entry === undefined ? undefined : nodeOf(id, entry);
    if (entry !== undefined && theirs === undefined) return;
    if (own === undefined) {
      if (theirs !== undefined) registry.apply(theirs);
      return;
    }
    if (theirs === undefined) {
      if (own.isBound) return;
      await settle(bucket, id, await bucket.create(id, JSON.stringify(own.node)));
      return;
    }
    const merged = mergeNodes(own.node, theirs);
    const isNews = !isSameNode(merged, own.node) && (!own.isBound || merged.pairedAt > own.node.pairedAt);
    if (isNews) registry.apply(merged);
    if (isSameNode(merged, theirs)) return;
    await settle(bucket, id, await bucket.update(id, JSON.stringify(merged), entry!.revision));
  }

  /** After another writer was first, the next pass merges with its value. */
  async function settle(bucket: Bucket, id: string, written: Written): Promise<void> {
    if (written === 'unsure') shared.reconcileAgain();
    if (written !== 'conflict') return;
    await bucket.get(id);
    shared.reconcile();
  }

  return {
    connected: (nats) => shared.connected(nats),
    changed: () => shared.reconcile(),
    async read(id) {
      const bucket = shared.current;
      if (bucket === undefined) throw unavailable(new Error('this gateway is not connected to it'));
      await bucket.get(id);
      const own = registry.all().find(({ node }) => node.id === id);
      await reconcile(bucket, id, own);
    },
    close: () => shared.close(),
  };
}

function checkedNode(text: string, id: string, log: (text: string) => void): SharedNode | undefined {
  try {
    const node = check(sharedNode, JSON.parse(text), 'node');
    return node.id === id ? node : undefined;
  } catch (error) {
    log(`shared nodes: ${id} is malformed: ${messageOf(error)}`);
    return undefined;
  }
}
