import type { FromPage } from '../../wire/page.ts';
import type { SessionInfo } from '../../wire/session.ts';
import { CallError, type CallFault } from './calls.ts';
import type { OutputFrame } from './output-frame.ts';

/** Receives the output of a session. Each function may be called again after a reconnect, never twice for the same bytes. */
export interface OutputListener {
  /** When the promise settles, the bytes are shown, and the server may send as many more. */
  output(frame: OutputFrame): void | Promise<void>;
  gap(start: number, bytes: number): void;
  end(session: SessionInfo): void;
  /** The subscription was refused, or failed. */
  fail(error: CallError): void;
}

interface Subscription {
  readonly sessionId: string;
  readonly listener: OutputListener;
  /** The position after the last byte that was passed on. */
  position: number;
}

/** The output that this page follows. After a reconnect, each subscription continues where it stopped. */
export class Subscriptions {
  readonly #send: (message: FromPage) => void;
  readonly #open = new Map<number, Subscription>();

  constructor(send: (message: FromPage) => void) {
    this.#send = send;
  }

  add(id: number, sessionId: string, after: number, listener: OutputListener): void {
    this.#open.set(id, { sessionId, listener, position: after });
    this.#send({ type: 'follow', id, sessionId, after });
  }

  remove(id: number): void {
    if (this.#open.delete(id)) this.#send({ type: 'cancel', id });
  }

  /** On a new link, which knows none of them. */
  renew(): void {
    for (const [id, { sessionId, position }] of this.#open)
      this.#send({ type: 'follow', id, sessionId, after: position });
  }

  async output(frame: OutputFrame): Promise<void> {
    const open = this.#open.get(frame.id);
    if (open === undefined) return;
    const known = Math.max(0, open.position - frame.start);
    const { length } = frame.bytes;
    open.position = Math.max(open.position, frame.start + length);
    if (known < length)
      await open.listener.output({ ...frame, start: frame.start + known, bytes: frame.bytes.subarray(known) });
    if (this.#open.has(frame.id)) this.#send({ type: 'credit', id: frame.id, bytes: length });
  }

  gap(id: number, start: number, bytes: number): void {
    const open = this.#open.get(id);
    if (open === undefined || start + bytes <= open.position) return;
    open.position = start + bytes;
    open.listener.gap(start, bytes);
  }

  end(id: number, session: SessionInfo): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.listener.end(session);
  }

  /** Whether the id is one of a subscription. */
  fail(id: number, fault: CallFault): boolean {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.listener.fail(new CallError(fault));
    return open !== undefined;
  }
}
