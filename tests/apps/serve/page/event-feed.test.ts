import { expect, it } from 'vitest';
import { EventFeed } from '../../../../src/apps/serve/page/event-feed.ts';
import { until } from '../../../support/patience.ts';

it('checks the logins after it skipped audit entries, which may have ended one', async () => {
  const range = { store: 's', notice: { first: 1, last: 0 }, audit: { first: 1, last: 10 } };
  let changed: () => void = () => undefined;
  let checks = 0;
  const gateway = {
    async call(method: string, { after }: { after: number }) {
      if (method === 'event.range') return structuredClone(range);
      // None of the entries that are read is about a login.
      const count = Math.min(50, range.audit.last - after);
      return Array.from({ length: count }, (_, i) => ({ seq: after + 1 + i, event: 'judged' }));
    },
    notices: () => new Promise(() => {}),
    auditEntries: (_: unknown, listener: () => void) => {
      changed = listener;
      return new Promise(() => {});
    },
  };
  const feed = new EventFeed({
    gateway: async () => gateway as never,
    caller: { agent: 'main', operator: true },
    onLogins: () => checks++,
    onReplaced: () => undefined,
    log: (text) => {
      throw new Error(text);
    },
  });
  const stop = feed.listen(() => undefined);
  await until(() => checks === 1, 'the first check');
  range.audit.last = 500;
  changed();
  await until(async () => (await feed.after('audit', 499)).length === 1, 'the last entry');
  expect(checks).toBe(2);
  stop();
});

it('says once why it cannot read events, and not at each try', async () => {
  const logged: string[] = [];
  let tries = 0;
  const feed = new EventFeed({
    gateway: async () => {
      tries++;
      throw new Error('the disk failed');
    },
    caller: { agent: 'main', operator: true },
    onLogins: () => undefined,
    onReplaced: () => undefined,
    log: (text) => void logged.push(text),
  });
  const stop = feed.listen(() => undefined);
  await until(() => tries === 3, 'three tries');
  stop();
  expect(logged).toEqual(['control page: cannot read events: the disk failed']);
});
