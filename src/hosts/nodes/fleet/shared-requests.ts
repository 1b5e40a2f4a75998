/**
 * Copies of the open requests to nodes that all gateways reach. A request has one owner, which continues it and reports its end.
 * When the owner dies, another gateway becomes the owner. Each change is a compare-and-swap of one key, so there is never a second
 * owner. What a gateway does here follows from its own database and the bucket alone, so it can be killed at any point.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../../base/message-of.ts';
import { type SharedRequest, sharedRequest } from '../../../wire/nodes/fleet.ts';
import type { OpenRequest } from '../../../wire/nodes/open-request.ts';
import { check } from '../../../wire/schema.ts';
import type { NatsConnection } from '../../channel/carriers/nats-connect.ts';
import type { NodeRequests, SharedKey } from '../node-requests.ts';
import { limitedLog } from '../limited-log.ts';
import { Bucket, type Entry, type Written } from './bucket.ts';
import { LEASE_MS, Leases } from './leases.ts';

export interface SharedRequestsParts {
  readonly gateway: () => string;
  readonly requests: Pick<NodeRequests, 'get' | 'shared' | 'isShared' | 'unshare'>;
  /** Whether this gateway has the node. */
  readonly hasNode: (node: string) => boolean;
  /** Makes a request of another gateway one of this gateway: on disk when this returns. Then continues it. */
  readonly adopt: (request: OpenRequest) => void;
  /** Another gateway is the owner now: ends the session here without a report. */
  readonly leave: (request: OpenRequest, owner: string) => void;
  readonly log: (text: string) => void;
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
/** A server accepts 1 MiB by default. */
const LONGEST = 512 * 1024;

