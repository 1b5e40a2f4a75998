import { expect, it } from 'vitest';
import { hasTooManyNewKeys, MOST_NEW_KEYS } from '../../../src/hosts/nodes/new-keys.ts';

const DAY_MS = 86_400_000;

it('counts the new keys of a day, and none of a later day after the clock was set back', () => {
  const keys = Array.from({ length: MOST_NEW_KEYS }, (_, i) => ({ key: '', number: i + 1, endedAt: 2 * DAY_MS }));
  const isFull = [0, DAY_MS - 1, DAY_MS, -DAY_MS].map((later) => hasTooManyNewKeys(keys, 2 * DAY_MS + later));
  expect(isFull).toEqual([true, true, false, false]);
  expect(hasTooManyNewKeys(keys.slice(1), 2 * DAY_MS)).toBe(false);
});
