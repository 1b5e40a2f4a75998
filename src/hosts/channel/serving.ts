/** The calls of the other end of a channel, which this end answers. */
import { Fault, faultData } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { Breach, expectThat } from './breach.ts';
import type { Checks } from './checks.ts';
import { CallStreams } from './call-streams.ts';
import type { LogBytes } from './frames.ts';
import type { Received } from './inbox.ts';
import type { Outbox } from './outbox.ts';

export interface IncomingCall {
  readonly method: string;
  readonly params: unknown;
  /** Fires when the caller cancels, or is gone. */
  readonly signal: AbortSignal;
  readonly streams: CallStreams;
  /** `lazy`: it may wait a millisecond, to leave with what follows. */
  readonly event: (value: unknown, lazy?: 'lazy') => void;
  readonly log: (bytes: LogBytes) => void;
  /** Undefined while there is room for more of a log. Otherwise resolves when there is, or the signal has fired. */
  readonly room: () => Promise<void> | undefined;
}

export interface ServingOptions {
  /**
   * Answers a call with JSON or bytes, or throws a Fault. Streams that come in have to be opened before it first waits.
   * Absent: the other end may not call.
   */
  readonly serve?: (call: IncomingCall) => Promise<unknown>;
  /** Time between heartbeats while a call is open. Default: none. */
  readonly heartbeatMs?: number;
}

interface Served {
  readonly streams: CallStreams;
  readonly controller: AbortController;
}

/** Above this, bytes of a log wait for their reader. */
const FULL = 4 * 1024 * 1024;

interface ServingParts {
  readonly outbox: Outbox;
  readonly checks: Checks;
  /** Calls at the same time. */
  readonly most: number;
  readonly isHostile: boolean;
  readonly violated: (reason: string) => void;
}

export class Serving {
  readonly #options: ServingOptions;
  readonly #parts: ServingParts;
  readonly #outbox: Outbox;
  readonly #open = new Map<number, Served>();
  #highestId = 0;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(options: ServingOptions, parts: ServingParts) {
    this.#options = options;
    this.#parts = parts;
    this.#outbox = parts.outbox;
  }

  /** Undefined for a call that has ended: the caller may not know it yet. */
  streamsOf(id: number): CallStreams | undefined {
    expectThat(id <= this.#highestId || !this.#parts.isHostile, 'a stream of no call');
    return this.#open.get(id)?.streams;
  }

  hear(id: number, message: Received): void {
    if (message instanceof Uint8Array) throw new Breach('bytes that are no call');
    const { most, isHostile, checks } = this.#parts;
    if ('cancel' in message) {
      expectThat(id <= this.#highestId || !isHostile, 'a cancellation of no call');
      this.#open.get(id)?.controller.abort();
      return;
    }
    const { call: method, params } = message;
    expectThat(typeof method === 'string' && !this.#open.has(id), 'a message that is no call');
    expectThat(this.#options.serve !== undefined, 'a call of an end that may not call');
    expectThat(id > this.#highestId || !isHostile, 'a call with an id that was used');
    this.#highestId = Math.max(id, this.#highestId);
    const checked = checks.read(method, 'params', params);
    if (this.#open.size < most) void this.#serve(id, method, checked, this.#options.serve);
    else if (isHostile) throw new Breach('more calls than it may make at once');
    else this.#outbox.send(id, { fault: faultData(tooMany(most)) }, 'a fault');
  }

  cancelAll(): void {
    clearInterval(this.#heartbeat);
    for (const { controller, streams } of this.#open.values()) {
      controller.abort();
      streams.close();
    }
    this.#open.clear();
  }

  async #serve(
    id: number,
    method: string,
    params: unknown,
    serve: NonNullable<ServingOptions['serve']>,
  ): Promise<void> {
    const streams = new CallStreams(id, (write) => this.#outbox.post(id, 0, write));
    const controller = new AbortController();
    this.#open.set(id, { streams, controller });
    const { heartbeatMs } = this.#options;
    if (heartbeatMs !== undefined) this.#heartbeat ??= setInterval(() => this.#beat(), heartbeatMs);
    try {
      const result = await serve({
        method,
        params,
        streams,
        signal: controller.signal,
        ...this.#tools(id, controller),
      });
      this.#answer(id, method, result);
    } catch (error) {
      if (error instanceof Breach) return this.#parts.violated(error.message);
      const fault = error instanceof Fault ? error : new Fault('INTERNAL_ERROR', `unexpected ${messageOf(error)}`);
      this.#answer(id, method, fault);
    }
  }

  #answer(id: number, method: string, result: unknown): void {
    const isOpen = this.#open.has(id);
    if (!isOpen) return; // the channel has ended
    const what = `the answer to ${method}`;
    if (result instanceof Fault) this.#outbox.send(id, { fault: faultData(result) }, what);
    else if (result instanceof Uint8Array) this.#outbox.sendBytes(id, result, what);
    else this.#outbox.send(id, { result: result ?? null }, what);
    this.#open.get(id)?.streams.close();
    this.#open.delete(id);
    if (this.#open.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  #tools(id: number, { signal }: AbortController): Pick<IncomingCall, 'event' | 'log' | 'room'> {
    const outbox = this.#outbox;
    return {
      event: (event, lazy) => {
        if (!this.#open.has(id)) return;
        const send = (): void => outbox.send(id, { event }, 'an event');
        if (lazy === undefined) send();
        else outbox.sender.lazily(send);
      },
      log: (bytes) => {
        if (this.#open.has(id)) outbox.post(id, bytes.bytes.length, (sender) => sender.log(id, bytes));
      },
      room: () => (outbox.sender.waiting > FULL ? outbox.sender.drained(signal) : undefined),
    };
  }

  /** An end that has not read what was sent needs no further sign. */
  #beat(): void {
    if (this.#outbox.sender.waiting === 0) this.#outbox.send(0, { working: true }, 'a heartbeat');
  }
}

function tooMany(most: number): Fault {
  return new Fault('GATEWAY_BUSY', `there are ${most} requests of this client in work`, {
    hint: 'wait for answers before asking more',
  });
}
