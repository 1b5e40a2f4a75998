/** Approval requests of a node that does not behave: more of them, calls without an answer, and forged names. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { loadIdentity } from '../../../src/hosts/identity/keys.ts';
import { answeredBy } from '../../../src/wire/nodes/answered-by.ts';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import type { NodeNotice } from '../../../src/wire/nodes/questions.ts';
import { type Joined, type JoinedNode, joined } from '../../apps/node/joined-machines.ts';
import { timeoutFor } from '../../support/budget.ts';
import { ASKS_OFTEN, pending } from '../../support/gateway.ts';
import { PATIENCE_MS, until } from '../../support/patience.ts';

const MOST_OPEN = 500;

/** The next link of the node begins with these notices. */
function sendFirst(node: JoinedNode, questions: readonly NodeNotice['question'][]): void {
  node.before = (call) => {
    if (call.method !== 'notice.follow') return;
    for (const [index, question] of questions.entries())
      call.event({ seq: index + 1, kind: 'approval-requested', question });
  };
  node.cut();
  node.connect();
}

/** The keys of the requests that the node has received. */
function keysOf(node: JoinedNode): readonly string[] {
  const keys: string[] = [];
  node.before = ({ method, params }) => {
    if (method === 'exec.start') keys.push((params as { readonly key: string }).key);
  };
  return keys;
}

const count = ({ host }: Joined): Promise<number> => host.gateway.call('approval.count', {});

describe('a node with one key', () => {
  const forged = (approval: ApprovalInfo, key: string): NodeNotice['question'] => ({
    approval: { ...approval, id: randomUUID() },
    remainingMs: 60_000,
    answers: 'once',
    key,
  });

  it('has one approval request', async () => {
    const machines = await joined();
    const { host, node } = machines;
    const keys = keysOf(node);
    const { id } = pending(await host.exec({ command: 'touch ran' }));
    const real = await node.machine.gateway.call('approval.show', { id });
    const denied = { ...real, state: 'denied', decision: 'deny', outcome: 'user-denied' } as const;
    const last = { approval: denied, remainingMs: 0, answers: 'once' } as const;
    sendFirst(node, [...Array.from({ length: 50 }, () => forged(real, keys[0]!)), last]);
    await until(async () => (await host.gateway.call('approval.show', { id })).outcome !== undefined, 'the last one');
    expect(await host.gateway.call('approval.list', { state: 'all' })).toHaveLength(1);
  });

  it('has one approval request also where its answer to the request was lost', async () => {
    const machines = await joined({ more: { nodeWaits: { reconnectMs: 20 } } });
    const { host, node } = machines;
    const known = pending(await host.exec({ command: 'touch known' }));
    const keys = keysOf(node);
    node.after = ({ method }) => {
      if (method === 'exec.start') node.cut();
    };
    await expect(host.exec({ command: 'touch ran' })).rejects.toMatchObject({ code: 'NODE_OUTCOME_UNKNOWN' });
    node.after = () => {};
    const { gateway } = node.machine;
    const own = await gateway.call('approval.list', {});
    const real = own.find(({ binding }) => binding.command === 'touch ran')!;
    const denied = { ...(await gateway.call('approval.show', { id: known.id })), state: 'denied' } as const;
    const last = { approval: { ...denied, outcome: 'user-denied' }, remainingMs: 0, answers: 'once' } as const;
    sendFirst(node, [...Array.from({ length: 50 }, () => forged(real, keys[0]!)), last]);
    const { id } = known;
    await until(async () => (await host.gateway.call('approval.show', { id })).outcome !== undefined, 'the last one');
    expect(await count(machines)).toBe(1);
  });
});

it.each([false, true])('an approval request is given to one caller only (answered: %s)', async (isAnswered) => {
  const { host, node } = await joined();
  const first = pending(await host.exec({ command: 'touch ran' }));
  const { gateway } = host;
  if (isAnswered) {
    await gateway.call('approval.resolve', { id: first.id, decision: 'deny', by: 'ann' });
    await until(async () => (await gateway.call('approval.show', { id: first.id })).outcome !== undefined, 'the end');
  }
  const outcome = { status: 'approval-pending', approval: first, warnings: [], remainingMs: 60_000, answers: 'once' };
  node.instead = ({ method }) => (method === 'exec.start' ? { outcome } : undefined);
  const second = host.exec({ command: 'touch ran' }, { caller: { agent: 'other', conversation: 'd' } });
  await expect(second).rejects.toMatchObject({
    code: 'NODE_CANNOT',
    message: 'node mac answered with the approval request of another command',
  });
  expect(await gateway.call('approval.list', { state: 'all' })).toHaveLength(1);
});

