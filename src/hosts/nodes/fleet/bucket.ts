/** A bucket of JetStream: values that gateways share, changed by compare-and-swap, with a copy of all in memory. */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { KV, KvEntry } from '@nats-io/kv';
import { Fault } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';
import type { NatsConnection } from '../../channel/carriers/nats-connect.ts';

export interface BucketOptions {
  readonly name: string;
  /** Values that are this old are removed. */
  readonly ttlMs: number;
  /** Copies on different servers: 3 survive the loss of one. */
  readonly replicas: 1 | 3;
}

export interface Entry {
  readonly value: string;
  readonly revision: number;
}

/** `conflict`: another writer was first. `unsure`: the server did not confirm; the value may have been stored. */
export type Written = { readonly revision: number } | 'conflict' | 'unsure';

const WRONG_LAST_SEQUENCE = 10_071;
const HISTORY = 5;
const WATCH_MS = 10_000;
const CREATE_WITHIN_MS = 1_000;

export class Bucket {
  readonly #kv: KV;
  readonly #entries = new Map<string, Entry>();

  private constructor(kv: KV) {
    this.#kv = kv;
  }

  static async open(nats: NatsConnection, { name, ttlMs, replicas }: BucketOptions): Promise<Bucket> {
    const { Kvm } = await import('@nats-io/kv');
    // A direct read could be answered by a replica that does not have the newest value.
    const options = { history: HISTORY, ttl: ttlMs, replicas, allow_direct: false };
    try {
      const kvm = new Kvm(nats);
      const known = await kvm.open(name, { allow_direct: false });
      const isThere = await known.status().then(
        () => true,
        () => false,
      );
      // A single server of version 2.9 fails where two gateways create a bucket in the same moment, and may damage it.
      if (!isThere) await pause(randomInt(CREATE_WITHIN_MS));
      return new Bucket(await kvm.create(name, options));
    } catch (error) {
      throw unavailable(error);
    }
  }

  /**
   * Reads all values, then changes, and calls the listener after each. Ends after a while, or with the connection: the server that
   * feeds a watch may have died, so a watch is never trusted for long.
   */
  async watch(changed: () => void): Promise<void> {
    const watch = await this.#kv.watch();
    const over = setTimeout(() => watch.stop(), WATCH_MS);
    try {
      for await (const entry of watch) {
        this.#note(entry);
        changed();
      }
    } finally {
      clearTimeout(over);
    }
  }

  entries(): ReadonlyMap<string, Entry> {
    return this.#entries;
  }

  /** Reads the newest value from the server. */
  async get(key: string): Promise<Entry | undefined> {
    try {
      const entry = await this.#kv.get(key);
      if (entry === null) this.#entries.delete(key);
      else this.#note(entry);
    } catch (error) {
      throw unavailable(error);
    }
    return this.#entries.get(key);
  }

  /** Without a comparison: for a key that only this gateway writes. */
  put(key: string, value: string): Promise<Written> {
    return this.#written(key, value, this.#kv.put(key, value));
  }

  create(key: string, value: string): Promise<Written> {
    return this.#written(key, value, this.#kv.create(key, value));
  }

  update(key: string, value: string, revision: number): Promise<Written> {
    return this.#written(key, value, this.#kv.update(key, value, revision));
  }

  /** Also from the history: commands may contain secrets. */
  async remove(key: string, revision: number): Promise<Written> {
    const removed = await written(this.#kv.purge(key, { previousSeq: revision }).then(() => revision));
    if (typeof removed === 'object' && this.#entries.get(key)?.revision === revision) this.#entries.delete(key);
    return removed;
  }

  /** The copy has a stored value before the watch delivers it. */
  async #written(key: string, value: string, writing: Promise<number>): Promise<Written> {
    const result = await written(writing);
    if (typeof result === 'object' && !this.#isNewer(key, result.revision))
      this.#entries.set(key, { value, revision: result.revision });
    return result;
  }

  #isNewer(key: string, revision: number): boolean {
    return (this.#entries.get(key)?.revision ?? 0) > revision;
  }

  #note(entry: KvEntry): void {
    const { key, revision, operation } = entry;
    if ((this.#entries.get(key)?.revision ?? 0) >= revision) return; // known, or the watch is behind a read
    if (operation === 'PUT') this.#entries.set(key, { value: entry.string(), revision });
    else this.#entries.delete(key);
  }
}

async function written(writing: Promise<number>): Promise<Written> {
  try {
    return { revision: await writing };
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    return code === WRONG_LAST_SEQUENCE || /wrong last sequence/iu.test(messageOf(error)) ? 'conflict' : 'unsure';
  }
}

export function unavailable(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return new Fault('NODE_FLEET_UNAVAILABLE', `the store that gateways share is not available: ${messageOf(error)}`, {
    hint: 'most of the NATS servers must run, with JetStream; nodes stay reachable in the meantime',
    cause: error,
  });
}
