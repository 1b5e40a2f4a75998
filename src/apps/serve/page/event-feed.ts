/**
 * The notices and audit entries for all open pages. The numbers of the database are the truth: a page is a position in each stream,
 * and events that are no longer in memory are read again. So a slow page costs no memory.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../../base/message-of.ts';
import type { AuditEntry } from '../../../wire/approval.ts';
import type { Caller } from '../../../wire/exec.ts';
import type { Gateway, Methods } from '../../../wire/methods.ts';
import type { Notice } from '../../../wire/notice.ts';
import type { Positions, ToPage } from '../../../wire/page.ts';
import { ifKnown } from './if-known.ts';
import { MOST_MISSED } from './limits.ts';
import { emptyRecent, type FeedMessage, forget, keep, MOST_RECENT, type Recent } from './recent-events.ts';

export type Stream = 'notice' | 'audit';
export type EventRange = Methods['event.range']['result'];

export interface EventFeedOptions {
  readonly gateway: () => Promise<Gateway>;
  /** Sees the sessions of all agents. */
  readonly caller: Caller;
  /** A login was used or revoked, or events may have been missed. */
  readonly onLogins: () => void;
  /** Another database: no position of a page means anything. */
  readonly onReplaced: () => void;
  readonly log: (text: string) => void;
}

const BATCH = 50;
const RETRY_MS = 250;

