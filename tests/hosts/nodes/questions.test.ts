import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openNodeStore } from '../../../src/apps/node/node-store.ts';
import type { Fault } from '../../../src/base/fault.ts';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { loadIdentity } from '../../../src/hosts/identity/keys.ts';
import type { ApprovalInfo, Decision } from '../../../src/wire/approval.ts';
import type { ExecOutcome } from '../../../src/wire/exec.ts';
import { type Joined, type JoinedNode, joined } from '../../apps/node/joined-machines.ts';
import { runs, timeoutFor } from '../../support/budget.ts';
import { ended, output, pending } from '../../support/gateway.ts';
import { eventLoopTurns, PATIENCE_MS, until } from '../../support/patience.ts';

const caller = { agent: 'main', conversation: 'c' };

async function asked({ host }: Joined, command = 'touch ran'): Promise<ApprovalInfo> {
  return pending(await host.exec({ command }));
}

function resolve({ host }: Joined, id: string, decision: Decision = 'allow-once', reason?: string) {
  const why = reason === undefined ? {} : { reason };
  return host.gateway.call('approval.resolve', { id, decision, by: 'ada', ...why });
}

function answerOnNode({ node }: Joined, id: string, decision: Decision = 'allow-once') {
  return node.machine.gateway.call('approval.resolve', { id, decision, by: 'grace' });
}

async function shown({ host }: Joined, id: string): Promise<ApprovalInfo> {
  return host.gateway.call('approval.show', { id });
}

async function untilFinished(machines: Joined, id: string): Promise<ApprovalInfo> {
  await until(async () => (await shown(machines, id)).outcome !== undefined, 'the outcome');
  return shown(machines, id);
}

async function texts({ host }: Joined): Promise<readonly string[]> {
  return (await host.gateway.call('notice.list', {})).map(({ kind, text }) => `${kind}: ${text.split('\n', 1)[0]}`);
}

