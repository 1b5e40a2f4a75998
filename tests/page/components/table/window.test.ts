import { expect, it } from 'vitest';
import { rowWindow } from '../../../../src/page/components/table/window.ts';
import { fc } from '../../../support/property.ts';

it('has the rows in view and a few around', () => {
  expect(rowWindow(5_000, 34, 3_400, 680)).toEqual({ first: 92, end: 128 });
});

it('covers the view, and stays within the list', () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.nat(400_000), fc.nat(2_000), (count, top, height) => {
      const { first, end } = rowWindow(count, 34, top, height);
      expect(first).toBeGreaterThanOrEqual(0);
      expect(end).toBeLessThanOrEqual(Math.max(first, count));
      const lastSeen = Math.min(count, Math.ceil((top + height) / 34));
      if (top < count * 34) expect([first <= Math.floor(top / 34), end >= lastSeen]).toEqual([true, true]);
    }),
  );
});
