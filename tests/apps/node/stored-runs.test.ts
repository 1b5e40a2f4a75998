/** Commands of a gateway that wait for an answer while the operator of the node changes what a gateway may run. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { openApprovalStore } from '../../../src/hosts/approvals/store.ts';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import { answeredBy } from '../../../src/wire/nodes/answered-by.ts';
import { allow, pending } from '../../support/gateway.ts';
import { until } from '../../support/patience.ts';
import { GATEWAY, linkedNode, type LinkedNode } from './linked-node.ts';

const TIMEOUT_MS = 2_000;
const SETTINGS = [
  ['node.exec', { exec: 'off' }],
  ['node.sandbox', { sandbox: true }],
] as const;

interface Asked {
  readonly node: LinkedNode;
  readonly approval: ApprovalInfo;
  /** Changes the settings of the node, for requests that exist, too. */
  readonly change: (settings: NonNullable<ConfigFile['node']>) => void;
  readonly hasRun: () => boolean;
}

/** A node with `askFallback: full`, and a question of its gateway. */
async function asked(timeoutMs?: number): Promise<Asked> {
  const config = {
    tools: { exec: { host: 'gateway' } },
    ...(timeoutMs === undefined ? {} : { approvals: { timeoutMs } }),
    node: {},
  } satisfies ConfigFile;
  const node = await linkedNode(config);
  allow(node.stateDir, [], { defaults: { askFallback: 'full' } });
  const result = await node.connect().exec('touch ran').result;
  if (!('outcome' in result) || result.outcome.status !== 'approval-pending') throw new Error('not asked');
  return {
    node,
    approval: result.outcome.approval,
    change: (settings) => void Object.assign(config.node, settings),
    hasRun: () => existsSync(join(node.folder, 'ran')),
  };
}

const shown = (node: Pick<LinkedNode, 'gateway'>, { id }: ApprovalInfo): Promise<ApprovalInfo> =>
  node.gateway.call('approval.show', { id });

describe('a question of a gateway that nobody answers', () => {
  it('runs by askFallback of the node', async () => {
    const { node, approval, hasRun } = await asked(TIMEOUT_MS);
    expect(await shown(node, approval)).toMatchObject({ unanswered: 'run' });
    await until(hasRun, 'the command');
  });

  it.each(SETTINGS)('runs nothing after a change of %s', async (_, settings) => {
    const { node, approval, change, hasRun } = await asked(TIMEOUT_MS);
    change(settings);
    expect(await shown(node, approval)).toMatchObject({ unanswered: 'deny' });
    await until(async () => (await shown(node, approval)).outcome !== undefined, 'the end');
    expect(await shown(node, approval)).toMatchObject({
      state: 'expired',
      outcome: expect.stringContaining('approval-timeout'),
    });
    expect(hasRun()).toBe(false);
  });

  it.each(SETTINGS)('runs nothing at the next start after a change of %s', async (_, settings) => {
    const { node, approval, change, hasRun } = await asked(TIMEOUT_MS);
    change(settings);
    const later = await node.again(() => until(() => Date.now() > approval.expiresAt, 'the expiry'));
    expect(await shown(later, approval)).toMatchObject({ state: 'expired' });
    expect(hasRun()).toBe(false);
  });

  it('of an agent of the node itself runs by askFallback', async () => {
    const { node, change } = await asked(TIMEOUT_MS);
    change({ exec: 'off', sandbox: true });
    pending(await node.exec({ command: 'touch local' }));
    await until(() => existsSync(join(node.folder, 'local')), 'the command');
  });
});

describe('an allowed question of a gateway', () => {
  it.each(SETTINGS)('runs nothing where %s changes before its command starts', async (setting, settings) => {
    const { node, approval, change, hasRun } = await asked();
    change(settings); // the check of the answer has passed already
    const answer = { id: approval.id, decision: 'allow-once', by: 'ada', answerId: randomUUID() } as const;
    expect(await node.connect().call('approval.resolve', answer)).toMatchObject({
      ok: true,
      notRun: expect.stringContaining(setting),
      question: { approval: { outcome: 'approval-changed' } },
    });
    expect(hasRun()).toBe(false);
  });

  it.each([
    ['at the gateway runs nothing', answeredBy('ada', GATEWAY), false],
    ['on the node runs', 'grace', true],
  ])('%s at the next start after a change of node.exec', async (_, by, runs) => {
    const { node, approval, change, hasRun } = await asked();
    change({ exec: 'off' });
    const later = await node.again(async () => {
      const store = await openApprovalStore({ file: join(node.stateDir, 'gateway.db'), now: Date.now });
      store.resolve(approval.id, 'allow-once', by); // the node died before the command started
      store.close();
    });
    await until(async () => (await shown(later, approval)).outcome !== undefined, 'the outcome');
    expect(hasRun()).toBe(runs);
  });
});
