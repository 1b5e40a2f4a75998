import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/hosts/approvals/approval-digest.ts';
import type { ApprovalStore } from '../../../src/hosts/approvals/shape.ts';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import { makeFolder } from '../../support/folder.ts';
import { ENGINES } from '../database/engines.ts';
import { BINDING, type Clock, databaseIn, JUDGEMENT, RUN, storeAt } from './sample.ts';

const SHOWN = { id: 'a', binding: BINDING, judgement: JUDGEMENT, wouldStore: JUDGEMENT.proposal ?? [] };
const NODE = { id: 'n', name: 'mac', answers: 'once' } as const;
const STAGE = { verdict: 'ask', code: 'shell', reason: 'it is a shell' } as const;
const DAY = 86_400_000;

describe('the digest of an approval request', () => {
  it.each([
    ['the id', { id: 'b' }],
    ['the command', { binding: { ...BINDING, command: 'rm -rf build dir' } }],
    ['a variable', { binding: { ...BINDING, env: { LANG: 'D' } } }],
    ['the identity of a program', { binding: { ...BINDING, programs: [{ ...BINDING.programs[0]!, identity: '1' }] } }],
    ['the reason', { judgement: { ...JUDGEMENT, reason: 'another' } }],
    ['a stage', { judgement: { ...JUDGEMENT, stages: [{ argv: ['rm'], span: { start: 0, end: 2 }, ...STAGE }] } }],
    ['what would be stored', { wouldStore: [] }],
    ['the node', { node: NODE }],
  ])('changes with %s', (_, change) => {
    expect(digestOf({ ...SHOWN, ...change })).not.toBe(digestOf(SHOWN));
  });

  it('does not depend on the order of members', () => {
    const { agent, ...rest } = BINDING;
    expect(digestOf({ ...SHOWN, binding: { ...rest, agent } })).toBe(digestOf(SHOWN));
  });
});

describe.each(ENGINES)('an answer with a digest, with %s', (engine) => {
  const fresh = async () => {
    const clock: Clock = { time: 1_000_000 };
    const file = databaseIn(makeFolder());
    const store = await storeAt(file, clock, engine);
    return { clock, file, store, asked: ask(store) };
  };
  const ask = (store: ApprovalStore): ApprovalInfo =>
    store.ask({ binding: BINDING, judgement: JUDGEMENT, expiresAt: 1_060_000, run: RUN });

  it('is accepted for what was shown', async () => {
    const { store, asked } = await fresh();
    expect(store.resolve(asked.id, 'allow-once', 'ann', { digest: asked.digest })).toMatchObject({ ok: true });
  });

  it('is refused for something else, and the request stays open', async () => {
    const { store, asked } = await fresh();
    const other = store.ask({
      binding: { ...BINDING, command: 'rm x' },
      judgement: JUDGEMENT,
      expiresAt: 1_060_000,
      run: RUN,
    });
    expect(store.resolve(asked.id, 'allow-once', 'ann', { digest: other.digest })).toMatchObject({
      ok: false,
      reason: 'changed',
      approval: asked,
    });
    expect(store.find(asked.id)).toEqual(asked);
    expect(store.consume(asked.id)).toBe(false);
  });

  it('compares with the request at the moment of the answer, also when another process changed it', async () => {
    const { clock, file, store, asked } = await fresh();
    const other = await storeAt(file, clock, engine);
    other.database.transaction(() =>
      other.database
        .prepare('UPDATE approvals SET binding = ? WHERE id = ?')
        .run(JSON.stringify({ ...BINDING, command: 'rm -rf /' }), asked.id),
    );
    const answer = store.resolve(asked.id, 'allow-once', 'ann', { digest: asked.digest });
    expect(answer).toMatchObject({ reason: 'changed', approval: { binding: { command: 'rm -rf /' } } });
    expect(store.list('pending')).toHaveLength(1);
  });

  it('wins once where two processes answer with the same digest', async () => {
    const { clock, file, store, asked } = await fresh();
    const other = await storeAt(file, clock, engine);
    const { digest } = asked;
    const answers = [
      store.resolve(asked.id, 'allow-once', 'ann', { digest }),
      other.resolve(asked.id, 'deny', 'bob', { digest }),
    ];
    expect(answers).toMatchObject([
      { ok: true, approval: { resolvedBy: 'ann' } },
      { ok: false, reason: 'already-resolved', approval: { resolvedBy: 'ann', decision: 'allow-once' } },
    ]);
  });

  it('moves the expiry of a pending request, at most to the limit, and keeps its digest', async () => {
    const { clock, store, asked } = await fresh();
    expect(store.extend(asked.slug, 60_000, DAY)).toEqual({ ok: true, approval: { ...asked, expiresAt: 1_120_000 } });
    expect(store.extend(asked.id, 2 * DAY, DAY)).toMatchObject({ approval: { expiresAt: 1_000_000 + DAY } });
    expect(store.extend(asked.id, 1, 0)).toMatchObject({ approval: { expiresAt: 1_000_000 + DAY } });
    expect(store.nextExpiry()).toBe(1_000_000 + DAY);
    clock.time += DAY;
    expect(store.extend(asked.id, DAY, 2 * DAY)).toMatchObject({ ok: false, reason: 'expired' });
    expect(store.extend('ffffffff', DAY, DAY)).toMatchObject({ ok: false, reason: 'unknown' });
  });
});
