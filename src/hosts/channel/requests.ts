/** The calls that this end of a channel makes. */
import { plainText } from '../../wire/schema.ts';
import type { FaultCode } from '../../base/fault.ts';
import { type FaultData, faultFrom } from '../../wire/message.ts';
import { ProtocolViolation, expectThat } from './protocol-violation.ts';
import type { MethodChecks } from './method-checks.ts';
import { CallStreams } from './call-streams.ts';
import type { LogBytes } from './frames.ts';
import type { Received } from './inbox.ts';
import type { Outbox } from './outbox.ts';

export interface OutgoingCall {
  /** Sends a cancellation when it fires. The call still ends with its answer. */
  readonly signal?: AbortSignal | undefined;
  /** Receives a function that does the same. For calls that last and are many: a signal has a kilobyte of memory. */
  readonly canceller?: (cancel: () => void) => void;
  /** An error that a listener throws ends only its own call. */
  readonly event?: (value: unknown) => void;
  readonly log?: (bytes: LogBytes) => void;
  /** Reads the result before the call ends: a protocol violation in it ends the channel, and the call with it. */
  readonly accept?: (result: unknown) => unknown;
  /** Opens the streams of the call. */
  readonly streams?: (streams: CallStreams) => void;
}

interface Request {
  readonly event: OutgoingCall['event'] | undefined;
  readonly log: OutgoingCall['log'] | undefined;
  readonly accept: OutgoingCall['accept'] | undefined;
  readonly method: string;
  readonly streams: CallStreams;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Its listener threw an error: the rest is ignored. */
  isAbandoned: boolean;
}

const CODE = /^[A-Z][A-Z0-9_]{1,63}$/u;
const LONGEST_SENTENCE = 4096;

export class Requests {
  readonly #outbox: Outbox;
  readonly #isTrusted: boolean;
  readonly #checks: MethodChecks;
  readonly #open = new Map<number, Request>();

  constructor(outbox: Outbox, isTrusted: boolean, checks: MethodChecks) {
    this.#outbox = outbox;
    this.#isTrusted = isTrusted;
    this.#checks = checks;
  }

  call(id: number, method: string, params: unknown, options: OutgoingCall): Promise<unknown> {
    const { signal, canceller, streams: openStreams, event, log, accept } = options;
    const streams = new CallStreams(id, (write) => this.#outbox.post(id, 0, write));
    const cancel = (): void => this.#cancel(id);
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#open.set(id, { event, log, accept, method, streams, resolve, reject, isAbandoned: false });
      try {
        this.#outbox.sendCall(id, { call: method, params }, `the request ${method}`);
      } catch (error) {
        this.#open.delete(id);
        return reject(error);
      }
      openStreams?.(streams);
      canceller?.(cancel);
      if (signal?.aborted === true) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
    });
    return signal === undefined ? answer : answer.finally(() => signal.removeEventListener('abort', cancel));
  }

  has(id: number): boolean {
    return this.#open.has(id);
  }

  deliver(id: number, work: (request: Request) => void): void {
    const request = this.#find(id);
    if (request.isAbandoned) return;
    try {
      work(request);
    } catch (error) {
      if (error instanceof ProtocolViolation) throw error;
      request.isAbandoned = true;
      this.#cancel(id);
      request.reject(error);
    }
  }

  receive(id: number, message: Received): void {
    if (message instanceof Uint8Array) this.#answer(id, message);
    else if ('event' in message)
      this.deliver(id, ({ method, event }) => {
        const value = this.#checks.read(method, 'event', message['event']);
        event?.(value);
      });
    else if ('result' in message) this.#answer(id, message['result']);
    else if ('fault' in message) {
      expectThat(!this.#checks.isStrict, 'a fault');
      const fault = faultFrom(this.#isTrusted ? (message['fault'] as FaultData) : checkedFault(message['fault']));
      this.#end(id, ({ reject }) => reject(fault));
    } else throw new ProtocolViolation('an unknown message');
  }

  loseAll(error: () => Error): void {
    for (const { reject, streams } of this.#open.values()) {
      reject(error());
      streams.close();
    }
    this.#open.clear();
  }

  #answer(id: number, value: unknown): void {
    const request = this.#find(id);
    const checked = this.#checks.read(request.method, 'result', value);
    const result = request.accept === undefined ? checked : request.accept(checked);
    this.#end(id, ({ resolve }) => resolve(result));
  }

  #find(id: number): Request {
    const request = this.#open.get(id);
    expectThat(request !== undefined, 'an answer to an unknown call');
    return request;
  }

  #end(id: number, settle: (request: Request) => void): void {
    const request = this.#find(id);
    this.#open.delete(id);
    try {
      if (!request.isAbandoned) request.streams.end();
      settle(request);
    } catch (error) {
      request.reject(error); // a listener of its streams threw
    }
  }

  #cancel(id: number): void {
    if (this.#open.has(id)) this.#outbox.send(id, { cancel: true }, 'a cancellation');
  }
}

/** What another machine can mean: its commands, files, tools, settings, and calls. The rest says something about this machine. */
const MEANT_BY_OTHERS =
  /^(?:(?:APPROVAL|CHANGE|CONFIG|EDIT|EXEC|FS|INTERNAL|NODE|OC|PARAM|PATCH|POLICY|READ|SANDBOX|TOOL)_|GATEWAY_(?:BAD_REQUEST|BUSY|TOO_LARGE|UNKNOWN_METHOD)$)/u;

/** A fault of an end that is not trusted. Its texts are shown to people and must not control a terminal. */
function checkedFault(value: unknown): FaultData {
  expectThat(typeof value === 'object' && value !== null, 'a fault that is not an object');
  const { code, message, hint } = value as Readonly<Record<string, unknown>>;
  expectThat(typeof code === 'string' && CODE.test(code), 'a fault without a valid code');
  return {
    code: MEANT_BY_OTHERS.test(code) ? (code as FaultCode) : 'INTERNAL_ERROR',
    message: sentence(message),
    ...(hint === undefined ? {} : { hint: sentence(hint) }),
  };
}

function sentence(value: unknown): string {
  expectThat(typeof value === 'string' && value.length <= LONGEST_SENTENCE, 'a fault without a valid text');
  return plainText(value);
}
