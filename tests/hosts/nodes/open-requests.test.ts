import { expect, it, onTestFinished, vi } from 'vitest';
import { createOpenRequests } from '../../../src/hosts/nodes/open-requests.ts';
import type { NodeLinks } from '../../../src/hosts/nodes/node-links.ts';
import type { NodeRequests } from '../../../src/hosts/nodes/node-requests.ts';

const HOUR_MS = 3_600_000;

it('tries again to report lost requests after the database has failed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const request = { key: 'k', state: 'sent', sentAt: 0, node: { id: 'a', name: 'mac' } };
  const troubles: unknown[] = [];
  const reported: unknown[] = [];
  let isFull = true;
  const resolver = createOpenRequests({
    links: { current: () => undefined } as unknown as NodeLinks,
    requests: { list: () => [request] } as unknown as NodeRequests,
    now: () => 48 * HOUR_MS,
    answerMs: 1,
    lostAfterMs: 24 * HOUR_MS,
    retryMs: 1,
    isAwaited: () => false,
    adopt: () => Promise.resolve(),
    report: async (_, outcome) => {
      if (isFull) throw new Error('the disk is full');
      reported.push(outcome);
    },
    onTrouble: (error) => troubles.push(error),
  });
  onTestFinished(() => resolver.close());
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect([troubles, reported]).toEqual([[new Error('the disk is full')], []]);
  isFull = false;
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(reported).toEqual([{ kind: 'lost', why: 'node mac did not reconnect' }]);
});
