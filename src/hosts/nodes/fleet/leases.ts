/**
 * Which gateways live. Each renews its lease, and the others observe that it changes. The time is measured by the observer, while
 * its own lease is renewed: an outage of the servers, or an observer that was stopped, ends the lease of no other gateway.
 */
import type { Bucket } from './bucket.ts';

/** A gateway that has not renewed its lease for this long counts as dead. */
export const LEASE_MS = 15_000;

export interface LeaseOptions {
  readonly gateway: string;
  readonly leaseMs: number;
  /** The bucket `pin_owner`; undefined without a connection. */
  readonly bucket: () => Pick<Bucket, 'get' | 'put' | 'create'> | undefined;
}

interface Observed {
  readonly revision: number | undefined;
  readonly since: number;
}

export class Leases {
  readonly #options: LeaseOptions;
  readonly #observed = new Map<string, Observed>();
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** Since when this gateway has renewed its lease without a pause. */
  #steadySince = Number.NEGATIVE_INFINITY;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Renews the lease if it is time to. */
  async renew(): Promise<void> {
    const { gateway, leaseMs, bucket } = this.#options;
    if (performance.now() - this.#renewedAt < leaseMs / 4) return;
    const written = await bucket()?.put(leaseKey(gateway), gateway);
    if (typeof written !== 'object') return;
    const now = performance.now();
    if (now - this.#renewedAt > leaseMs) this.#steadySince = now;
    this.#renewedAt = now;
  }

  /** Whether the servers confirmed the lease of this gateway. */
  get isRenewed(): boolean {
    return performance.now() - this.#renewedAt < this.#options.leaseMs;
  }

  /** Whether another gateway is dead. */
  async hasLapsed(gateway: string): Promise<boolean> {
    const { leaseMs, bucket } = this.#options;
    const revision = (await bucket()?.get(leaseKey(gateway)))?.revision;
    const now = performance.now();
    const before = this.#observed.get(gateway);
    const isChanged = before === undefined || (revision !== undefined && revision !== before.revision);
    const since = isChanged ? now : before.since;
    this.#observed.set(gateway, { revision: revision ?? before?.revision, since });
    return this.isRenewed && now - Math.max(since, this.#steadySince) >= leaseMs;
  }

  /** Whether this gateway continues the requests of a dead one: one gateway at a time does. */
  async takes(dead: string): Promise<boolean> {
    const { gateway, bucket } = this.#options;
    const written = await bucket()?.create(takeoverKey(dead), gateway);
    return typeof written === 'object' || (await bucket()?.get(takeoverKey(dead)))?.value === gateway;
  }
}

function leaseKey(gateway: string): string {
  return `g.${gateway}`;
}

function takeoverKey(gateway: string): string {
  return `t.${gateway}`;
}
