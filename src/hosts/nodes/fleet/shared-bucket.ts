/** Keeps a bucket of JetStream and the store of this gateway in step: one pass at a time, after each change on either side. */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../../base/message-of.ts';
import type { NatsConnection } from '../../channel/carriers/nats-connect.ts';
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
  readonly #closing = new AbortController();
  readonly #ticks: NodeJS.Timeout | undefined;
  #bucket: Bucket | undefined;
  #isConnected = false;
  #work: Promise<void> = Promise.resolve();
  #isScheduled = false;
  #again: NodeJS.Timeout | undefined;

  constructor(options: SharedBucketOptions) {
    this.#options = options;
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
    const { title, log } = this.#options;
    const isOver = (): boolean => nats.isClosed() || this.#closing.signal.aborted;
    while (!isOver()) {
      try {
        const opened = await Bucket.open(nats, this.#options);
        this.#bucket = opened;
        this.#isConnected = true;
        while (!isOver()) {
          this.reconcile(); // a write may have been lost
          await opened.watch(() => this.reconcile());
        }
      } catch (error) {
        if (!nats.isClosed()) log(`${title}: ${messageOf(error)}`);
      }
      this.#isConnected = false;
      await pause(AGAIN_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  reconcile(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#work = this.#work.then(async () => {
      this.#isScheduled = false;
      const { current } = this;
      if (current === undefined || this.#closing.signal.aborted) return;
      const { pass, title, log } = this.#options;
      await pass(current).catch((error: unknown) => {
        log(`${title}: ${messageOf(error)}`);
        this.reconcileAgain();
      });
    });
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
