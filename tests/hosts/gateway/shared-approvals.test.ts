import { describe, expect, it } from 'vitest';
import { slugOf } from '../../../src/hosts/approvals/approval-rows.ts';
import { MIGRATIONS } from '../../../src/hosts/approvals/schema.ts';
import { openDatabase } from '../../../src/hosts/database/open-database.ts';
import { approvalMethods } from '../../../src/hosts/gateway/node-approvals/approval-methods.ts';
import type { NodeApprovals } from '../../../src/hosts/gateway/node-approvals/node-approvals.ts';
import { sharedApprovals } from '../../../src/hosts/gateway/shared-approvals.ts';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import { makeFolder } from '../../support/folder.ts';
import { ENGINES } from '../database/engines.ts';
import { BINDING, databaseIn, JUDGEMENT, RUN, storeAt } from '../approvals/sample.ts';

const ID = 'aaaaaaaa-0000-4000-8000-000000000001';
const SAME_START = 'aaaaaaaa-0000-4000-8000-000000000002';
/** The first eight characters are unique in a store. */
const SHORTER_START = 'aaaabbbb-0000-4000-8000-000000000003';
const NODE = { id: 'n'.repeat(32), name: 'mac', answers: 'once' } as const;
const ALLOW = { decision: 'allow-once', by: 'ann' } as const;

const request = (id: string, more: Partial<ApprovalInfo> = {}): ApprovalInfo =>
  ({ id, slug: slugOf(id), createdAt: 1, ...more }) as ApprovalInfo;

const NO_QUESTIONS = { named: () => [], list: () => [], count: () => 0, history: async () => [] };

/** A gateway whose store has requests with these ids, and others in the shared inbox. `answered` has those that an answer reached. */
async function gateway(own: readonly string[], remote: readonly ApprovalInfo[]) {
  const answered: string[] = [];
  const answer = async (approval: ApprovalInfo) => {
    answered.push(approval.id);
    return { ok: true as const, approval, stored: [] };
  };
  const file = databaseIn(makeFolder());
  const store = await storeAt(file, { time: 1 }, ENGINES[0]!);
  const { database } = await openDatabase(file, { migrations: MIGRATIONS, checked: [], engine: ENGINES[0]! });
  for (const id of own) {
    const asked = store.ask({ binding: BINDING, judgement: JUDGEMENT, expiresAt: 1_000, run: RUN });
    database.prepare('UPDATE approvals SET id = ?, slug = ? WHERE id = ?').run(id, slugOf(id), asked.id);
  }
  database.close();
  const methods = approvalMethods({
    store,
    file: { rulesFor: () => ({ rules: [] }) as never },
    approvalRequests: {
      resolve: async (id) => answer(store.find(id) as ApprovalInfo),
      extend: (id, byMs) => store.extend(id, byMs, 10_000),
      whenStarted: async () => undefined,
    },
    nodeApprovals: { questions: NO_QUESTIONS } as unknown as NodeApprovals,
    sessions: { find: () => Promise.reject(new Error('none')) as never },
    now: () => 1,
    settingsFor: () => Promise.reject(new Error('none')),
  });
  const inbox = { remote: () => remote, answer: (asked: Pick<ApprovalInfo, 'id'>) => answer(asked as ApprovalInfo) };
  const onNodes = { isListed: () => true, resolveOther: async () => undefined, extendOther: async () => undefined };
  return { shared: sharedApprovals(methods, () => inbox, onNodes), answered };
}

describe('a text that means several requests of the list answers none of them', () => {
  it.each([
    ['one of this gateway and one on a node of another gateway', [ID], [request(SAME_START, { node: NODE })]],
    ['two of this gateway and one on a node', [ID, SHORTER_START], [request(SAME_START, { node: NODE })]],
    ['two of other gateways', [], [request(ID), request(SAME_START, { node: NODE })]],
    ['one of this gateway and one with the same id on a node', [ID], [request(ID, { node: NODE })]],
    ['two of other gateways with the same id', [], [request(ID), request(ID, { node: NODE })]],
  ])('%s', async (_, own, remote) => {
    const { shared, answered } = await gateway(own, remote);
    const ids = new Set([...own, ...remote.map(({ id }) => id)]);
    const texts = ids.size === 1 ? [slugOf(ID), ID] : [slugOf(ID), 'AAAA'];
    for (const id of texts) {
      expect(await shared['approval.resolve']({ id, ...ALLOW })).toMatchObject({ ok: false, reason: 'ambiguous' });
      expect(await shared['approval.extend']({ id, byMs: 1, by: 'ann' })).toMatchObject({ reason: 'ambiguous' });
      await expect(shared['approval.show']({ id })).rejects.toMatchObject({ code: 'APPROVAL_UNKNOWN' });
    }
    expect(answered).toEqual([]);
  });
});

describe('a whole id, or a start that is unique', () => {
  it.each([ID, SAME_START])('answers the request %s, which is shown', async (id) => {
    const { shared, answered } = await gateway([ID], [request(SAME_START, { node: NODE })]);
    const shown = await shared['approval.show']({ id });
    expect(await shared['approval.resolve']({ id, ...ALLOW })).toMatchObject({ ok: true });
    expect(answered).toEqual([shown.id]);
    expect(shown.id).toBe(id);
  });

  it('answers one of another gateway', async () => {
    const { shared, answered } = await gateway([], [request(ID)]);
    expect(await shared['approval.resolve']({ id: 'aaaa', ...ALLOW })).toMatchObject({ ok: true });
    expect(answered).toEqual([ID]);
  });
});

it('takes the copies of two gateways for one request on a node', async () => {
  const copied = request(SAME_START, { node: { ...NODE, approvalId: ID } });
  const { shared, answered } = await gateway([], [request(ID, { node: NODE }), copied]);
  expect(await shared['approval.list']({})).toHaveLength(1);
  expect(await shared['approval.resolve']({ id: slugOf(ID), ...ALLOW })).toMatchObject({ ok: true });
  expect(answered).toHaveLength(1);
});
