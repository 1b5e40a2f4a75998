import { expect, it } from 'vitest';
import { waitingText } from '../../../src/page/state/notifications.ts';

it('says how many requests wait, and nothing about them', () => {
  expect([1, 3].map(waitingText)).toEqual(['1 request waits', '3 requests wait']);
});
