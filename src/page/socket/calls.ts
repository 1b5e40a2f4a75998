import { METHODS, type Method, type Methods } from '../../wire/methods.ts';
import { PAGE_METHODS, type PageMethods } from '../../wire/methods/page-methods.ts';
import type { faultMessage } from '../../wire/page.ts';
import { check, type Infer } from '../../wire/schema.ts';

export type CallFault = Infer<typeof faultMessage>;

/**
 * A call that the server answered with a fault, or that the link lost. Its code is one of docs/errors.md, `PAGE_NO_LINK` (it was
 * not sent) or `PAGE_LINK_LOST` (it was sent, and may have been done).
 */
export class CallError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: unknown;

  constructor({ code, message, hint, details }: CallFault) {
    super(message);
    this.name = 'CallError';
    this.code = code;
    this.hint = hint;
    this.details = details;
  }
}

/** The link was lost, so the server has not refused anything. */
export function isLinkFault(error: unknown): boolean {
  return error instanceof CallError && (error.code === 'PAGE_NO_LINK' || error.code === 'PAGE_LINK_LOST');
}

/** What the server sets from the login and the connection. */
type FromLogin = 'caller' | 'by' | 'context' | 'folder' | 'typist';
/** For methods that act for an agent. Default: the agent of the server. */
type ForAgent<P> = P extends { caller: unknown } | { context: unknown } ? { readonly agent?: string } : unknown;
/** Default: the workspace of the server. */
type InFolder<P> = P extends { context: unknown }
  ? { readonly context?: { readonly folder: string } }
  : P extends { folder: string }
    ? { readonly folder?: string }
    : unknown;

/** The methods of the daemon, and those of the server of the page. */
export type CallMethod = Method | keyof PageMethods;

type DaemonParams<P> = Omit<P, FromLogin> & ForAgent<P> & InFolder<P>;

/** The parameters of a method, as a page sends them. */
export type PageParams<M extends CallMethod> = M extends keyof PageMethods
  ? PageMethods[M]['params']
  : M extends Method
    ? DaemonParams<Methods[M]['params']>
    : never;

export type PageResult<M extends CallMethod> = (Methods & PageMethods)[M]['result'];

const RESULTS = { ...METHODS, ...PAGE_METHODS };

interface Waiting {
  readonly method: CallMethod;
  readonly done: (value: never) => void;
  readonly failed: (error: CallError) => void;
}

/** The calls that wait for an answer, by their ids. */
export class Calls {
  readonly #waiting = new Map<number, Waiting>();

  add<M extends CallMethod>(id: number, method: M): Promise<PageResult<M>> {
    return new Promise((done, failed) => {
      this.#waiting.set(id, { method, done, failed });
    });
  }

  /** Checks the result against the shape of its method. */
  finish(id: number, value: unknown): void {
    const waiting = this.#take(id);
    if (waiting === undefined) return;
    try {
      waiting.done(check(RESULTS[waiting.method].result, value, waiting.method) as never);
    } catch (error) {
      waiting.failed(new CallError({ code: 'PAGE_ANSWER', message: (error as Error).message }));
    }
  }

  fail(id: number, fault: CallFault): void {
    this.#take(id)?.failed(new CallError(fault));
  }

  failAll(fault: CallFault): void {
    for (const id of this.#waiting.keys()) this.fail(id, fault);
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}
