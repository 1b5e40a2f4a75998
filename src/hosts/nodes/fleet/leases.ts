/**
 * Which gateways live. Each renews its lease, and the others observe that it changes. The time is measured by the observer, while
 * its own lease is renewed: an outage of the servers, or an observer that was stopped, ends the lease of no other gateway.
 */
import type { NatsConnection } from '../../channel/carriers/nats-connect.ts';
import { Bucket } from './bucket.ts';

/** A gateway that has not renewed its lease for this long counts as dead. */
export const LEASE_MS = 15_000;

export interface LeaseOptions {
  readonly gateway: string;
  readonly leaseMs: number;
}

interface Observed {
  readonly revision: number | undefined;
  readonly since: number;
}

export class Leases {
  readonly #options: LeaseOptions;
  readonly #observed = new Map<string, Observed>();
  #bucket: Bucket | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** Since when this gateway has renewed its lease without a pause. */
  #steadySince = Number.NEGATIVE_INFINITY;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  async connected(nats: NatsConnection, replicas: 1 | 3): Promise<void> {
    this.#bucket = await Bucket.open(nats, { name: 'pin_owner', ttlMs: this.#options.leaseMs, replicas });
  }

  /** False if the servers did not confirm it. */
  async renew(): Promise<boolean> {
    const { gateway, leaseMs } = this.#options;
    const written = await this.#bucket?.put(leaseKey(gateway), gateway);
    if (typeof written !== 'object') return false;
    const now = performance.now();
    if (now - this.#renewedAt > leaseMs) this.#steadySince = now;
    this.#renewedAt = now;
    return true;
  }

  /** Whether another gateway is dead. */
  async hasLapsed(gateway: string): Promise<boolean> {
    const { leaseMs } = this.#options;
    const revision = (await this.#bucket?.get(leaseKey(gateway)))?.revision;
    const now = performance.now();
    const before = this.#observed.get(gateway);
    const isRenewed = before === undefined || (revision !== undefined && revision !== before.revision);
    const { since } = isRenewed ? { since: now } : before;
    this.#observed.set(gateway, { revision: revision ?? before?.revision, since });
    const isSteady = now - this.#renewedAt < leaseMs;
    return isSteady && now - Math.max(since, this.#steadySince) >= leaseMs;
  }

  /** Whether this gateway continues the requests of a dead one: one gateway at a time does. */
  async takes(dead: string): Promise<boolean> {
    const { gateway } = this.#options;
    const written = await this.#bucket?.create(takeoverKey(dead), gateway);
    return typeof written === 'object' || (await this.#bucket?.get(takeoverKey(dead)))?.value === gateway;
  }
}

function leaseKey(gateway: string): string {
  return `g.${gateway}`;
}

function takeoverKey(gateway: string): string {
  return `t.${gateway}`;
}