describe('an approval request on a node', () => {
  it('is listed at the gateway with the name of the node, and runs when it is allowed there', async () => {
    const machines = await joined();
    const { host, node } = machines;
    const approval = await asked(machines, 'echo hello');
    expect(approval).toMatchObject({
      state: 'pending',
      node: { id: node.info.id, name: 'mac', answers: 'once' },
      binding: { ...caller, host: 'node', command: 'echo hello', cwd: node.machine.folder },
      wouldStore: [],
    });
    expect(await host.gateway.call('approval.list', {})).toEqual([approval]);
    expect(await host.gateway.call('approval.count', {})).toBe(1);
    expect((await host.gateway.call('daemon.status', {})).pendingApprovals).toBe(1);
    expect(host.gateway.busy()).toBe(true);
    const answer = await resolve(machines, approval.slug);
    expect(answer).toMatchObject({ ok: true, approval: { state: 'allowed', resolvedBy: 'ada' } });
    const sessionId = answer.ok ? (answer.approval.sessionId ?? '') : '';
    expect(await ended(host, sessionId)).toMatchObject({
      host: 'node',
      node: { name: 'mac' },
      approvalId: approval.id,
      exitCode: 0,
      tail: 'hello\n',
    });
    await untilFinished(machines, approval.id);
    expect(await texts(machines)).toEqual([
      `approval-requested: Approval required (${approval.slug}, node=mac): echo hello`,
      `approval-resolved: Approval ${approval.slug}: allow-once by ada`,
      `exec-finished: Exec finished (node=mac id=${approval.id}, session=${sessionId}, code 0)`,
    ]);
    expect(host.gateway.busy()).toBe(false);
    expect((await host.gateway.call('notice.list', {})).every(({ agent }) => agent === 'main')).toBe(true);
  });

  it('returns the output to the call that answers it', async () => {
    const machines = await joined();
    const { id } = await asked(machines, 'echo out');
    await resolve(machines, id);
    const outcome = await machines.host.gateway.call('approval.outcome', { id, caller, yieldMs: 60_000 });
    expect(output(outcome)).toBe('out\n');
    const other = { id, caller: { agent: 'other' } };
    await expect(machines.host.gateway.call('approval.outcome', other)).rejects.toMatchObject({
      code: 'APPROVAL_UNKNOWN',
    });
  });

  it('is answered with the digest of its copy, which the node compares with its own', async () => {
    const machines = await joined();
    const { host, node } = machines;
    const approval = await asked(machines, 'touch ran');
    const onNode = await node.machine.gateway.call('approval.show', { id: approval.id });
    expect([approval.digest, approval.node?.digest]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/u), onNode.digest]);
    const answer = { id: approval.id, decision: 'allow-once', by: 'ada' } as const;
    const wrong = await host.gateway.call('approval.resolve', { ...answer, digest: onNode.digest! });
    expect(wrong).toMatchObject({ ok: false, reason: 'changed', approval: { state: 'pending' } });
    expect(await host.gateway.call('approval.resolve', { ...answer, digest: approval.digest! })).toMatchObject({
      ok: true,
    });
  });

  it('waits longer after an extension at the gateway, where its node lets the gateway answer', async () => {
    const machines = await joined();
    const { host, node } = machines;
    const { id, expiresAt } = await asked(machines);
    const extended = await host.gateway.call('approval.extend', { id, byMs: 3_600_000, by: 'ada' });
    expect(extended).toMatchObject({ ok: true, approval: { id, state: 'pending' } });
    const there = await node.machine.gateway.call('approval.show', { id });
    expect([(await shown(machines, id)).expiresAt, there.expiresAt].every((time) => time > expiresAt + 3_000_000)).toBe(
      true,
    );
    const entry = (await node.machine.gateway.call('audit.list', {})).find(({ event }) => event === 'extended');
    expect(entry?.by).toMatch(/^ada at gateway /u);
    expect((await host.gateway.call('audit.list', {})).at(-1)).toMatchObject({ event: 'extended', by: 'ada' });
  });

  it('is denied at the gateway with a reason, which the agent reads', async () => {
    const machines = await joined();
    const { id } = await asked(machines);
    expect(await resolve(machines, id, 'deny', 'not today')).toMatchObject({ ok: true, approval: { state: 'denied' } });
    expect(await untilFinished(machines, id)).toMatchObject({ outcome: 'user-denied: not today', resolvedBy: 'ada' });
    expect((await texts(machines)).slice(1)).toEqual([
      expect.stringMatching(/^approval-resolved: .* deny by ada$/u),
      `exec-denied: Exec denied (node=mac id=${id}, user-denied: not today): touch ran`,
    ]);
    expect(await machines.host.gateway.call('approval.outcome', { id, caller })).toMatchObject({
      status: 'denied',
      reason: 'user-denied',
      message: 'the command was not run: the user denied it: not today',
    });
    expect(existsSync(join(machines.node.machine.folder, 'ran'))).toBe(false);
  });

  it('that is answered on the node is reported at the gateway, once', async () => {
    const machines = await joined();
    const [denied, allowed] = [await asked(machines, 'touch a'), await asked(machines, 'echo b')];
    await answerOnNode(machines, denied.id, 'deny');
    await answerOnNode(machines, allowed.id);
    expect(await untilFinished(machines, denied.id)).toMatchObject({
      state: 'denied',
      outcome: 'user-denied',
      resolvedBy: 'grace on node mac',
    });
    const { sessionId, outcome } = await untilFinished(machines, allowed.id);
    expect(outcome).toBe(`Exec finished (node=mac id=${allowed.id}, session=${sessionId}, code 0)`);
    expect(await resolve(machines, denied.id)).toMatchObject({
      ok: false,
      reason: 'already-resolved',
      message: `approval ${denied.slug} was already answered with deny by grace on node mac`,
    });
    await eventLoopTurns(20);
    const kinds = (await texts(machines)).map((text) => text.split(':', 1)[0]);
    expect(kinds.filter((kind) => kind === 'approval-resolved')).toHaveLength(2);
    expect(kinds.filter((kind) => kind === 'exec-denied')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'exec-finished')).toHaveLength(1);
  });

  it('is not run where its program changed after the question', async () => {
    const machines = await joined();
    const program = join(machines.node.machine.folder, 'tool');
    writeFileSync(program, '#!/bin/sh\ntouch first\n', { mode: 0o755 });
    const { id } = await asked(machines, './tool');
    writeFileSync(program, '#!/bin/sh\ntouch second; exit 1\n', { mode: 0o755 });
    expect(await resolve(machines, id)).toMatchObject({
      ok: true,
      notRun: expect.stringContaining('is not what was approved'),
    });
    expect(await shown(machines, id)).toMatchObject({ state: 'allowed', outcome: 'approval-changed' });
    expect((await texts(machines)).at(-1)).toBe(
      `exec-denied: Exec denied (node=mac id=${id}, approval-changed): ./tool`,
    );
    expect(await machines.host.gateway.call('approval.outcome', { id, caller })).toMatchObject({
      status: 'denied',
      reason: 'approval-changed',
    });
  });

  it('is not run where the rules of the node forbid it after the question', async () => {
    const machines = await joined();
    const { stateDir, folder } = machines.node.machine;
    const { id } = await asked(machines);
    const rules = { version: 1, deny: [{ pattern: '/**/touch' }] };
    writeFileSync(join(stateDir, 'exec-approvals.json'), JSON.stringify(rules), { mode: 0o600 });
    expect(await resolve(machines, id)).toMatchObject({
      ok: true,
      notRun: 'the current rules forbid it (deny-rule)',
    });
    expect(await untilFinished(machines, id)).toMatchObject({ state: 'allowed', outcome: 'deny-rule' });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it('reports once that the command takes long, by the setting of the gateway', async () => {
    const config: ConfigFile = { tools: { exec: { host: 'node', approvalRunningNoticeMs: 1 } } };
    const machines = await joined({ config });
    const { id } = await asked(machines, 'sleep 600');
    const answer = await resolve(machines, id);
    const sessionId = answer.ok ? answer.approval.sessionId! : '';
    await until(async () => (await texts(machines)).some((text) => text.startsWith('exec-running')), 'the notice');
    await machines.host.gateway.call('session.kill', { caller, sessionId });
    await untilFinished(machines, id);
    const running = (await texts(machines)).filter((text) => text.startsWith('exec-running'));
    expect(running).toEqual([`exec-running: Exec running (node=mac id=${id}, session=${sessionId}, >1s): sleep 600`]);
  });

  it('expires on the node, and the gateway reports it', async () => {
    const machines = await joined({
      nodeConfig: { tools: { exec: { host: 'gateway' } }, approvals: { timeoutMs: 30 } },
    });
    const { id, expiresAt, createdAt } = await asked(machines);
    expect(expiresAt - createdAt).toBeLessThanOrEqual(30);
    const { state, outcome } = await untilFinished(machines, id);
    expect([state, outcome]).toEqual(['expired', 'approval-timeout (allowlist-miss)']);
    expect((await texts(machines)).at(-1)).toBe(
      `exec-denied: Exec denied (node=mac id=${id}, approval-timeout (allowlist-miss)): touch ran`,
    );
  });

  it('shows the command that the gateway sent, and no control characters of the node', async () => {
    const machines = await joined();
    const { node } = machines;
    const folder = join(node.machine.folder, 'a\u001b[31mb\u202ec');
    mkdirSync(folder);
    const approval = pending(await machines.host.exec({ command: 'touch \u001b[1mx', workdir: folder }));
    expect(approval.binding.command).toBe('touch \u001b[1mx');
    expect(approval.binding.cwd).toBe(`${node.machine.folder}/a [31mb c`);
  });

  it('is cancelled when its node is removed', async () => {
    const machines = await joined();
    const { id } = await asked(machines);
    machines.remove();
    expect(await shown(machines, id)).toMatchObject({ state: 'cancelled', outcome: 'approval-unavailable' });
    expect((await texts(machines)).at(-1)).toBe(
      `exec-denied: Exec denied (node=mac id=${id}, approval-unavailable): touch ran`,
    );
    expect(machines.host.gateway.busy()).toBe(false);
  });
});

