/** The calls that the other end of a channel makes. */
import { Fault, faultData } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { ProtocolViolation, expectThat } from './protocol-violation.ts';
import type { MethodChecks } from './method-checks.ts';
import { CallStreams } from './call-streams.ts';
import type { LogBytes } from './frames.ts';
import type { Received } from './inbox.ts';
import type { Outbox } from './outbox.ts';

export interface IncomingCall {
  readonly method: string;
  readonly params: unknown;
  /** Fires when the caller cancels, and when the channel ends. */
  readonly signal: AbortSignal;
  readonly streams: CallStreams;
  /** `lazy`: it may wait a millisecond, to leave with what follows. */
  readonly event: (value: unknown, lazy?: 'lazy') => void;
  /** The bytes must not change until they are sent. `sent` is not called when the channel ends before. */
  readonly log: (bytes: LogBytes, sent?: () => void) => void;
  /** Undefined while there is room for more of a log. Otherwise resolves when there is, or when the signal fires. */
  readonly room: () => Promise<void> | undefined;
}

export interface ServingOptions {
  /**
   * Answers a call with JSON or bytes, or throws a Fault. It opens incoming streams before the caller can write to them.
   * Default: the other end may not call.
   */
  readonly serve?: (call: IncomingCall) => Promise<unknown>;
  /** Time between heartbeats while a call is open. Default: none. */
  readonly heartbeatMs?: number;
}

/** A call that is not answered. Most calls never ask for their signal, so it is made when it is needed. */
class Served {
  readonly streams: CallStreams;
  #controller: AbortController | undefined;
  #isCancelled = false;

  constructor(streams: CallStreams) {
    this.streams = streams;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isCancelled) this.#controller.abort();
    return this.#controller.signal;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#controller?.abort();
  }
}

/** Above this number of bytes, a log waits for its reader. */
const FULL = 4 * 1024 * 1024;

interface ServingParts {
  readonly outbox: Outbox;
  readonly checks: MethodChecks;
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

  /** Undefined for a call that was answered: the caller may not know yet. */
  streamsOf(id: number): CallStreams | undefined {
    expectThat(id <= this.#highestId || !this.#parts.isHostile, 'a stream of an unknown call');
    return this.#open.get(id)?.streams;
  }

  receive(id: number, message: Received): void {
    if (message instanceof Uint8Array) throw new ProtocolViolation('bytes instead of a call');
    const { most, isHostile, checks } = this.#parts;
    if ('cancel' in message) {
      expectThat(id <= this.#highestId || !isHostile, 'a cancellation of an unknown call');
      this.#open.get(id)?.cancel();
      return;
    }
    const { call: method, params } = message;
    expectThat(typeof method === 'string' && !this.#open.has(id), 'a message that is not a call');
    expectThat(this.#options.serve !== undefined, 'a call, which this end does not accept');
    expectThat(id > this.#highestId || !isHostile, 'a call with an id that was used before');
    this.#highestId = Math.max(id, this.#highestId);
    const checked = checks.readParams(method, params);
    if (checked instanceof Fault) this.#outbox.send(id, { fault: faultData(checked) }, 'a fault');
    else if (this.#open.size < most) void this.#serve(id, method, checked.params, this.#options.serve);
    else if (isHostile) throw new ProtocolViolation('too many calls at the same time');
    else this.#outbox.send(id, { fault: faultData(tooMany(most)) }, 'a fault');
  }

  cancelAll(): void {
    clearInterval(this.#heartbeat);
    for (const served of this.#open.values()) {
      served.cancel();
      served.streams.close();
    }
    this.#open.clear();
  }

  async #serve(
    id: number,
    method: string,
    params: unknown,
    serve: NonNullable<ServingOptions['serve']>,
  ): Promise<void> {
    const served = new Served(new CallStreams(id, (write) => this.#outbox.post(id, 0, write)));
    this.#open.set(id, served);
    const { heartbeatMs } = this.#options;
    if (heartbeatMs !== undefined) this.#heartbeat ??= setInterval(() => this.#beat(), heartbeatMs);
    try {
      this.#answer(id, method, await serve(this.#incomingCall(id, method, params, served)));
    } catch (error) {
      if (error instanceof ProtocolViolation) return this.#parts.violated(error.message);
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

  #incomingCall(id: number, method: string, params: unknown, served: Served): IncomingCall {
    const outbox = this.#outbox;
    return {
      method,
      params,
      streams: served.streams,
      get signal() {
        return served.signal;
      },
      event: (event, lazy) => {
        if (!this.#open.has(id)) return;
        const send = (): void => outbox.send(id, { event }, 'an event');
        if (lazy === undefined) send();
        else outbox.sender.lazily(send);
      },
      log: (bytes, sent) => {
        if (this.#open.has(id)) outbox.post(id, bytes.bytes.length, (sender) => sender.log(id, bytes, sent));
      },
      room: () => (outbox.sender.waiting > FULL ? outbox.sender.drained(served.signal) : undefined),
    };
  }

  /** Not while something waits to be read: that is a sign of life already. */
  #beat(): void {
    if (this.#outbox.sender.waiting === 0) this.#outbox.send(0, { working: true }, 'a heartbeat');
  }
}

function tooMany(most: number): Fault {
  return new Fault('GATEWAY_BUSY', `this client has ${most} unanswered requests`, {
    hint: 'wait for answers before sending more requests',
  });
}
