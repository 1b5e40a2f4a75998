/**
 * Which gateways live. Each renews its lease, and the others observe that it changes. The time is measured by the observer, and only
 * while the servers answer all of its own reads and renewals: what it observed before a failed or late one does not count. So an
 * outage of the servers, or an observer that was stopped, ends the lease of no other gateway.
 */
import type { Fault } from '../../../base/fault.ts';
import { type Bucket, unavailable } from './bucket.ts';

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
  /** Since when no read or renewal of this gateway has failed or was late. */
  #steadySince = Number.POSITIVE_INFINITY;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Renews the lease if it is time to. */
  async renew(): Promise<void> {
    const { gateway, leaseMs, bucket } = this.#options;
    if (performance.now() - this.#renewedAt < leaseMs / 4) return;
    const written = await bucket()?.put(leaseKey(gateway), gateway);
    const now = performance.now();
    if (typeof written !== 'object') {
      this.#steadySince = now;
      return;
    }
    if (this.#isLate(now)) this.#steadySince = now;
    this.#renewedAt = now;
  }

  /** Whether the servers confirmed the lease of this gateway. */
  get isRenewed(): boolean {
    return performance.now() - this.#renewedAt < this.#options.leaseMs;
  }

  /** Whether another gateway is dead. */
  async hasLapsed(gateway: string): Promise<boolean> {
    const revision = await this.#revision(gateway);
    const now = performance.now();
    const before = this.#observed.get(gateway);
    const isChanged = before === undefined || (revision !== undefined && revision !== before.revision);
    const since = isChanged ? now : before.since;
    this.#observed.set(gateway, { revision: revision ?? before?.revision, since });
    return !this.#isLate(now) && now - Math.max(since, this.#steadySince) >= this.#options.leaseMs;
  }

  async #revision(gateway: string): Promise<number | undefined> {
    const bucket = this.#options.bucket();
    try {
      if (bucket === undefined) throw notConnected();
      return (await bucket.get(leaseKey(gateway)))?.revision;
    } catch (error) {
      this.#steadySince = performance.now();
      throw error;
    }
  }

  /** A lease is renewed three times in its time. Another gateway that was stopped together with this one has not renewed its own either. */
  #isLate(now: number): boolean {
    return now - this.#renewedAt > this.#options.leaseMs / 2;
  }

  /** Whether this gateway continues the requests of a dead one: one gateway at a time does. */
  async takes(dead: string): Promise<boolean> {
    const { gateway, bucket } = this.#options;
    const written = await bucket()?.create(takeoverKey(dead), gateway);
    return typeof written === 'object' || (await bucket()?.get(takeoverKey(dead)))?.value === gateway;
  }
}

function notConnected(): Fault {
  return unavailable(new Error('this gateway is not connected to NATS'));
}

function leaseKey(gateway: string): string {
  return `g.${gateway}`;
}

function takeoverKey(gateway: string): string {
  return `t.${gateway}`;
}