export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #listeners = new Set<() => void>();
  #recent: Record<Stream, Recent> | undefined;
  #range: EventRange | undefined;
  #following: AbortController | undefined;
  /** Why the last try failed. */
  #trouble: string | undefined;

  constructor(options: EventFeedOptions) {
    this.#options = options;
  }

  /** Calls the listener after new events; follows the gateway while there is one. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#following === undefined) {
      this.#following = new AbortController();
      void this.#follow(this.#following.signal);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#following?.abort();
      this.#following = undefined;
      this.#recent = undefined;
      this.#range = undefined;
    };
  }

  /** The stored numbers now. What they count is on disk, so that no number is given twice after a crash. */
  async range(): Promise<EventRange> {
    return (await this.#options.gateway()).call('event.range', {});
  }

  /** The next events after a number; `reset` where some are gone, or too many. */
  async after(stream: Stream, seq: number): Promise<readonly FeedMessage[] | 'reset'> {
    const [recent, range] = [this.#recent?.[stream], this.#range];
    if (recent === undefined || range === undefined || seq >= recent.last) return [];
    if (!isKept(range[stream], seq)) return 'reset';
    const [first] = recent.messages;
    if (first !== undefined && first.seq <= seq + 1) return recent.messages.filter((each) => each.seq > seq);
    const read = await this.#read(await this.#options.gateway(), stream, seq, BATCH, recent.last);
    return read.messages;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const attempt = new AbortController();
      const stop = AbortSignal.any([signal, attempt.signal]);
      try {
        await this.#followOnce(await this.#options.gateway(), stop);
      } catch (error) {
        if (!signal.aborted) this.#logOnce(messageOf(error));
      } finally {
        attempt.abort();
      }
      if (!signal.aborted) await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** A gateway that does not answer is tried several times a second. */
  #logOnce(trouble: string): void {
    if (trouble !== this.#trouble) this.#options.log(`control page: cannot read events: ${trouble}`);
    this.#trouble = trouble;
  }

  async #followOnce(gateway: Gateway, signal: AbortSignal): Promise<void> {
    let isReading = false;
    let isStale = false;
    let fail: (error: unknown) => void = () => undefined;
    const failed = new Promise<never>((_, reject) => (fail = reject));
    const changed = (): void => {
      isStale = true;
      if (isReading) return;
      isReading = true;
      const readAll = async (): Promise<void> => {
        while (isStale && !signal.aborted) {
          isStale = false;
          await this.#readNew(gateway, signal);
        }
      };
      readAll()
        .finally(() => (isReading = false))
        .catch(fail);
    };
    await this.#readNew(gateway, signal);
    this.#trouble = undefined;
    this.#options.onLogins(); // what happened before
    const { notice, audit } = this.#range!;
    await Promise.race([
      gateway.notices({ after: notice.last }, changed, signal),
      gateway.auditEntries({ after: audit.last }, changed, signal),
      failed,
    ]);
  }

  /** Reads what is stored since the last time. */
  async #readNew(gateway: Gateway, signal: AbortSignal): Promise<void> {
    const range = await gateway.call('event.range', {});
    if (signal.aborted) return;
    if (this.#range !== undefined && this.#range.store !== range.store) {
      this.#recent = undefined;
      this.#options.onReplaced();
    }
    this.#range = range;
    if (this.#recent === undefined) {
      this.#recent = { notice: emptyRecent(range.notice.last), audit: emptyRecent(range.audit.last) };
      this.#notify(); // pages that resume may miss earlier events
    }
    for (const stream of ['notice', 'audit'] as const) {
      const recent = this.#recent[stream];
      const { last } = range[stream];
      if (last - recent.last > MOST_RECENT) {
        forget(recent, last - MOST_RECENT);
        this.#options.onLogins(); // the skipped entries may have ended one
      }
      while (recent.last < last) {
        const { messages, hasLogins, end } = await this.#read(gateway, stream, recent.last, BATCH, last);
        if (signal.aborted) return;
        for (const message of messages) keep(recent, message);
        recent.last = end;
        if (hasLogins) this.#options.onLogins();
        this.#notify();
      }
    }
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  async #read(gateway: Gateway, stream: Stream, after: number, limit: number, last: number) {
    const params = { after, limit };
    if (stream === 'notice') {
      const found = (await gateway.call('notice.list', params)).filter(({ seq }) => seq <= last);
      const messages = await Promise.all(found.map((notice) => this.#noticeMessage(gateway, notice)));
      return { messages, hasLogins: false, end: endOf(messages, limit, last) };
    }
    const found = (await gateway.call('audit.list', params)).filter(({ seq }) => seq <= last);
    const messages = await Promise.all(found.map((entry) => this.#auditMessage(gateway, entry)));
    return { messages, hasLogins: found.some(({ event }) => event === 'login'), end: endOf(messages, limit, last) };
  }

  async #noticeMessage(gateway: Gateway, notice: Notice): Promise<FeedMessage> {
    const { approvalId, sessionId } = notice;
    const [approval, session] = await Promise.all([
      approvalId === undefined ? undefined : ifKnown(gateway.call('approval.show', { id: approvalId })),
      this.#session(gateway, sessionId),
    ]);
    return message(notice.seq, {
      type: 'notice',
      notice,
      ...(approval === undefined ? {} : { approval }),
      ...(session === undefined ? {} : { session }),
    });
  }

  async #auditMessage(gateway: Gateway, entry: AuditEntry): Promise<FeedMessage> {
    const session = await this.#session(gateway, entry.sessionId);
    return message(entry.seq, { type: 'audit', entry, ...(session === undefined ? {} : { session }) });
  }

  #session(gateway: Gateway, sessionId: string | undefined) {
    const { caller } = this.#options;
    return sessionId === undefined
      ? undefined
      : ifKnown(gateway.call('session.wait', { caller, sessionId, waitMs: 0 }));
  }
}

/** Whether a page that has these positions can continue without loading its lists again. */
export function canResume(range: EventRange, after: Positions | undefined): after is Positions {
  return after?.store === range.store && isKept(range.notice, after.notice) && isKept(range.audit, after.audit);
}

function isKept({ first, last }: EventRange['notice'], seq: number): boolean {
  return seq >= first - 1 && seq <= last && last - seq <= MOST_MISSED;
}

function message(seq: number, value: ToPage): FeedMessage {
  return { seq, text: JSON.stringify(value) };
}

/** A full batch ends with its last event; a shorter one has all up to `last`. */
function endOf(messages: readonly FeedMessage[], limit: number, last: number): number {
  return messages.length < limit ? last : messages.at(-1)!.seq;
}
