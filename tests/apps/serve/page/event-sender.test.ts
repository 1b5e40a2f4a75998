import { expect, it } from 'vitest';
import type { EventFeed } from '../../../../src/apps/serve/page/event-feed.ts';
import { sendEvents } from '../../../../src/apps/serve/page/event-sender.ts';
import { PageSending } from '../../../../src/apps/serve/page/page-sending.ts';

it('ends after the database was replaced, also while the socket takes long to close', async () => {
  let replaced = 0;
  const feed: Pick<EventFeed, 'listen' | 'after' | 'range'> = {
    listen: () => () => undefined,
    after: async (stream) => (stream === 'audit' ? 'reset' : []),
    range: async () => ({ store: 'new', notice: { first: 1, last: 0 }, audit: { first: 1, last: 0 } }),
  };
  const socket = { OPEN: 1, readyState: 2, bufferedAmount: 0 };
  const never = new AbortController();
  await sendEvents({
    feed: feed as EventFeed,
    sending: new PageSending(socket as never),
    positions: { store: 'old', notice: 5, audit: 5 },
    signal: never.signal,
    onReplaced: () => {
      replaced++;
      if (replaced > 100) throw new Error('it goes round and round');
    },
  });
  expect(replaced).toBe(1);
});