describe('node.answers', () => {
  it('none: the gateway says that it must be answered on the node', async () => {
    const machines = await joined({ terms: { answers: 'none' } });
    const { id, slug, node } = await asked(machines);
    expect(node).toMatchObject({ answers: 'none' });
    expect(await resolve(machines, id)).toMatchObject({
      ok: false,
      reason: 'not-authorised',
      message: 'node mac: this node accepts no answers from its gateway (node.answers is none)',
      hint: `answer it on the node: pincer approvals allow ${slug}, or pincer approvals deny ${slug}`,
    });
    expect(await texts(machines)).toEqual([
      `approval-requested: Approval required (${slug}, node=mac; answer it on the node with pincer approvals allow ${slug}): touch ran`,
    ]);
    await answerOnNode(machines, id);
    await untilFinished(machines, id);
  });

  it('once: allow-always runs once and stores nothing', async () => {
    const machines = await joined();
    const { id } = await asked(machines);
    expect(await resolve(machines, id, 'allow-always')).toMatchObject({
      ok: true,
      stored: [],
      notStored: expect.stringContaining('node.answers'),
    });
    await asked(machines);
  });

  it('always: allow-always stores a rule on the node', async () => {
    const machines = await joined({ terms: { answers: 'always' } });
    const approval = await asked(machines);
    expect(approval.wouldStore).toHaveLength(1);
    expect(await resolve(machines, approval.id, 'allow-always')).toMatchObject({ ok: true, stored: [{}] });
    expect((await machines.host.exec({ command: 'touch ran' })).status).toBe('completed');
  });
});