it('an agent with 500 pending requests sends nothing more', { timeout: timeoutFor(PATIENCE_MS) }, async () => {
  const machines = await joined({ nodeConfig: ASKS_OFTEN });
  const { host, node } = machines;
  for (let number = 0; number < MOST_OPEN; number++) pending(await host.exec({ command: `touch ${number}` }));
  const keys = keysOf(node);
  expect(await host.exec({ command: 'touch more' })).toMatchObject({
    status: 'denied',
    reason: 'approval-unavailable',
    message: 'the command was not sent to node mac: agent main already has 500 pending approval requests on nodes',
  });
  expect(keys).toEqual([]);
  expect(await node.machine.gateway.call('approval.count', {})).toBe(MOST_OPEN);
});

it('notices are followed by one call at a time, also while other calls fail', async () => {
  const machines = await joined({ more: { nodeWaits: { retryMs: 1 } } });
  const { node } = machines;
  const calls = { begun: 0, cancelled: 0 };
  node.before = ({ method, signal }) => {
    if (method === 'approval.list') throw new Fault('INTERNAL_ERROR', 'broken');
    if (method !== 'notice.follow') return;
    calls.begun++;
    signal.addEventListener('abort', () => calls.cancelled++);
  };
  node.cut();
  node.connect();
  await until(() => calls.begun > 5 && calls.cancelled >= calls.begun - 1, 'the end of earlier calls');
});

it('a node that never says whether the command started does not hold up the answer', async () => {
  const machines = await joined({ more: { nodeWaits: { answerMs: 1000, reconnectMs: 20 } } });
  const { host, node } = machines;
  const { id } = pending(await host.exec({ command: 'echo x' }));
  node.before = ({ method }) => (method === 'approval.outcome' ? new Promise(() => {}) : undefined);
  expect(await host.gateway.call('approval.resolve', { id, decision: 'allow-once', by: 'ada' })).toMatchObject({
    ok: true,
    approval: { state: 'allowed', resolvedBy: 'ada' },
  });
});

it('a node that never answers an input does not hold up its sender', async () => {
  const config = { tools: { exec: { host: 'node', security: 'full', ask: 'off' } } } as const;
  const nodeConfig = { tools: { exec: { ...config.tools.exec, host: 'gateway' } } } as const;
  const machines = await joined({ config, nodeConfig, more: { nodeWaits: { answerMs: 1000, reconnectMs: 20 } } });
  const { host, node } = machines;
  const outcome = await host.exec({ command: 'cat', background: true }, { stdin: 'open' });
  if (outcome.status !== 'running') throw new Error(outcome.status);
  node.before = ({ method }) => (method === 'session.write' ? new Promise(() => {}) : undefined);
  const input = { kind: 'write', data: 'x' } as const;
  await host.gateway
    .call('session.input', { caller: { agent: 'main' }, sessionId: outcome.session.id, input })
    .catch(() => undefined);
  await until(() => !node.isConnected, 'the end of the link');
});

it('a node cannot name a person who did not answer at the gateway', async () => {
  const machines = await joined();
  const { host, node } = machines;
  const { id } = pending(await host.exec({ command: 'echo x' }));
  const by = answeredBy('ada', loadIdentity(host.stateDir).id);
  await node.machine.gateway.call('approval.resolve', { id, decision: 'allow-once', by });
  await until(async () => (await host.gateway.call('approval.show', { id })).decision !== undefined, 'the answer');
  expect((await host.gateway.call('approval.show', { id })).resolvedBy).toBe(`${by} on node mac`);
});

it('notices without news cost no write to disk of their own', async () => {
  const machines = await joined();
  const { host, node } = machines;
  const { id } = pending(await host.exec({ command: 'touch ran' }));
  const real = await node.machine.gateway.call('approval.show', { id });
  const { fdatasyncSync } = fs;
  let writes = 0;
  fs.fdatasyncSync = (file) => {
    writes++;
    fdatasyncSync(file);
  };
  onTestFinished(() => {
    fs.fdatasyncSync = fdatasyncSync;
    syncBuiltinESMExports();
  });
  syncBuiltinESMExports();
  const unknown = { ...real, id: randomUUID() };
  const denied = { ...real, state: 'denied', decision: 'deny', outcome: 'user-denied' } as const;
  const notices = [...Array.from({ length: 400 }, () => unknown), denied];
  sendFirst(
    node,
    notices.map((approval) => ({ approval, remainingMs: 1000, answers: 'once' })),
  );
  await until(async () => (await host.gateway.call('approval.show', { id })).outcome !== undefined, 'the last one');
  expect(writes).toBeLessThan(200);
});
