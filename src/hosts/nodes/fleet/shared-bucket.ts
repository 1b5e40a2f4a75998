/** Keeps a bucket of JetStream and the store of this gateway in step: one pass at a time, after each change on either side. */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../../base/message-of.ts';
import type { NatsConnection } from '../../channel/carriers/nats-connect.ts';
import { limitedLog } from '../limited-log.ts';
import { Bucket, type BucketOptions } from './bucket.ts';

export interface SharedBucketOptions extends BucketOptions {
  /** Writes what has happened here there, and takes over what has happened there. */
  readonly pass: (bucket: Bucket) => Promise<void>;
  /** For log lines. */
  readonly title: string;
  /** How often a pass runs without a change (default: when a watch begins, every ten seconds). */
  readonly everyMs?: number;
  readonly log: (text: string) => void;
}

const AGAIN_MS = 1_000;

export class SharedBucket {
  readonly #options: SharedBucketOptions;
  readonly #log: (text: string) => void;
  readonly #closing = new AbortController();
  readonly #ticks: NodeJS.Timeout | undefined;
  #bucket: Bucket | undefined;
  #isConnected = false;
  #work: Promise<void> = Promise.resolve();
  #isScheduled = false;
  #again: NodeJS.Timeout | undefined;

  constructor(options: SharedBucketOptions) {
    this.#options = options;
    this.#log = limitedLog(options.log);
    const { everyMs } = options;
    if (everyMs !== undefined) this.#ticks = setInterval(() => this.reconcile(), everyMs).unref();
  }

  /** Of the last connection: what was read there is still shown without one. */
  get last(): Bucket | undefined {
    return this.#bucket;
  }

  /** Undefined without a connection. */
  get current(): Bucket | undefined {
    return this.#isConnected ? this.#bucket : undefined;
  }

  /** Shares values until the connection ends. */
  async connected(nats: NatsConnection): Promise<void> {
    const isOver = (): boolean => nats.isClosed() || this.#closing.signal.aborted;
    while (!isOver()) {
      let opened: Bucket | undefined;
      try {
        opened = await Bucket.open(nats, this.#options);
        this.#bucket = opened;
        this.#isConnected = true;
        while (!isOver()) {
          this.reconcile(); // a write may have been lost
          await opened.watch(() => this.reconcile());
        }
      } catch (error) {
        if (!nats.isClosed()) this.#failed(error);
      }
      if (this.#bucket === opened) this.#isConnected = false; // a newer connection may have opened it already
      await pause(AGAIN_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  reconcile(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#work = this.#work.then(() => this.#pass());
  }

  /** A pass may cause the next one, at once: other work of the gateway runs between them. */
  async #pass(): Promise<void> {
    await nextTurn();
    this.#isScheduled = false;
    const { current } = this;
    const { signal } = this.#closing;
    if (current === undefined || signal.aborted) return;
    const { pass, everyMs = AGAIN_MS } = this.#options;
    try {
      await pass(current);
    } catch (error) {
      this.#failed(error);
      this.reconcile();
      await pause(Math.min(everyMs, AGAIN_MS), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #failed(error: unknown): void {
    this.#log(`${this.#options.title}: ${messageOf(error)}`);
  }

  /** For a write that the server did not confirm. */
  reconcileAgain(): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.reconcile(), AGAIN_MS).unref();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#ticks);
    clearTimeout(this.#again);
    await this.#work;
  }
}