describe('a broken link', () => {
  it('makes an answer fail, and the question stays open', async () => {
    const machines = await joined();
    const { id, slug } = await asked(machines);
    machines.node.cut();
    await until(() => !machines.node.isConnected, 'the end of the link');
    await expect(resolve(machines, id)).rejects.toMatchObject({
      code: 'NODE_OFFLINE',
      message: 'node mac is not connected; the question stays open on mac',
      hint: expect.stringContaining(`pincer approvals allow ${slug}`),
    });
    machines.node.connect();
    await eventLoopTurns(20);
    expect((await shown(machines, id)).state).toBe('pending');
    expect(await resolve(machines, id)).toMatchObject({ ok: true });
  });

  it.each(['before', 'after'] as const)(
    '%s the node has acted on an answer: the answer is repeated and acts once',
    async (when) => {
      const machines = await joined();
      const { node } = machines;
      const { id } = await asked(machines, 'echo x >> ran');
      node[when] = async ({ method }) => {
        if (method !== 'approval.resolve') return;
        node[when] = () => {};
        node.cut();
        await eventLoopTurns(3);
        node.connect();
        if (when === 'before') throw new Error('cut');
      };
      expect(await resolve(machines, id)).toMatchObject({ ok: true, approval: { state: 'allowed' } });
      await untilFinished(machines, id);
      expect(readFileSync(join(node.machine.folder, 'ran'), 'utf8')).toBe('x\n');
    },
  );

  it('during an answer that does not come back leaves it unknown', async () => {
    const machines = await joined({ more: { nodeWaits: { reconnectMs: 20 } } });
    const { node } = machines;
    const { id } = await asked(machines);
    node.after = ({ method }) => {
      if (method === 'approval.resolve') node.cut();
    };
    await expect(resolve(machines, id)).rejects.toMatchObject({ code: 'NODE_OUTCOME_UNKNOWN' });
    node.after = () => {};
    node.connect();
    const { state, resolvedBy } = await untilFinished(machines, id);
    expect([state, resolvedBy]).toEqual(['allowed', 'ada']);
  });

  it('hides an answer on the node until the reconnect; then it is reported once', async () => {
    const machines = await joined();
    const [denied, allowed] = [await asked(machines, 'touch a'), await asked(machines, 'echo b')];
    machines.node.cut();
    await answerOnNode(machines, denied.id, 'deny');
    await answerOnNode(machines, allowed.id);
    expect((await shown(machines, denied.id)).state).toBe('pending');
    for (let cuts = 0; cuts < 3; cuts++) {
      machines.node.connect();
      await eventLoopTurns(cuts);
      machines.node.cut();
    }
    machines.node.connect();
    await untilFinished(machines, denied.id);
    await untilFinished(machines, allowed.id);
    const kinds = (await texts(machines)).map((text) => text.split(':', 1)[0]);
    expect(kinds.filter((kind) => kind === 'exec-denied')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'exec-finished')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'approval-resolved')).toHaveLength(2);
  });
});

describe('an answer after days', () => {
  it('starts a session at the gateway also when the node has removed old keys meanwhile', async () => {
    const machines = await joined();
    const { id } = await asked(machines);
    const later = { now: () => Date.now() + 29 * 86_400_000 };
    const store = await openNodeStore(machines.node.machine.stateDir, later);
    store.accept('another gateway', 'key');
    store.close();
    const answer = await resolve(machines, id);
    expect(answer).toMatchObject({ ok: true, approval: { sessionId: expect.any(String) } });
    expect((await untilFinished(machines, id)).outcome).toMatch(/^Exec finished/u);
  });

  it('closes the question as lost where the look-up says that nothing ran, and the node shows a session', async () => {
    const machines = await joined();
    let key = '';
    machines.node.before = ({ method, params }) => {
      if (method === 'exec.start') ({ key } = params as { key: string });
    };
    const { id } = await asked(machines);
    machines.node.machine.store.note(loadIdentity(machines.host.stateDir).id, key, { answer: '{}' });
    await resolve(machines, id);
    expect(await untilFinished(machines, id)).toMatchObject({ outcome: expect.stringContaining(', lost)') as string });
  });
});

