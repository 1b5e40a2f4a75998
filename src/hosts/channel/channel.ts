/**
 * A channel: calls in both directions over one connection, each with events, streams and one answer. Both ends use this code.
 * The end that connected has odd call ids and the other one even ids, so they never collide. Messages with id 0 belong to no call.
 */
import type { Duplex, Readable, Writable } from 'node:stream';
import { BOUNDS, type ChannelBounds, type Trust } from './bounds.ts';
import { ProtocolViolation, expectThat } from './protocol-violation.ts';
import { MethodChecks, type MethodShapes } from './method-checks.ts';
import { type FrameKind, FrameReader, readCredit, readLog } from './frames.ts';
import { Inbox, type Received } from './inbox.ts';
import { Outbox } from './outbox.ts';
import { type OutgoingCall, Requests } from './requests.ts';
import { Serving, type ServingOptions } from './serving.ts';

export interface ChannelOptions extends ServingOptions {
  readonly trust: Trust;
  /** `opener`: the end that connected. The other end is the `acceptor`. */
  readonly side: 'opener' | 'acceptor';
  /**
   * Called once, after a protocol violation, an `abandon`, or an error of this end, which is the `defect`. The connection is
   * closed by then.
   */
  readonly broken?: (reason: string, defect?: unknown) => void;
  /** The error of calls that are open when the channel ends, and of later ones. */
  readonly lost: (reason: string, cause?: Error) => Error;
  readonly bounds?: Partial<ChannelBounds>;
  /** All that the other end may send. Anything else is a protocol violation. Default: nothing is checked. */
  readonly methods?: MethodShapes;
  /** Sends a heartbeat first: the process that started this one waits for its first bytes. */
  readonly announce?: true;
  /** Keeps the connection open after the other end has closed its side, until this process exits. */
  readonly staysOpen?: true;
}

/** A connection, or its two directions. */
export type Connection = Duplex | { readonly input: Readable; readonly output: Writable };

export interface Channel {
  /** Resolves with the answer: JSON or bytes. Rejects with a Fault of the other end, or with the error of `lost`. */
  call(method: string, params: unknown, options?: OutgoingCall): Promise<unknown>;
  /** Resolves with the milliseconds until the other end answered. No answer in time ends the channel. */
  ping(patienceMs?: number): Promise<number>;
  /** Why nothing can be called any more; undefined while it can. */
  readonly lost: Error | undefined;
  /** Resolves at the end, with the reason. */
  readonly ended: Promise<string>;
  /** Closes this end's side, and waits for the end of the channel. */
  close(): Promise<void>;
  /** Ends the channel as after a protocol violation, because the other end does not do what it has to. */
  abandon(reason: string): void;
}

const PING_MS = 10_000;
const HIGHEST_ID = 0xffff_ffff;

export function openChannel(connection: Connection, options: ChannelOptions): Channel {
  return new OpenChannel(connection, options);
}

class OpenChannel implements Channel {
  readonly ended: Promise<string>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #options: ChannelOptions;
  readonly #checks: MethodChecks;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #requests: Requests;
  readonly #serving: Serving;
  /** Made by the first ping: an empty map has 240 bytes, and a gateway has thousands of channels. */
  #pings: Map<number, () => void> | undefined;
  #nextId: number;
  #hasReceived = false;
  #lost: (() => Error) | undefined;
  #resolveEnded: (reason: string) => void = () => {};

