import { expect, it } from 'vitest';
import { limited } from '../../../src/page/state/limited.ts';
import { eventLoopTurns } from '../../support/patience.ts';

it('runs no more than its number at a time, all of them in order, also after a failure', async () => {
  const inTurn = limited(2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const results = [0, 1, 2, 3].map((n) =>
    inTurn(async () => {
      started.push(n);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (n === 0) throw new Error('failed');
      return n;
    }),
  );
  const settled = Promise.allSettled(results);
  await eventLoopTurns();
  expect(started).toEqual([0, 1]);
  for (let at = 0; at < 4; at++) {
    ends[at]!();
    await eventLoopTurns();
    expect(started.length).toBe(Math.min(4, at + 3));
  }
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
});
