import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createNodeApprovals } from '../../../src/hosts/gateway/node-approvals/node-approvals.ts';
import type { Nodes } from '../../../src/hosts/nodes/shape.ts';
import type { Session } from '../../../src/hosts/sessions/shape.ts';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import { makeFolder } from '../../support/folder.ts';
import { until } from '../../support/patience.ts';
import { BINDING, databaseIn, JUDGEMENT, storeAt } from '../approvals/sample.ts';
import { ENGINES } from '../database/engines.ts';

it('a notice that cannot be stored does not end the gateway', async () => {
  const store = await storeAt(databaseIn(makeFolder()), { time: 1 }, ENGINES[0]!);
  const troubles: unknown[] = [];
  const nodes = { list: () => [], link: () => undefined, onLink() {}, onRemoved() {} } as unknown as Nodes;
  const approvals = createNodeApprovals({
    store,
    nodes,
    requests: { get: () => undefined, asked() {}, ofApproval: () => undefined, isShared: () => false },
    ownership: { claim: () => Promise.resolve(true) },
    now: () => 1,
    gatewayId: () => 'g',
    isAwaited: () => false,
    answered: () => Promise.resolve(),
    onNotice() {},
    onTrouble: (error) => troubles.push(error),
  });
  const { command, agent, env } = BINDING;
  const asked: ApprovalInfo = {
    id: randomUUID(),
    slug: '',
    state: 'pending',
    createdAt: 1,
    expiresAt: 2,
    binding: BINDING,
    judgement: JUDGEMENT,
    wouldStore: [],
  };
  const { id } = approvals.asked({
    node: { id: 'a'.repeat(32), name: 'mac' },
    sent: { command, caller: { agent }, env },
    run: { request: {}, context: { caller: { agent }, folder: '/' } },
    outcome: { status: 'approval-pending', approval: asked, warnings: [] },
  });
  const session = { id: 's', info: () => ({ approvalId: id, status: 'running' }) } as unknown as Session;
  approvals.running(session, 1);
  store.close();
  await until(() => troubles.length > 0, 'the report');
  expect(troubles).toHaveLength(1);
});