  constructor(connection: Connection, options: ChannelOptions) {
    const { trust, side } = options;
    const bounds = options.bounds === undefined ? BOUNDS[trust] : { ...BOUNDS[trust], ...options.bounds };
    const { input, output } = 'input' in connection ? connection : { input: connection, output: connection };
    const checks = new MethodChecks(options.methods, trust);
    this.#input = input;
    this.#output = output;
    this.#options = options;
    this.#checks = checks;
    this.#nextId = side === 'opener' ? 1 : 2;
    this.#inbox = new Inbox(bounds);
    const outbox = new Outbox(output, bounds, () => this.abandon('it does not read what is sent'));
    this.#outbox = outbox;
    this.#requests = new Requests(outbox, trust === 'same-build', checks);
    this.#serving = new Serving(options, {
      outbox,
      checks,
      most: bounds.calls,
      isHostile: trust === 'hostile',
      violated: (reason) => this.abandon(reason),
    });
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    const reader = new FrameReader();
    if (options.announce === true) outbox.send(0, { working: true }, 'a heartbeat');
    input.on('data', (bytes: Uint8Array) => this.#read(reader, bytes));
    input.on('end', () => this.#end('the other end closed the connection'));
    for (const each of new Set([input, output])) {
      each.on('error', (error: Error) => this.#end(error.message, error));
      each.on('close', () => this.#end('the connection was closed'));
    }
  }

  get lost(): Error | undefined {
    return this.#lost?.();
  }

  call(method: string, params: unknown, options: OutgoingCall = {}): Promise<unknown> {
    if (this.#nextId > HIGHEST_ID) this.abandon('there are no more call ids');
    if (this.#lost !== undefined) return Promise.reject(this.#lost());
    const id = this.#nextId;
    this.#nextId += 2;
    return this.#requests.call(id, method, params, options);
  }

  async ping(patienceMs = PING_MS): Promise<number> {
    const began = performance.now();
    const number = this.#nextId;
    this.#nextId += 2;
    const timer = setTimeout(() => this.abandon(`it did not answer within ${patienceMs} ms`), patienceMs);
    await new Promise<void>((resolve) => {
      this.#pings ??= new Map();
      this.#pings.set(number, resolve);
      if (this.#lost === undefined) this.#outbox.send(0, { ping: number }, 'a ping');
      else resolve();
    });
    clearTimeout(timer);
    if (this.#lost !== undefined) throw this.#lost();
    return performance.now() - began;
  }

  async close(): Promise<void> {
    this.#output.end();
    await this.ended;
  }

  abandon(reason: string, defect?: unknown): void {
    if (this.#lost !== undefined) return;
    this.#end(reason);
    this.#options.broken?.(reason, defect);
  }

  #read(reader: FrameReader, bytes: Uint8Array): void {
    if (this.#lost !== undefined) return;
    try {
      reader.read(bytes, (kind, id, payload) => {
        if (this.#lost === undefined) this.#receiveFrame(kind, id, payload);
      });
    } catch (error) {
      const isTheirs = error instanceof ProtocolViolation;
      this.abandon(isTheirs ? error.message : `unexpected ${String(error)}`, isTheirs ? undefined : error);
    }
  }

  #receiveFrame(kind: FrameKind, id: number, payload: Uint8Array): void {
    if (kind === 'message') this.#receive(id, this.#inbox.message(payload));
    else if (kind === 'part' || kind === 'last') {
      expectThat(this.#isOwn(id) ? this.#requests.has(id) : !this.#checks.isStrict, 'an answer to an unknown call');
      const message = this.#inbox.part(kind, id, payload);
      if (message !== undefined) this.#receive(id, message);
    } else if (kind === 'log') {
      expectThat(this.#isOwn(id), 'a log that was not requested');
      const bytes = readLog(payload);
      this.#requests.deliver(id, ({ log }) => {
        expectThat(log !== undefined || !this.#checks.isStrict, 'a log that was not requested');
        log?.(bytes);
      });
    } else if (kind === 'credit') {
      const { stream, bytes } = readCredit(payload);
      if (this.#isOwn(id)) this.#requests.deliver(id, ({ streams }) => streams.credit(stream, bytes));
      else this.#serving.streamsOf(id)?.credit(stream, bytes);
    } else if (this.#isOwn(id)) this.#requests.deliver(id, ({ streams }) => streams.receive(kind, payload));
    else this.#serving.streamsOf(id)?.receive(kind, payload);
  }

  #receive(id: number, message: Received): void {
    const isFirst = !this.#hasReceived;
    this.#hasReceived = true;
    if (id !== 0) (this.#isOwn(id) ? this.#requests : this.#serving).receive(id, message);
    else this.#receiveOwn(isFirst, message as Readonly<Record<string, unknown>>);
  }

  /** A message with id 0. */
  #receiveOwn(isFirst: boolean, { ping, pong, working }: Readonly<Record<string, unknown>>): void {
    if (typeof ping === 'number' && !this.#checks.isStrict) this.#outbox.send(0, { pong: ping }, 'a pong');
    else if (typeof pong === 'number') {
      const answered = this.#pings?.get(pong);
      expectThat(answered !== undefined, 'an answer to an unknown ping');
      this.#pings?.delete(pong);
      answered();
    } else expectThat(working === true && (isFirst || !this.#checks.isStrict), 'an unknown message');
  }

  #isOwn(id: number): boolean {
    return id !== 0 && id % 2 === this.#nextId % 2;
  }

  #end(reason: string, cause?: Error): void {
    if (this.#lost !== undefined) return;
    this.#lost = () => this.#options.lost(reason, cause);
    if (this.#options.staysOpen !== true) {
      this.#input.destroy();
      this.#output.destroy();
    }
    this.#requests.loseAll(this.#lost);
    this.#serving.cancelAll();
    for (const answered of this.#pings?.values() ?? []) answered();
    this.#pings = undefined;
    this.#resolveEnded(reason);
  }
}
