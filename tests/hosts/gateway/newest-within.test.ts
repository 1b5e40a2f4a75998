import { expect, it } from 'vitest';
import { newestWithin, sharedApprovals, type ApprovalHandlers } from '../../../src/hosts/gateway/shared-approvals.ts';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';

const asked = (createdAt: number, length: number): ApprovalInfo =>
  ({ createdAt, binding: { command: 'x'.repeat(length) }, judgement: { code: 'shell' } }) as unknown as ApprovalInfo;
const times = (approvals: readonly ApprovalInfo[]): readonly number[] => approvals.map(({ createdAt }) => createdAt);

it.each([
  ['all where they fit', 4_000, [1, 2, 3]],
  ['the newest ones', 2_500, [2, 3]],
  ['one, however long it is', 10, [3]],
])('lists %s, in the order of the list', (_, maxBytes, expected) => {
  const oldestFirst = [asked(1, 1_000), asked(2, 1_000), asked(3, 1_000)];
  expect(times(newestWithin(oldestFirst, maxBytes))).toEqual(expected);
  expect(times(newestWithin(oldestFirst.toReversed(), maxBytes))).toEqual(expected.toReversed());
});

it('lets agents take turns, so that long commands of one hide no request of another', () => {
  const quiet = { ...asked(1, 100), binding: { agent: 'quiet', command: 'git push' } } as unknown as ApprovalInfo;
  const loud = Array.from({ length: 9 }, (_, i) => ({ ...asked(i + 2, 1_000) }));
  expect(times(newestWithin([quiet, ...loud], 3_400))).toEqual([1, 8, 9, 10]);
});

it.each([
  ['pending' as const, [2, 3, 4]],
  ['all' as const, [4, 3, 2]],
])('%s: lists the newest of all gateways, however many there are here', async (state, expected) => {
  const own = [asked(1, 1), asked(2, 1), asked(4, 1)];
  const list = () => (state === 'pending' ? own : own.toReversed());
  const handlers = { 'approval.list': list } as unknown as ApprovalHandlers;
  const inbox = { remote: () => [asked(3, 1)], answer: () => Promise.reject() };
  const onNodes = { isListed: () => true, extendOther: async () => undefined, resolveOther: async () => undefined };
  const shared = sharedApprovals({ handlers, find: () => 'unknown' }, () => inbox, onNodes);
  expect(times(await shared['approval.list']({ state, limit: 3 }))).toEqual(expected);
});
