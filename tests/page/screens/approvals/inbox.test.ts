import { describe, expect, it } from 'vitest';
import {
  afterRemoval,
  EMPTY_INBOX,
  hasId,
  inboxItems,
  neighbour,
  nextInbox,
} from '../../../../src/page/screens/approvals/inbox.ts';
import { type Approvals, withApproval } from '../../../../src/page/state/approvals.ts';
import type { ApprovalInfo } from '../../../../src/wire/approval.ts';
import { approvalExample } from '../../approval-example.ts';

const NOBODY: ReadonlySet<string> = new Set();
const first = approvalExample('aaaaaaaa', { expiresAt: 10 });
const second = approvalExample('bbbbbbbb', { expiresAt: 20 });
const third = approvalExample('cccccccc', { expiresAt: 30 });
const all = [first, second, third].reduce<Approvals>(withApproval, new Map());
const denied: ApprovalInfo = { ...second, state: 'denied', decision: 'deny', resolvedBy: 'page:operator-2' };
const slugs = (items: readonly ApprovalInfo[]) => items.map(({ slug }) => slug);

describe('the inbox', () => {
  const inbox = nextInbox(EMPTY_INBOX, all, NOBODY);

  it('has what waits, the first to expire first', () => {
    expect(slugs(inboxItems(inbox, all, ''))).toEqual(['aaaaaaaa', 'bbbbbbbb', 'cccccccc']);
  });

  it('keeps what is answered elsewhere in its place', () => {
    const known = withApproval(all, denied);
    expect(slugs(inboxItems(nextInbox(inbox, known, NOBODY), known, ''))).toEqual(['aaaaaaaa', 'bbbbbbbb', 'cccccccc']);
  });

  it('drops what this page has answered', () => {
    const known = withApproval(all, denied);
    const next = nextInbox(inbox, known, new Set([second.id]));
    expect(slugs(inboxItems(next, known, ''))).toEqual(['aaaaaaaa', 'cccccccc']);
  });

  it('does not show what was answered before it was seen', () => {
    const known = withApproval(all, denied);
    expect(slugs(inboxItems(nextInbox(EMPTY_INBOX, known, NOBODY), known, ''))).toEqual(['aaaaaaaa', 'cccccccc']);
  });

  it('finds all words, in commands, agents and folders', () => {
    expect(slugs(inboxItems(inbox, all, 'PUSH main'))).toHaveLength(3);
    expect(slugs(inboxItems(inbox, all, 'push other'))).toEqual([]);
    expect(slugs(inboxItems(inbox, all, 'cccc'))).toEqual(['cccccccc']);
  });
});

describe('the selection', () => {
  const items = [first, second, third];

  it.each([
    ['the next one', first, 1, second],
    ['the previous one', second, -1, first],
    ['no further than the end', third, 1, third],
    ['the first one where nothing is selected', undefined, 1, first],
  ] as const)('moves to %s', (_, shown, step, next) => {
    expect(neighbour(items, shown, step)).toBe(next);
  });

  it.each([
    ['the item after it', second, third],
    ['the last item, after the end', third, second],
  ])('moves on to %s when an item was answered', (_, answered, next) => {
    expect(afterRemoval(items, answered)).toBe(next);
  });

  it('moves on to nothing that was answered elsewhere', () => {
    expect(afterRemoval([first, denied], first)).toBeUndefined();
  });

  it('is named by the whole id or by its first eight characters', () => {
    expect([hasId(first, 'aaaaaaaa'), hasId(first, first.id), hasId(first, 'aaaa')]).toEqual([true, true, false]);
  });
});