describe('a lost answer to the request', () => {
  it('and a denial on the node are reported with the key, which the caller has, and the id of the question', async () => {
    const machines = await joined({ more: { nodeWaits: { reconnectMs: 20 } } });
    const { node, host } = machines;
    node.after = ({ method }) => {
      if (method === 'exec.start') node.cut();
    };
    const fault = await host.exec({ command: 'touch ran' }).catch((error: unknown) => error as Fault);
    const key = 'details' in fault ? String(fault.details?.['key']) : '';
    const [{ id }] = (await node.machine.gateway.call('approval.list', {})) as readonly [ApprovalInfo];
    await answerOnNode(machines, id, 'deny');
    node.connect();
    await until(async () => (await texts(machines)).length > 0, 'the notice');
    expect(await texts(machines)).toEqual([
      `exec-denied: Exec denied (node=mac id=${id} key=${key}, user-denied): touch ran`,
    ]);
  });

  it('leaves a question that is copied after the reconnect, with its variables, and can be answered', async () => {
    const machines = await joined({ more: { nodeWaits: { reconnectMs: 20 } } });
    const { node, host } = machines;
    node.after = ({ method }) => {
      if (method === 'exec.start') node.cut();
    };
    const request = { command: 'echo x >> ran', env: { TZ: 'UTC' } };
    await expect(host.exec(request)).rejects.toMatchObject({ code: 'NODE_OUTCOME_UNKNOWN' });
    node.after = () => {};
    node.connect();
    await until(async () => (await host.gateway.call('approval.count', {})) === 1, 'the question');
    const [approval] = await host.gateway.call('approval.list', {});
    expect(approval).toMatchObject({ binding: { ...caller, ...request, host: 'node' }, node: { name: 'mac' } });
    expect(await resolve(machines, approval!.id)).toMatchObject({ ok: true });
    await untilFinished(machines, approval!.id);
    expect(readFileSync(join(node.machine.folder, 'ran'), 'utf8')).toBe('x\n');
  });
});

describe('a restart of the gateway', () => {
  it('keeps the session of an allowed command, and reports its end once', async () => {
    const machines = await joined();
    const { id } = await asked(machines, 'until test -e go; do sleep 0.02; done; echo done');
    const answer = await resolve(machines, id);
    const sessionId = answer.ok ? answer.approval.sessionId : undefined;
    await machines.restart();
    writeFileSync(join(machines.node.machine.folder, 'go'), '');
    expect(await untilFinished(machines, id)).toMatchObject({
      sessionId,
      outcome: `Exec finished (node=mac id=${id}, session=${sessionId}, code 0)`,
    });
    expect((await texts(machines)).filter((text) => text.startsWith('exec-'))).toHaveLength(1);
  });

  it('keeps open questions, and they can be answered', async () => {
    const machines = await joined();
    const { id } = await asked(machines, 'echo after');
    await machines.restart();
    expect(await machines.host.gateway.call('approval.list', {})).toMatchObject([
      { id, state: 'pending', node: { name: 'mac' } },
    ]);
    expect(await resolve(machines, id)).toMatchObject({ ok: true });
    await untilFinished(machines, id);
    expect((await texts(machines)).map((text) => text.split(':', 1)[0])).toEqual([
      'approval-requested',
      'approval-resolved',
      'exec-finished',
    ]);
  });

  it('reports once what was answered meanwhile, and the session appears', async () => {
    const machines = await joined();
    const [denied, allowed] = [await asked(machines, 'touch a'), await asked(machines, 'echo b')];
    machines.node.cut();
    await answerOnNode(machines, denied.id, 'deny');
    await answerOnNode(machines, allowed.id);
    await machines.restart();
    await untilFinished(machines, denied.id);
    const { sessionId } = await untilFinished(machines, allowed.id);
    await machines.restart();
    await eventLoopTurns(20);
    const kinds = (await texts(machines)).map((text) => text.split(':', 1)[0]);
    expect(kinds.filter((kind) => kind === 'exec-denied')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'exec-finished')).toHaveLength(1);
    expect(sessionId).toBeDefined();
  });
});

