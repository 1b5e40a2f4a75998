/** When answers wait: the shown request changes, and the person did not move to it. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { approvalExample } from '../../approval-example.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  vi.stubGlobal('history', { pushState: () => undefined, replaceState: () => undefined });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const [ONE, TWO] = ['aaaaaaaa', 'bbbbbbbb'].map((slug, i) =>
  approvalExample(slug, { digest: slug.repeat(8), expiresAt: 1_000 + i }),
) as [ReturnType<typeof approvalExample>, ReturnType<typeof approvalExample>];

/** Modules of its own, with the first request shown and armed. */
async function openInbox() {
  vi.resetModules();
  const { approvals, withApproval } = await import('../../../../src/page/state/approvals.ts');
  const { navigate } = await import('../../../../src/page/router.ts');
  const selection = await import('../../../../src/page/screens/approvals/selection.ts');
  selection.followInbox();
  const arrive = (approval: typeof ONE): void => {
    approvals.value = withApproval(approvals.peek(), approval);
  };
  for (const approval of [ONE, TWO]) arrive(approval);
  expect([selection.shown.value?.id, selection.arming.isArmed()]).toEqual([ONE.id, false]);
  vi.advanceTimersByTime(600);
  expect(selection.arming.isArmed()).toBe(true);
  return { ...selection, arrive, navigate };
}

it('not when the person moves in the list', async () => {
  const { move, shown, arming } = await openInbox();
  move(1);
  expect([shown.value?.id, arming.isArmed()]).toEqual([TWO.id, true]);
});

it('not when a request arrives that is not shown', async () => {
  const { arrive, shown, arming } = await openInbox();
  arrive(approvalExample('cccccccc'));
  expect([shown.value?.id, arming.isArmed()]).toEqual([ONE.id, true]);
});

it('when the next one is shown after an answer', async () => {
  const { leave, shown, arming } = await openInbox();
  leave(ONE);
  expect([shown.value?.id, arming.isArmed()]).toEqual([TWO.id, false]);
});

it('when the shown one has another content', async () => {
  const { arrive, shown, arming } = await openInbox();
  arrive({ ...ONE, digest: 'c'.repeat(64) });
  expect([shown.value?.id, arming.isArmed()]).toEqual([ONE.id, false]);
});

it('not when only its expiry is another one', async () => {
  const { arrive, arming } = await openInbox();
  arrive({ ...ONE, expiresAt: ONE.expiresAt + 5 });
  expect(arming.isArmed()).toBe(true);
});

it('when an address names another one', async () => {
  const { navigate, shown, arming } = await openInbox();
  navigate(`/approvals/${TWO.slug}`);
  expect([shown.value?.id, arming.isArmed()]).toEqual([TWO.id, false]);
});

it('when the one that an address names arrives later', async () => {
  const { navigate, arrive, arming } = await openInbox();
  navigate('/approvals/cccccccc');
  expect(arming.isArmed()).toBe(true);
  arrive(approvalExample('cccccccc'));
  expect(arming.isArmed()).toBe(false);
});
