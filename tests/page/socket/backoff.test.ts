import { expect, it } from 'vitest';
import { backoffMs } from '../../../src/page/socket/backoff.ts';

it('doubles from half a second to eight', () => {
  expect([0, 1, 2, 3, 4, 5, 50].map((attempt) => backoffMs(attempt, 0.5))).toEqual([
    500, 1000, 2000, 4000, 8000, 8000, 8000,
  ]);
});

it('spreads each step by a quarter to both sides', () => {
  expect([backoffMs(1, 0), backoffMs(1, 1)]).toEqual([750, 1250]);
});
