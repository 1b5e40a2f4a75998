/** Sends the events of both streams to one page: each once, in order, as fast as the page reads. */
import type { Positions } from '../../../wire/page.ts';
import type { EventFeed, Stream } from './event-feed.ts';
import { MOST_UNSENT } from './limits.ts';
import type { PageSending } from './page-sending.ts';

export interface EventSenderOptions {
  readonly feed: EventFeed;
  readonly sending: PageSending;
  /** The page has the events up to these. */
  readonly positions: Positions;
  /** The page is closed. */
  readonly signal: AbortSignal;
  /** The database is another one. */
  readonly onReplaced: () => void;
}

/** Resolves when the page is closed, or the database is another one. */
export async function sendEvents(options: EventSenderOptions): Promise<void> {
  const { feed, sending, signal, onReplaced } = options;
  const at: { -readonly [K in keyof Positions]: Positions[K] } = { ...options.positions };
  let isReplaced = false;
  const wakers = new Set<() => void>();
  const wakeAll = (): void => {
    for (const wake of wakers) wake();
  };
  const stopListening = feed.listen(wakeAll);
  signal.addEventListener('abort', wakeAll);
  try {
    await Promise.all([run('notice'), run('audit')]);
  } finally {
    stopListening();
  }

  async function run(stream: Stream): Promise<void> {
    let hasNews = true;
    let wake: () => void = () => undefined;
    wakers.add(() => {
      hasNews = true;
      wake();
    });
    while (!signal.aborted && !isReplaced) {
      await sending.room();
      hasNews = false;
      const isDone = await sendNext(stream);
      if (isDone && !hasNews && !signal.aborted && !isReplaced) await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  /** Resolves to whether the page has all events. */
  async function sendNext(stream: Stream): Promise<boolean> {
    const found = await feed.after(stream, at[stream]);
    if (found === 'reset') {
      await reset();
      return false;
    }
    for (const { seq, text } of found) {
      if (signal.aborted) return true;
      if (seq <= at[stream]) continue; // a reset has passed it
      sending.text(text);
      at[stream] = seq;
      if (sending.unsent > MOST_UNSENT) return false;
    }
    return found.length === 0;
  }

  async function reset(): Promise<void> {
    const { store, notice, audit } = await feed.range();
    if (store !== at.store) {
      isReplaced = true; // the socket may take long to close, and no position means anything
      wakeAll();
      onReplaced();
      return;
    }
    Object.assign(at, { notice: notice.last, audit: audit.last });
    sending.message({ type: 'reset', positions: { ...at } });
  }
}
