import { expect, it } from 'vitest';
import { closeAll } from '../../src/base/close-all.ts';
import { eventLoopTurns } from '../support/patience.ts';

it('runs each step after the one before, also after failures, and throws the first one', async () => {
  const done: string[] = [];
  const closed = closeAll([
    async () => {
      await eventLoopTurns();
      done.push('one');
    },
    () => Promise.reject(new Error('two')),
    () => {
      throw new Error('three');
    },
    () => done.push('four'),
  ]);
  await expect(closed).rejects.toThrow('two');
  expect(done).toEqual(['one', 'four']);
});
