/**
 * Copies of the open requests to nodes that all gateways reach. A request has one owner, which continues it and reports its end.
 * When the owner dies, another gateway becomes the owner. Each change is a compare-and-swap of one key, so there is never a second
 * owner. What a gateway does here follows from its own database and the bucket alone, so it can be killed at any point.
 */
import { messageOf } from '../../../base/message-of.ts';
import { type SharedRequest, sharedRequest } from '../../../wire/nodes/fleet.ts';
import type { OpenRequest } from '../../../wire/nodes/open-request.ts';
import { check } from '../../../wire/schema.ts';
import type { NodeRequests, SharedKey } from '../node-requests.ts';
import type { Bucket, Entry, Written } from './bucket.ts';
import type { Leases } from './leases.ts';

export interface RequestOwnersParts {
  readonly gateway: () => string;
  readonly requests: Pick<NodeRequests, 'get' | 'shared' | 'isShared' | 'unshare'>;
  /** Whether this gateway has the node. */
  readonly hasNode: (node: string) => boolean;
  /** Makes a request of another gateway one of this gateway: on disk when this returns. Then continues it. */
  readonly adopt: (request: OpenRequest) => void;
  /** Another gateway is the owner now: ends the session here without a report. */
  readonly leave: (request: OpenRequest, owner: string) => void;
  readonly log: (text: string) => void;
}

/** The bucket `pin_requests`. */
export type RequestBucket = Pick<Bucket, 'entries' | 'get' | 'create' | 'update' | 'remove'>;

export interface RequestOwners {
  /** Copies what has changed here, leaves what belongs to others, and continues the requests of dead gateways. One at a time. */
  pass(bucket: RequestBucket, leases: Pick<Leases, 'hasLapsed' | 'takes'>): Promise<void>;
  /** Copies one request. */
  copy(bucket: RequestBucket, key: string): Promise<void>;
  /** Whether this gateway is the owner. */
  isOwner(bucket: RequestBucket, key: string): Promise<boolean>;
  /** As far as this gateway knows without a question to the servers. */
  isKnownAsForeign(bucket: RequestBucket, key: string): boolean;
  /** Makes this gateway the one that reports the end. Undefined if that is not sure: ask again. */
  claim(bucket: RequestBucket, key: string): Promise<boolean | undefined>;
}

/** A server accepts 1 MiB by default. */
const LONGEST = 512 * 1024;

export function createRequestOwners(parts: RequestOwnersParts): RequestOwners {
  const { requests, log } = parts;
  const checked = new WeakMap<Entry, SharedRequest | undefined>();

  const valueOf = (key: string, entry: Entry): SharedRequest | undefined => {
    if (!checked.has(entry)) checked.set(entry, checkedRequest(entry.value, key, log));
    return checked.get(entry);
  };
  const isOwn = (value: SharedRequest | undefined): boolean => value === undefined || value.owner === parts.gateway();

  async function pass(current: RequestBucket, leases: Pick<Leases, 'hasLapsed' | 'takes'>): Promise<void> {
    // At once: each of them may wait for the election of a leader.
    await Promise.all(requests.shared().map((each) => settle(current, each)));
    await Promise.all([...current.entries().keys()].map((key) => adoptOwn(current, key)));
    await takeOver(current, leases);
  }

  /** This process or an earlier one became the owner, and was interrupted. */
  async function adoptOwn(current: RequestBucket, key: string): Promise<void> {
    const isToAdopt = (entry: Entry | undefined): SharedRequest | undefined => {
      const value = entry === undefined || requests.isShared(key) ? undefined : valueOf(key, entry);
      if (value?.request === undefined || value.isClaimed === true) return undefined;
      return isOwn(value) ? value : undefined;
    };
    if (isToAdopt(current.entries().get(key)) === undefined) return;
    const value = isToAdopt(await current.get(key)); // the watch may deliver the value of a removed key
    if (value?.request !== undefined) parts.adopt(value.request);
  }

  /** Brings the copy up to date with the database, or the database with a copy that has another owner. */
  async function settle(current: RequestBucket, { key, request }: SharedKey): Promise<void> {
    const entry = current.entries().get(key) ?? (await current.get(key));
    const value = entry === undefined ? undefined : valueOf(key, entry);
    if (value !== undefined && !isOwn(value)) {
      if (request === undefined) requests.unshare(key);
      else parts.leave(request, value.owner);
    } else if (request === undefined) await remove(current, key, entry, value);
    else await store(current, key, entry, value);
  }

  async function store(
    current: RequestBucket,
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
    current: RequestBucket,
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

  async function takeOver(current: RequestBucket, leases: Pick<Leases, 'hasLapsed' | 'takes'>): Promise<void> {
    const others = new Map<string, OpenRequest[]>();
    for (const [key, entry] of current.entries()) {
      const value = valueOf(key, entry);
      if (value?.request === undefined || value.isClaimed === true || isOwn(value)) continue;
      if (requests.isShared(key)) continue; // it is about to leave this gateway
      if (parts.hasNode(value.request.node.id))
        others.set(value.owner, [...(others.get(value.owner) ?? []), value.request]);
    }
    for (const [owner, theirs] of others) {
      if (!(await leases.hasLapsed(owner)) || !(await leases.takes(owner))) continue;
      log(`gateway ${owner} does not answer: this gateway continues with its requests to nodes (${theirs.length})`);
      await Promise.all(theirs.map((request) => takeOne(current, owner, request)));
    }
  }

  async function takeOne(current: RequestBucket, from: string, { key }: OpenRequest): Promise<void> {
    const entry = await current.get(key);
    const value = entry === undefined ? undefined : valueOf(key, entry);
    if (entry === undefined || value?.request === undefined || value.isClaimed === true || value.owner !== from) return;
    const taken = { ...value, owner: parts.gateway(), isMoved: true as const } satisfies SharedRequest;
    const isTaken = await confirmed(current, key, current.update(key, JSON.stringify(taken), entry.revision));
    if (isTaken) parts.adopt(value.request);
  }

  /** Reads the value after a write that was refused, or may have been stored. */
  async function confirmed(current: RequestBucket, key: string, writing: Promise<Written>): Promise<boolean> {
    const isStored = typeof (await writing) === 'object';
    if (!isStored) await current.get(key);
    return isStored;
  }

  async function claim(current: RequestBucket, key: string): Promise<boolean | undefined> {
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

  return {
    pass,
    claim,
    copy: (current, key) => settle(current, { key, request: requests.get(key) }),
    async isOwner(current, key) {
      const entry = await current.get(key);
      return isOwn(entry === undefined ? undefined : valueOf(key, entry));
    },
    isKnownAsForeign(current, key) {
      const entry = current.entries().get(key);
      return entry !== undefined && !isOwn(valueOf(key, entry));
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
