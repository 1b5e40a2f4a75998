/** The calls and subscriptions of one page. */
import { Fault, faultData } from '../../../base/fault.ts';
import { stackOf } from '../../../base/message-of.ts';
import { type Login, loginAuthor } from '../../../wire/page/login.ts';
import type { Gateway } from '../../../wire/methods.ts';
import { Mismatch } from '../../../wire/mismatch.ts';
import { type FromPage, type ToPage, toPage } from '../../../wire/page.ts';
import { check } from '../../../wire/schema.ts';
import { ControlledSessions } from './methods/controlled-sessions.ts';
import {
  cancelled,
  needsOperator,
  ownDefect,
  tooLarge,
  tooManyCalls,
  tooManyFollowed,
  unknownMethod,
  unread,
} from './faults.ts';
import { LONGEST_RESULT, MOST_CALLS, MOST_FOLLOWED, MOST_UNSENT_EVER, MOST_UNSENT_RESULTS } from './limits.ts';
import { SessionOutput } from './output.ts';
import type { PageCall, PageMethod } from './methods/page-method.ts';
import type { PageSending } from './page-sending.ts';

export interface PageCallsOptions {
  readonly gateway: () => Promise<Gateway>;
  readonly methods: ReadonlyMap<string, PageMethod>;
  readonly served: Pick<PageCall, 'agent' | 'workspace' | 'environment'>;
  /** Writes the audit row of an action, if it has one. */
  readonly record: (method: PageMethod, params: unknown, call: PageCall) => Promise<void>;
  readonly log: (text: string) => void;
}

type CallMessage = Extract<FromPage, { type: 'call' }>;
type FollowMessage = Extract<FromPage, { type: 'follow' }>;

/** What the connection gives. */
interface ConnectionParts {
  readonly sending: PageSending;
  readonly login: Login;
  /** Logs the page out where its login no longer holds. */
  readonly hasLogin: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

export class PageCalls {
  readonly #options: PageCallsOptions;
  readonly #connection: ConnectionParts;
  readonly #open = new Map<number, AbortController>();
  readonly #outputs = new Map<number, SessionOutput>();
  readonly #controlled = new ControlledSessions();

  constructor(options: PageCallsOptions, connection: ConnectionParts) {
    this.#options = options;
    this.#connection = connection;
    connection.signal.addEventListener('abort', () => this.#releaseSessions());
  }

  isOpen(id: number): boolean {
    return this.#open.has(id);
  }

  call(message: CallMessage): void {
    this.#start(message.id, (signal) => this.#call(message, signal));
  }

  follow(message: FollowMessage): void {
    this.#start(message.id, (signal) => this.#follow(message, signal));
  }

  credit(id: number, bytes: number): void {
    this.#outputs.get(id)?.credit(bytes);
  }

  cancel(id: number): void {
    this.#open.get(id)?.abort();
  }

  #start(id: number, work: (signal: AbortSignal) => Promise<void>): void {
    const { sending, signal } = this.#connection;
    const fail = (fault: Fault): void => sending.message({ type: 'fault', id, fault: faultData(fault) });
    if (this.#open.size >= MOST_CALLS) {
      fail(tooManyCalls());
      return;
    }
    if (sending.unsent > MOST_UNSENT_RESULTS) {
      fail(unread());
      return;
    }
    const abort = new AbortController();
    this.#open.set(id, abort);
    const either = AbortSignal.any([abort.signal, signal]);
    work(either)
      .catch((error: unknown) => fail(either.aborted && isAbort(error) ? cancelled() : this.#faultOf(error)))
      .finally(() => this.#open.delete(id));
  }

  async #call({ id, method: name, params }: CallMessage, signal: AbortSignal): Promise<void> {
    const { login, sending, hasLogin } = this.#connection;
    const method = this.#options.methods.get(name);
    if (method === undefined) throw unknownMethod(name);
    if (!(await hasLogin())) return;
    if (signal.aborted) throw cancelled();
    if (method.role === 'operator' && login.role !== 'operator') throw needsOperator(name);
    const given = checkedParams(name, method, params);
    const gateway = await this.#options.gateway();
    const call: PageCall = {
      ...this.#options.served,
      gateway,
      login,
      by: loginAuthor(login),
      controlled: this.#controlled,
      signal,
    };
    await this.#options.record(method, given, call);
    // A page that is gone releases nothing that it takes from now on, such as the control of a session.
    if (signal.aborted) throw cancelled();
    const { text, bytes } = resultText(name, id, await method.run(given, call));
    if (sending.unsent + bytes > MOST_UNSENT_EVER) throw unread();
    sending.text(text);
  }

  async #follow({ id, sessionId, after }: FollowMessage, signal: AbortSignal): Promise<void> {
    if (!(await this.#connection.hasLogin())) return;
    if (signal.aborted) throw cancelled();
    if (this.#outputs.size >= MOST_FOLLOWED) throw tooManyFollowed(MOST_FOLLOWED);
    const output = new SessionOutput(id, this.#connection.sending);
    this.#outputs.set(id, output);
    signal.addEventListener('abort', () => output.end());
    try {
      const gateway = await this.#options.gateway();
      const caller = { agent: this.#options.served.agent, operator: true } as const;
      await gateway.follow(
        { caller, sessionId, after },
        (event, release) => (signal.aborted ? release?.() : output.event(event, release)),
        signal,
      );
    } finally {
      this.#outputs.delete(id);
    }
  }

  #releaseSessions(): void {
    const { gateway, served, log } = this.#options;
    const caller = { agent: served.agent, operator: true } as const;
    this.#controlled.release(gateway, caller, loginAuthor(this.#connection.login)).catch((error: unknown) => {
      log(`control page: cannot release sessions: ${stackOf(error)}`);
    });
  }

  #faultOf(error: unknown): Fault {
    if (error instanceof Fault) return error;
    if (!this.#connection.signal.aborted) this.#options.log(`control page: ${stackOf(error)}`);
    return ownDefect();
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** A page refuses messages with more values, and would take the server for one of another version. */
function resultText(name: string, id: number, value: unknown): { readonly text: string; readonly bytes: number } {
  const message: ToPage = { type: 'result', id, value: value ?? null };
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  if (bytes > LONGEST_RESULT) throw tooLarge(name);
  try {
    check(toPage, message, 'result');
    return { text, bytes };
  } catch (error) {
    throw error instanceof Mismatch ? tooLarge(name) : error;
  }
}

function checkedParams(name: string, method: PageMethod, params: unknown): unknown {
  try {
    return check(method.params, params, 'params');
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw new Fault('PARAM_INVALID', `${name}: ${error.message}`, { cause: error });
  }
}
