/**
 * A channel: calls in both directions over one connection, each with its events, its streams and one answer. Both ends use
 * this code. The ids of calls are odd at the end that connected and even at the other, so they never meet; 0 is no call.
 */
import type { Duplex } from 'node:stream';
import { BOUNDS, type ChannelBounds, type Trust } from './bounds.ts';
import { Breach, expectThat } from './breach.ts';
import { BrokenFrame, type FrameKind, FrameReader, readCredit, readLog } from './frames.ts';
import { Inbox, type Received } from './inbox.ts';
import { Outbox } from './outbox.ts';
import { type OutgoingCall, Requests } from './requests.ts';
import { Serving, type ServingOptions } from './serving.ts';

export interface ChannelOptions extends ServingOptions {
  readonly trust: Trust;
  /** `opener`: the end that connected. The ends of a channel have different sides. */
  readonly side: 'opener' | 'acceptor';
  /** Once, when the other end broke the protocol; the connection is closed then. `defect`: an error of this end. */
  readonly broken?: (reason: string, defect?: unknown) => void;
  /** The error of calls that are open at the end, or come later. */
  readonly lost: (reason: string, cause?: Error) => Error;
  readonly bounds?: Partial<ChannelBounds>;
}

export interface Channel {
  /** The answer: JSON, or bytes. Rejects with a Fault of the other end, or with the error of `lost`. */
  call(method: string, params: unknown, options?: OutgoingCall): Promise<unknown>;
  /** Milliseconds until the other end answers; one that does not in time is given up. */
  ping(patienceMs?: number): Promise<number>;
  /** Resolves at the end, with the reason. */
  readonly ended: Promise<string>;
  /** Says that nothing more comes from this end, and waits for the end. */
  close(): Promise<void>;
}

const PING_MS = 10_000;
const HIGHEST_ID = 0xffff_ffff;

/** Takes over a connection. */
export function openChannel(way: Duplex, options: ChannelOptions): Channel {
  return new OpenChannel(way, options);
}

class OpenChannel implements Channel {
  readonly ended: Promise<string>;
  readonly #way: Duplex;
  readonly #options: ChannelOptions;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #requests: Requests;
  readonly #serving: Serving;
  readonly #pings = new Map<number, () => void>();
  #nextId: number;
  #lost: (() => Error) | undefined;
  #resolveEnded: (reason: string) => void = () => {};

  constructor(way: Duplex, options: ChannelOptions) {
    const { trust, side } = options;
    const bounds = { ...BOUNDS[trust], ...options.bounds };
    this.#way = way;
    this.#options = options;
    this.#nextId = side === 'opener' ? 1 : 2;
    this.#inbox = new Inbox(bounds);
    this.#outbox = new Outbox(way, bounds, () => this.#break('it reads nothing'));
    this.#requests = new Requests(this.#outbox, trust === 'same-build');
    this.#serving = new Serving(this.#outbox, options, bounds.calls, trust === 'hostile');
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    const reader = new FrameReader();
    way.on('data', (bytes: Uint8Array) => this.#read(reader, bytes));
    way.on('error', (error: Error) => this.#end(error.message, error));
    way.on('end', () => this.#end('the other end left'));
    way.on('close', () => this.#end('the connection was closed'));
  }

  call(method: string, params: unknown, options: OutgoingCall = {}): Promise<unknown> {
    if (this.#nextId > HIGHEST_ID) this.#break('it has had as many calls as there are ids');
    if (this.#lost !== undefined) return Promise.reject(this.#lost());
    const id = this.#nextId;
    this.#nextId += 2;
    return this.#requests.call(id, method, params, options);
  }

  async ping(patienceMs = PING_MS): Promise<number> {
    const began = performance.now();
    const number = this.#nextId;
    this.#nextId += 2;
    const timer = setTimeout(() => this.#break(`it did not answer within ${patienceMs} ms`), patienceMs);
    await new Promise<void>((resolve) => {
      this.#pings.set(number, resolve);
      if (this.#lost === undefined) this.#outbox.send(0, { ping: number }, 'a ping');
      else resolve();
    });
    clearTimeout(timer);
    if (this.#lost !== undefined) throw this.#lost();
    return performance.now() - began;
  }

  async close(): Promise<void> {
    this.#way.end();
    await this.ended;
  }

  #read(reader: FrameReader, bytes: Uint8Array): void {
    if (this.#lost !== undefined) return;
    try {
      reader.read(bytes, (kind, id, payload) => {
        if (this.#lost === undefined) this.#take(kind, id, payload);
      });
    } catch (error) {
      const isTheirs = error instanceof Breach || error instanceof BrokenFrame;
      this.#break(isTheirs ? error.message : `unexpected ${String(error)}`, isTheirs ? undefined : error);
    }
  }

  #take(kind: FrameKind, id: number, payload: Uint8Array): void {
    if (kind === 'message') this.#hear(id, this.#inbox.message(payload));
    else if (kind === 'part' || kind === 'last') {
      expectThat(!this.#isOwn(id) || this.#requests.has(id), 'an answer to no call');
      const message = this.#inbox.part(kind, id, payload);
      if (message !== undefined) this.#hear(id, message);
    } else if (kind === 'log') {
      expectThat(this.#isOwn(id), 'a log that nobody asked for');
      const bytes = readLog(payload);
      this.#requests.tell(id, ({ log }) => log?.(bytes));
    } else if (kind === 'credit') {
      const { stream, bytes } = readCredit(payload);
      if (this.#isOwn(id)) this.#requests.tell(id, ({ streams }) => streams.credit(stream, bytes));
      else this.#serving.streamsOf(id)?.credit(stream, bytes);
    } else if (this.#isOwn(id)) this.#requests.tell(id, ({ streams }) => streams.receive(kind, payload));
    else this.#serving.streamsOf(id)?.receive(kind, payload);
  }

  #hear(id: number, message: Received): void {
    if (id !== 0) (this.#isOwn(id) ? this.#requests : this.#serving).hear(id, message);
    else this.#hearOfEnd(message as Readonly<Record<string, unknown>>);
  }

  /** A message that belongs to no call. */
  #hearOfEnd({ ping, pong, working }: Readonly<Record<string, unknown>>): void {
    if (typeof ping === 'number') this.#outbox.send(0, { pong: ping }, 'a pong');
    else if (typeof pong === 'number') {
      const answered = this.#pings.get(pong);
      expectThat(answered !== undefined, 'an answer to no ping');
      this.#pings.delete(pong);
      answered();
    } else expectThat(working === true, 'a message of no call');
  }

  #isOwn(id: number): boolean {
    return id !== 0 && id % 2 === this.#nextId % 2;
  }

  #break(reason: string, defect?: unknown): void {
    if (this.#lost !== undefined) return;
    this.#end(reason);
    this.#options.broken?.(reason, defect);
  }

  #end(reason: string, cause?: Error): void {
    if (this.#lost !== undefined) return;
    this.#lost = () => this.#options.lost(reason, cause);
    this.#way.destroy();
    this.#requests.loseAll(this.#lost);
    this.#serving.cancelAll();
    for (const answered of this.#pings.values()) answered();
    this.#pings.clear();
    this.#resolveEnded(reason);
  }
}
