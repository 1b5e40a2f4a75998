/** The requests to nodes that gateways share: the connection to their copies, and the questions of the rest of the gateway. */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../../base/message-of.ts';
import type { NatsConnection } from '../../channel/carriers/nats-connect.ts';
import { limitedLog } from '../limited-log.ts';
import { Bucket } from './bucket.ts';
import { LEASE_MS, Leases } from './leases.ts';
import { createRequestOwners, type RequestOwnersParts } from './request-owners.ts';

export interface SharedRequestsParts extends RequestOwnersParts {
  readonly waits?: SharedRequestWaits | undefined;
}

/** Tests shorten them. */
export interface SharedRequestWaits {
  readonly leaseMs?: number;
  readonly claimMs?: number;
}

/** What the rest of the gateway needs to know. */
export interface RequestOwnership {
  /** Copies a request before it is sent. Without an answer of the servers it is copied later. */
  copy(key: string): Promise<void>;
  /** Whether this gateway is still the owner. */
  isOwner(key: string): Promise<boolean>;
  /** Whether this gateway reports the end of the request. From then on no other gateway does. */
  claim(key: string): Promise<boolean>;
}

export interface SharedRequests extends RequestOwnership {
  /** Brings the copies up to date soon. */
  changed(): void;
  /** Shares requests until the connection ends. */
  connected(nats: NatsConnection, replicas: 1 | 3): Promise<void>;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
/** As approval requests, which a request may wait for. */
const KEEP_MS = 31 * DAY_MS;
const TICK_MS = 1_000;
const COPY_MS = 1_000;
/** Longer than the election of a leader. */
const CLAIM_MS = 15_000;
const AGAIN_MS = 100;
export function createSharedRequests(parts: SharedRequestsParts): SharedRequests {
  const { requests, waits = {} } = parts;
  const { leaseMs = LEASE_MS, claimMs = CLAIM_MS } = waits;
  const log = limitedLog(parts.log);
  const owners = createRequestOwners({ ...parts, log });
  const closing = new AbortController();
  let leases: Leases | undefined;
  /** Of the last connection: what was read there counts until it is read again. */
  let bucket: Bucket | undefined;
  let isConnected = false;
  /** False after a question that the servers did not answer: the next one does not wait for them. */
  let isAvailable = true;
  let work: Promise<void> = Promise.resolve();
  let isScheduled = false;

  /** One pass at a time. */
  function reconcile(): void {
    if (isScheduled) return;
    isScheduled = true;
    work = work.then(async () => {
      isScheduled = false;
      if (bucket === undefined || leases === undefined || !isConnected || closing.signal.aborted) return;
      await owners.pass(bucket, leases).catch((error: unknown) => log(`shared requests: ${messageOf(error)}`));
    });
  }

  /** Asks until the servers answer. Without an answer the gateway that has the request continues as if it were alone. */
  async function asked(key: string, question: (current: Bucket) => Promise<boolean | undefined>): Promise<boolean> {
    if (!requests.isShared(key)) return true;
    let trouble = 'this gateway is not connected to NATS';
    for (const end = performance.now() + claimMs; isAvailable && performance.now() < end; await pause(AGAIN_MS)) {
      if (bucket === undefined || !isConnected) continue;
      try {
        const answer = await question(bucket);
        if (answer !== undefined) return answer;
      } catch (error) {
        trouble = messageOf(error);
      }
    }
    if (bucket !== undefined && owners.isKnownAsForeign(bucket, key)) return false;
    if (isAvailable) log(`the ends of requests to nodes are reported without a check of other gateways: ${trouble}`);
    isAvailable = false;
    return true;
  }

  async function renewLease(): Promise<void> {
    if (isConnected && (await leases?.renew()) === true) isAvailable = true;
  }

  const ticks = setInterval(reconcile, Math.min(TICK_MS, leaseMs / 5)).unref();
  // Apart from the passes, which may wait for the election of a leader.
  const renewals = setInterval(() => void renewLease(), leaseMs / 3).unref();

  return {
    async connected(nats, replicas) {
      leases ??= new Leases({ gateway: parts.gateway(), leaseMs });
      while (!nats.isClosed() && !closing.signal.aborted) {
        try {
          await leases.connected(nats, replicas);
          bucket = await Bucket.open(nats, { name: 'pin_requests', ttlMs: KEEP_MS, replicas });
          isConnected = true;
          await renewLease();
          while (!nats.isClosed() && !closing.signal.aborted) await bucket.watch(reconcile);
        } catch (error) {
          if (!nats.isClosed()) log(`shared requests: ${messageOf(error)}`);
        }
        isConnected = false;
        await pause(TICK_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    },
    changed: reconcile,
    async copy(key) {
      if (!isAvailable) return; // a pass copies it
      const end = performance.now() + COPY_MS;
      while ((bucket === undefined || !isConnected) && performance.now() < end) await pause(AGAIN_MS);
      if (bucket === undefined || !isConnected) return;
      const copied = owners.copy(bucket, key);
      await Promise.race([copied, pause(end - performance.now())]).catch((error: unknown) =>
        log(`a request to a node was sent before its copy for other gateways was stored: ${messageOf(error)}`),
      );
      copied.catch(() => undefined); // the next pass repeats it
    },
    isOwner: (key) => asked(key, (current) => owners.isOwner(current, key)),
    claim: (key) => asked(key, (current) => owners.claim(current, key)),
    async close() {
      closing.abort();
      clearInterval(ticks);
      clearInterval(renewals);
      await work;
    },
  };
}

