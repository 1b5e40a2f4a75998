import { describe, expect, it } from 'vitest';
import { byExpiry, withApproval, withList } from '../../../src/page/state/approvals.ts';
import { approvalExample } from '../approval-example.ts';

const states = (known: ReturnType<typeof withList>) => [...known.values()].map(({ slug, state }) => [slug, state]);

describe('the known approvals', () => {
  it('never let an answered one wait again, in whatever order news arrive', () => {
    const pending = approvalExample('aaaaaaaa');
    const answered = approvalExample('aaaaaaaa', { state: 'denied', resolvedAt: 5 });
    const known = withApproval(withApproval(new Map(), answered), pending);
    expect(states(known)).toEqual([['aaaaaaaa', 'denied']]);
    expect(states(withList(known, [pending]))).toEqual([['aaaaaaaa', 'denied']]);
  });

  it('lose what a new list does not have, and keep what was answered', () => {
    const known = [approvalExample('aaaaaaaa'), approvalExample('bbbbbbbb', { state: 'allowed' })].reduce(
      withApproval,
      new Map(),
    );
    expect(states(withList(known, [approvalExample('cccccccc')]))).toEqual([
      ['bbbbbbbb', 'allowed'],
      ['cccccccc', 'pending'],
    ]);
  });

  it('keep requests that arrived after the list was asked for', () => {
    const before = withApproval(new Map(), approvalExample('aaaaaaaa'));
    const extended = approvalExample('bbbbbbbb', { expiresAt: 9_000_000 });
    const known = [approvalExample('cccccccc'), extended].reduce(withApproval, before);
    const next = withList(known, [approvalExample('bbbbbbbb')], before);
    expect(states(next)).toEqual([
      ['cccccccc', 'pending'],
      ['bbbbbbbb', 'pending'],
    ]);
    expect(next.get(extended.id)).toBe(extended);
  });

  it('take the new end of an extended one', () => {
    const known = withApproval(withApproval(new Map(), approvalExample('aaaaaaaa')), {
      ...approvalExample('aaaaaaaa'),
      expiresAt: 9_000_000,
    });
    expect([...known.values()].map(({ expiresAt }) => expiresAt)).toEqual([9_000_000]);
  });

  it('forget old answers', () => {
    let known: ReadonlyMap<string, ReturnType<typeof approvalExample>> = new Map();
    for (let i = 0; i < 300; i++)
      known = withApproval(known, approvalExample(`x${i}`, { state: 'denied', resolvedAt: i }));
    expect(known.size).toBe(200);
    expect([...known.values()].some(({ slug }) => slug === 'x99')).toBe(false);
  });

  it('are sorted by their end', () => {
    const late = approvalExample('aaaaaaaa', { expiresAt: 2 });
    const soon = approvalExample('bbbbbbbb', { expiresAt: 1 });
    expect([late, soon].toSorted(byExpiry)).toEqual([soon, late]);
  });
});