export function createSharedRequests(parts: SharedRequestsParts): SharedRequests {
  const { requests, waits = {} } = parts;
  const log = limitedLog(parts.log);
  const { leaseMs = LEASE_MS, claimMs = CLAIM_MS } = waits;
  const closing = new AbortController();
  const checked = new WeakMap<Entry, SharedRequest | undefined>();
  let leases: Leases | undefined;
  /** Of the last connection: what was read there counts until it is read again. */
  let bucket: Bucket | undefined;
  let isConnected = false;
  /** False after a question that the servers did not answer: the next one does not wait for them. */
  let isAvailable = true;
  let work: Promise<void> = Promise.resolve();
  let isScheduled = false;

  const valueOf = (key: string, entry: Entry): SharedRequest | undefined => {
    if (!checked.has(entry)) checked.set(entry, checkedRequest(entry.value, key, log));
    return checked.get(entry);
  };
  const isOwn = (value: SharedRequest | undefined): boolean => value === undefined || value.owner === parts.gateway();

  /** One pass at a time. */
  function reconcile(): void {
    if (isScheduled) return;
    isScheduled = true;
    work = work.then(async () => {
      isScheduled = false;
      if (bucket === undefined || !isConnected || closing.signal.aborted) return;
      await pass(bucket).catch((error: unknown) => log(`shared requests: ${messageOf(error)}`));
    });
  }

  async function pass(current: Bucket): Promise<void> {
    // At once: each of them may wait for the election of a leader.
    await Promise.all(requests.shared().map((each) => settle(current, each)));
    await Promise.all([...current.entries().keys()].map((key) => adoptOwn(current, key)));
    await takeOver(current);
  }

  /** This process or an earlier one became the owner, and was interrupted. */
  async function adoptOwn(current: Bucket, key: string): Promise<void> {
    const isToAdopt = (entry: Entry | undefined): SharedRequest | undefined => {
      const value = entry === undefined || requests.isShared(key) ? undefined : valueOf(key, entry);
      return value !== undefined && isOwn(value) && value.request !== undefined ? value : undefined;
    };
    if (isToAdopt(current.entries().get(key)) === undefined) return;
    const value = isToAdopt(await current.get(key)); // the watch may deliver the value of a removed key
    if (value?.request !== undefined) parts.adopt(value.request);
  }

  /** Brings the copy up to date with the database, or the database with a copy that has another owner. */
  async function settle(current: Bucket, { key, request }: SharedKey): Promise<void> {
    const entry = current.entries().get(key) ?? (await current.get(key));
    const value = entry === undefined ? undefined : valueOf(key, entry);
    if (value !== undefined && !isOwn(value)) {
      if (request === undefined) requests.unshare(key);
      else parts.leave(request, value.owner);
    } else if (request === undefined) await remove(current, key, entry, value);
    else await store(current, key, entry, value);
  }

  async function store(
    current: Bucket,
    key: string,
    entry: Entry | undefined,
    value: SharedRequest | undefined,
  ): Promise<void> {
    const request = requests.get(key); // as it is now: its end may have been reported meanwhile
    if (request === undefined) return;
    const { unreachableSince: _, ...copied } = request;
    const text = JSON.stringify({ ...value, owner: parts.gateway(), request: copied } satisfies SharedRequest);
    if (Buffer.byteLength(text) > LONGEST) return; // it ends with this gateway
    if (entry === undefined) await confirmed(current, key, current.create(key, text));
    else if (text !== entry.value) await confirmed(current, key, current.update(key, text, entry.revision));
  }

  /** Where an earlier owner may still have the request, a value stays that says who reported its end. */
  async function remove(
    current: Bucket,
    key: string,
    entry: Entry | undefined,
    value: SharedRequest | undefined,
  ): Promise<void> {
    const over = { owner: parts.gateway(), isMoved: true as const } satisfies SharedRequest;
    const isRemoved =
      entry === undefined ||
      (value?.isMoved === true
        ? await confirmed(current, key, current.update(key, JSON.stringify(over), entry.revision))
        : await confirmed(current, key, current.remove(key, entry.revision)));
    if (isRemoved) requests.unshare(key);
  }

  async function takeOver(current: Bucket): Promise<void> {
    const others = new Map<string, OpenRequest[]>();
    for (const [key, entry] of current.entries()) {
      const value = valueOf(key, entry);
      if (value?.request === undefined || value.isClaimed === true || isOwn(value)) continue;
      if (parts.hasNode(value.request.node.id))
        others.set(value.owner, [...(others.get(value.owner) ?? []), value.request]);
    }
    for (const [owner, theirs] of others) {
      if (!(await leases?.hasLapsed(owner)) || !(await leases?.takes(owner))) continue;
      log(`gateway ${owner} does not answer: this gateway continues with its requests to nodes (${theirs.length})`);
      await Promise.all(theirs.map((request) => takeOne(current, owner, request)));
    }
  }

  async function takeOne(current: Bucket, from: string, { key }: OpenRequest): Promise<void> {
    const entry = await current.get(key);
    const value = entry === undefined ? undefined : valueOf(key, entry);
    if (entry === undefined || value?.request === undefined || value.isClaimed === true || value.owner !== from) return;
    const taken = { ...value, owner: parts.gateway(), isMoved: true as const } satisfies SharedRequest;
    const isTaken = await confirmed(current, key, current.update(key, JSON.stringify(taken), entry.revision));
    if (isTaken) parts.adopt(value.request);
  }

  /** Reads the value after a write that was refused, or may have been stored. */
  async function confirmed(current: Bucket, key: string, writing: Promise<Written>): Promise<boolean> {
    const isStored = typeof (await writing) === 'object';
    if (!isStored) await current.get(key);
    return isStored;
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
    const known = bucket?.entries().get(key);
    if (known !== undefined && !isOwn(valueOf(key, known))) return false;
    if (isAvailable) log(`the ends of requests to nodes are reported without a check of other gateways: ${trouble}`);
    isAvailable = false;
    return true;
  }

  async function claimNow(current: Bucket, key: string): Promise<boolean | undefined> {
    const entry = current.entries().get(key) ?? (await current.get(key));
    const value = entry === undefined ? undefined : valueOf(key, entry);
    if (!isOwn(value)) return false;
    if (value?.isClaimed === true) return true;
    const text = JSON.stringify({
      ...(value ?? { owner: parts.gateway() }),
      isClaimed: true as const,
    } satisfies SharedRequest);
    const writing = entry === undefined ? current.create(key, text) : current.update(key, text, entry.revision);
    return (await confirmed(current, key, writing)) ? true : undefined;
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
      const copied = settle(bucket, { key, request: requests.get(key) });
      await Promise.race([copied, pause(end - performance.now())]).catch((error: unknown) =>
        log(`a request to a node was sent before its copy for other gateways was stored: ${messageOf(error)}`),
      );
      copied.catch(() => undefined); // the next pass repeats it
    },
    isOwner: (key) =>
      asked(key, async (current) => {
        const entry = await current.get(key);
        return isOwn(entry === undefined ? undefined : valueOf(key, entry));
      }),
    claim: (key) => asked(key, (current) => claimNow(current, key)),
    async close() {
      closing.abort();
      clearInterval(ticks);
      clearInterval(renewals);
      await work;
    },
  };
}

function checkedRequest(text: string, key: string, log: (text: string) => void): SharedRequest | undefined {
  try {
    const shared = check(sharedRequest, JSON.parse(text), 'request');
    if (shared.request === undefined || shared.request.key === key) return shared;
    log(`shared requests: ${key} has the request of another key`);
  } catch (error) {
    log(`shared requests: ${key} is malformed: ${messageOf(error)}`);
  }
  return undefined;
}
