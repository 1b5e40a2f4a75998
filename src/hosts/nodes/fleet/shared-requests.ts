/** The requests to nodes that gateways share: the connection to their copies, and the questions of the rest of the gateway. */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../../base/message-of.ts';
import type { NatsConnection } from '../../channel/carriers/nats-connect.ts';
import { limitedLog } from '../limited-log.ts';
import type { Bucket } from './bucket.ts';
import { LEASE_MS, Leases } from './leases.ts';
import { createRequestOwners, type RequestOwnersParts } from './request-owners.ts';
import { SharedBucket } from './shared-bucket.ts';

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
  /** This gateway uses NATS: what to do with each connection. */
  join(replicas: 1 | 3): { connected(nats: NatsConnection): Promise<void>; close(): Promise<void> };
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
  let copies: SharedBucket | undefined;
  /** False after a question that the servers did not answer: the next one does not wait for them. */
  let isAvailable = true;

  /** Asks until the servers answer. Without an answer the gateway that has the request continues as if it were alone. */
  async function asked(key: string, question: (current: Bucket) => Promise<boolean | undefined>): Promise<boolean> {
    if (!requests.isShared(key)) return true;
    let trouble = 'this gateway is not connected to NATS';
    for (const end = performance.now() + claimMs; isAvailable && performance.now() < end; await pause(AGAIN_MS)) {
      const current = copies?.current;
      if (current === undefined) continue;
      try {
        const answer = await question(current);
        if (answer !== undefined) return answer;
      } catch (error) {
        trouble = messageOf(error);
      }
    }
    if (copies?.last !== undefined && owners.isKnownAsForeign(copies.last, key)) return false;
    if (isAvailable) log(`the ends of requests to nodes are reported without a check of other gateways: ${trouble}`);
    isAvailable = false;
    return true;
  }

  return {
    changed: () => copies?.reconcile(),
    join(replicas) {
      const lease = new SharedBucket({
        name: 'pin_owner',
        ttlMs: leaseMs,
        replicas,
        title: 'leases',
        everyMs: leaseMs / 3,
        async pass() {
          await leases.renew();
          if (leases.isRenewed) isAvailable = true;
        },
        log,
      });
      const leases = new Leases({ gateway: parts.gateway(), leaseMs, bucket: () => lease.current });
      copies = new SharedBucket({
        name: 'pin_requests',
        ttlMs: KEEP_MS,
        replicas,
        title: 'shared requests',
        everyMs: Math.min(TICK_MS, leaseMs / 5),
        pass: (bucket) => owners.pass(bucket, leases),
        log,
      });
      const joined = [lease, copies];
      return {
        connected: async (nats) => void (await Promise.all(joined.map((each) => each.connected(nats)))),
        close: async () => void (await Promise.all(joined.map((each) => each.close()))),
      };
    },
    async copy(key) {
      if (!isAvailable) return; // a pass copies it
      const end = performance.now() + COPY_MS;
      while (copies?.current === undefined && performance.now() < end) await pause(AGAIN_MS);
      if (copies?.current === undefined) return;
      const copied = owners.copy(copies.current, key);
      await Promise.race([copied, pause(end - performance.now())]).catch((error: unknown) =>
        log(`a request to a node was sent before its copy for other gateways was stored: ${messageOf(error)}`),
      );
      copied.catch(() => undefined); // the next pass repeats it
    },
    isOwner: (key) => asked(key, (current) => owners.isOwner(current, key)),
    claim: (key) => asked(key, (current) => owners.claim(current, key)),
  };
}