/** From now on, the node reports its new approval requests with other values. */
function forge({ machine: { gateway } }: JoinedNode, forged: object): void {
  const call = gateway.call.bind(gateway) as (...args: unknown[]) => Promise<unknown>;
  Object.assign(gateway, {
    call: async (...args: unknown[]) => {
      const result = await call(...args);
      const outcome = result as ExecOutcome;
      return args[0] === 'exec.start' && outcome.status === 'approval-pending'
        ? { ...outcome, approval: { ...outcome.approval, ...forged } }
        : result;
    },
  });
}

describe('a node that lies', () => {
  it('about its command is refused, and nothing is shown to a person', async () => {
    const machines = await joined();
    const { approval } = (await machines.node.machine.exec({ command: 'touch other' })) as { approval: ApprovalInfo };
    forge(machines.node, { binding: approval.binding });
    await expect(machines.host.exec({ command: 'touch ran' })).rejects.toMatchObject({ code: 'NODE_CANNOT' });
    expect(await machines.host.gateway.call('approval.list', {})).toEqual([]);
  });

  it('about its id or its times leaves a list that can be used', async () => {
    const machines = await joined({ more: { nodeWaits: { reconnectMs: 20 } } });
    forge(machines.node, { id: 'not a uuid' });
    await expect(machines.host.exec({ command: 'touch ran' })).rejects.toThrow('not known whether');
    machines.node.connect();
    forge(machines.node, { id: randomUUID(), createdAt: -1e300 });
    const { expiresAt, createdAt } = await asked(machines);
    expect(expiresAt - createdAt).toBeLessThanOrEqual(31 * 86_400_000);
  });
});

describe('ids of nodes', () => {
  it('never replace or shadow an approval of the gateway or of another node', async () => {
    const machines = await joined({ names: ['one', 'two'] });
    const { host, nodes } = machines;
    const local = pending(await host.exec({ command: 'touch local', host: 'gateway' }));
    const onNode = async (name: string): Promise<ExecOutcome> => host.exec({ command: 'touch x', node: name });
    const impersonate = (index: number, id: string): void => forge(nodes[index]!, { id, slug: id.slice(0, 8) });
    impersonate(0, local.id);
    const first = pending(await onNode('one'));
    expect(first.id).not.toBe(local.id);
    expect(first.slug).not.toBe(local.slug);
    expect(first.node).toMatchObject({ name: 'one', approvalId: local.id });
    impersonate(1, first.id);
    const second = pending(await onNode('two'));
    expect(new Set([local.slug, first.slug, second.slug]).size).toBe(3);
    expect(await host.gateway.call('approval.show', { id: local.id })).toMatchObject({
      binding: { command: 'touch local' },
    });
    expect(await host.gateway.call('approval.show', { id: local.slug })).toMatchObject({ id: local.id });
  });
});

it('answers at both ends at the same time run the command once', { timeout: timeoutFor(PATIENCE_MS) }, async () => {
  const machines = await joined();
  const file = join(machines.node.machine.folder, 'ran');
  const count = runs(20, 1000);
  const winners = { gateway: 0, node: 0 };
  for (let i = 0; i < count; i++) {
    const { id } = await asked(machines, `echo ${i} >> ran`);
    const [atGateway, onNode] = await Promise.all([
      i % 3 === 0 ? eventLoopTurns(1).then(() => resolve(machines, id)) : resolve(machines, id),
      i % 3 === 1 ? eventLoopTurns(1 + (i % 5)).then(() => answerOnNode(machines, id)) : answerOnNode(machines, id),
    ]);
    expect(Number(atGateway.ok) + Number(onNode.ok)).toBe(1);
    if (!atGateway.ok) expect(atGateway).toMatchObject({ reason: 'already-resolved' });
    if (!onNode.ok) expect(onNode).toMatchObject({ reason: 'already-resolved' });
    winners[atGateway.ok ? 'gateway' : 'node']++;
    await untilFinished(machines, id);
  }
  const ran = readFileSync(file, 'utf8').trim().split('\n');
  expect(ran).toEqual(Array.from({ length: count }, (_, i) => String(i)));
  expect(winners.gateway + winners.node).toBe(count);
});
