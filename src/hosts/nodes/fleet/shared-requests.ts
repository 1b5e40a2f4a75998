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
  /** This gateway does not use NATS any more, and shares nothing. */
  readonly hasLeft: boolean;
  readonly waits?: SharedRequestWaits | undefined;
}

/** Tests shorten them. */
export interface SharedRequestWaits {
  readonly leaseMs?: number;
  readonly answerWithinMs?: number;
}

/** What the rest of the gateway needs to know. */
export interface RequestOwnership {
  /** Copies a request before it is sent. Without an answer of the servers it is copied later. */
  copy(key: string): Promise<void>;
  /** Whether this gateway is still the owner, as far as it knows if the servers do not answer in time. Undefined when it closes. */
  isOwner(key: string): Promise<boolean | undefined>;
  /**
   * Whether this gateway reports the end of the request. From then on no other gateway does. Waits for the servers without a limit:
   * another gateway may report the end meanwhile. Undefined when this one closes: its next process asks again.
   */
  claim(key: string): Promise<boolean | undefined>;
}

export interface SharedRequests extends RequestOwnership {
  /** Brings the copies up to date soon. */
  changed(): void;
  /** This gateway uses NATS: what to do with each connection. */
  join(replicas: 1 | 3): { connected(nats: NatsConnection): Promise<void>; close(): Promise<void> };
  /** Ends the waiting for the servers. */
  close(): void;
}

const DAY_MS = 86_400_000;
/** As approval requests, which a request may wait for. */
const KEEP_MS = 31 * DAY_MS;
const TICK_MS = 1_000;
const COPY_MS = 1_000;
/** Longer than the election of a leader. */
const ANSWER_WITHIN_MS = 15_000;
const AGAIN_MS = 100;

export function createSharedRequests(parts: SharedRequestsParts): SharedRequests {
  const { requests, waits = {} } = parts;
  const { leaseMs = LEASE_MS, answerWithinMs = ANSWER_WITHIN_MS } = waits;
  const log = limitedLog(parts.log);
  const owners = createRequestOwners({ ...parts, log });
  const closing = new AbortController();
  let copies: SharedBucket | undefined;
  /** False after a question that the servers did not answer in time: the next one does not wait for them. */
  let isAvailable = true;

  const wait = (ms: number): Promise<void> => pause(ms, undefined, { signal: closing.signal }).catch(() => undefined);

  /** Asks until the servers answer, or for as long as they are available. Undefined without an answer. */
  async function asked(
    question: (current: Bucket) => Promise<boolean | undefined>,
    isPatient: boolean,
  ): Promise<boolean | undefined> {
    let trouble = 'this gateway is not connected to NATS';
    for (const end = performance.now() + answerWithinMs; ; await wait(isAvailable ? AGAIN_MS : TICK_MS)) {
      const current = copies?.current;
      try {
        const answer = current === undefined ? undefined : await question(current);
        if (closing.signal.aborted) return undefined; // what it knows is old
        if (answer !== undefined) return answer;
      } catch (error) {
        trouble = messageOf(error);
      }
      if (closing.signal.aborted) return undefined;
      if (isAvailable && performance.now() >= end) {
        isAvailable = false;
        log(`the ends of requests to nodes are reported when the NATS servers answer: ${trouble}`);
      }
      if (!isAvailable && !isPatient) return undefined;
    }
  }

  const isAlone = (key: string): boolean => parts.hasLeft || !requests.isShared(key);
  const isKnownAsForeign = (key: string): boolean =>
    copies?.last !== undefined && owners.isKnownAsForeign(copies.last, key);

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
      while (copies?.current === undefined && performance.now() < end && !closing.signal.aborted) await wait(AGAIN_MS);
      if (copies?.current === undefined || closing.signal.aborted) return;
      const copied = owners.copy(copies.current, key);
      await Promise.race([copied, wait(end - performance.now())]).catch((error: unknown) =>
        log(`a request to a node was sent before its copy for other gateways was stored: ${messageOf(error)}`),
      );
      copied.catch(() => undefined); // the next pass repeats it
    },
    async isOwner(key) {
      if (isAlone(key)) return true;
      const answer = await asked((current) => owners.isOwner(current, key), false);
      return closing.signal.aborted ? undefined : (answer ?? !isKnownAsForeign(key));
    },
    async claim(key) {
      return isAlone(key) || (await asked((current) => owners.claim(current, key), true));
    },
    close: () => closing.abort(),
  };
}
