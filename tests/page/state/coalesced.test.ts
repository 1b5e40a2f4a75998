import { expect, it } from 'vitest';
import { coalesced } from '../../../src/page/state/coalesced.ts';
import { eventLoopTurns } from '../../support/patience.ts';

/** A load that the test finishes. */
function givenLoad() {
  const open: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const load = coalesced(() => new Promise<void>((resolve, reject) => void open.push({ resolve, reject })));
  return { open, load };
}

it('a burst of calls is one load at once, and one after it for all of them', async () => {
  const { open, load } = givenLoad();
  const first = load();
  const others = Array.from({ length: 40 }, load);
  expect(open.length).toBe(1);
  open[0]!.resolve();
  await first;
  await eventLoopTurns();
  expect(open.length).toBe(2);
  open[1]!.resolve();
  await Promise.all(others);
  void load();
  expect(open.length).toBe(3);
});

it('a failed load fails for its own callers only', async () => {
  const { open, load } = givenLoad();
  const first = load();
  const second = load();
  open[0]!.reject(new Error('no link'));
  await expect(first).rejects.toThrow('no link');
  await eventLoopTurns();
  open[1]!.resolve();
  await second;
});
