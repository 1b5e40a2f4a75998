import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NodeTerms } from '../../../src/apps/node/guest.ts';
import { NODE_METHODS, type NodeMethods } from '../../../src/wire/nodes/methods.ts';
import type { GivenAnswer, NodeNotice } from '../../../src/wire/nodes/questions.ts';
import { check } from '../../../src/wire/schema.ts';
import { pending } from '../../support/gateway.ts';
import { until } from '../../support/patience.ts';
import { GATEWAY, type GatewayEnd, linkedNode, type LinkedNode } from './linked-node.ts';

const OTHER = 'h'.repeat(32);
const JUDGED = { tools: { exec: { host: 'gateway' } } } as const;

function judgedNode(terms: Partial<NodeTerms> = {}, root?: string): Promise<LinkedNode> {
  return linkedNode(JUDGED, { terms, ...(root === undefined ? {} : { root }) } as Parameters<typeof linkedNode>[1]);
}

/** The id of the approval request that a command caused. */
async function asked(end: GatewayEnd, command: string): Promise<string> {
  const result = await end.exec(command).result;
  if (!('outcome' in result) || result.outcome.status !== 'approval-pending') throw new Error('not asked');
  return result.outcome.approval.id;
}

function answer(id: string, more: Partial<GivenAnswer> = {}): GivenAnswer {
  return { id, decision: 'allow-once', by: 'ada', answerId: randomUUID(), ...more };
}

function followed(end: GatewayEnd, after = 0): { readonly notices: readonly NodeNotice[]; stop(): void } {
  const notices: NodeNotice[] = [];
  const stop = new AbortController();
  end.channel
    .call(
      'notice.follow',
      { after },
      {
        signal: stop.signal,
        event: (event) => notices.push(check(NODE_METHODS['notice.follow'].event, event, 'event')),
      },
    )
    .catch(() => undefined);
  return { notices, stop: () => stop.abort() };
}

describe('an approval request of a gateway', () => {
  it('is answered over the link and runs, and the node records who answered', async () => {
    const node = await judgedNode();
    const end = node.connect();
    const id = await asked(end, 'touch ran');
    expect(await end.call('approval.list', {})).toEqual({
      pending: [{ id, remainingMs: expect.any(Number), answers: 'once' }],
    });
    const resolved = await end.call('approval.resolve', answer(id));
    expect(resolved).toMatchObject({
      ok: true,
      stored: [],
      question: {
        key: expect.any(String),
        approval: {
          id,
          state: 'allowed',
          resolvedBy: `ada at gateway ${GATEWAY.slice(0, 8)}`,
          sessionId: expect.any(String),
        },
      },
    });
    await until(() => existsSync(join(node.folder, 'ran')), 'the command');
    expect(await end.call('approval.list', {})).toEqual({ pending: [] });
    expect((await end.call('approval.outcome', { id })).approval).toMatchObject({ state: 'allowed' });
  });

  it('is answered only with the digest of the node, and the rule that it stores ends on the clock of the node', async () => {
    const node = await judgedNode({ answers: 'always' });
    const end = node.connect();
    const id = await asked(end, 'expr 1 + 2');
    const { approval } = await end.call('approval.show', { id });
    const narrow = { remainingMs: 60_000, reason: 'today' };
    const wrong = answer(id, { decision: 'allow-always', digest: '0'.repeat(64), narrow });
    expect(await end.call('approval.resolve', wrong)).toMatchObject({ ok: false, reason: 'changed' });
    const right = answer(id, { decision: 'allow-always', digest: approval.digest!, narrow });
    const before = Date.now();
    const resolved = await end.call('approval.resolve', right);
    expect(resolved).toMatchObject({ ok: true, stored: [{ reason: 'today', expiresAt: expect.any(Number) }] });
    const expiresAt = resolved.ok ? (resolved.stored[0]?.expiresAt ?? 0) : 0;
    expect(expiresAt).toBeGreaterThanOrEqual(before + 60_000);
  });

  it('is not extended where the node accepts no answers', async () => {
    const node = await judgedNode({ answers: 'none' });
    const end = node.connect();
    const id = await asked(end, 'touch ran');
    const { remainingMs } = await end.call('approval.show', { id });
    expect(await end.call('approval.extend', { id, byMs: 86_400_000, by: 'ada' })).toMatchObject({
      ok: false,
      reason: 'not-authorised',
    });
    expect((await end.call('approval.show', { id })).remainingMs).toBeLessThanOrEqual(remainingMs);
  });

  it.each([
    ['node.sandbox', { sandbox: true }],
    ['node.exec=off', { exec: 'off' }],
  ] as const)(
    'that is older than %s can be denied at the gateway, and not allowed or extended',
    async (why, changed) => {
      const terms: Partial<NodeTerms> = {};
      const node = await judgedNode(terms);
      const end = node.connect();
      const [id, other] = [await asked(end, 'touch ran'), await asked(end, 'touch other')];
      Object.assign(terms, changed);
      const refused = { ok: false, reason: 'not-authorised', message: expect.stringContaining(`older than ${why}`) };
      expect(await end.call('approval.resolve', answer(id))).toMatchObject(refused);
      expect(await end.call('approval.extend', { id, byMs: 86_400_000, by: 'ada' })).toMatchObject(refused);
      expect(await end.call('approval.resolve', answer(other, { decision: 'deny' }))).toMatchObject({ ok: true });
      expect((await end.call('approval.show', { id })).approval.state).toBe('pending');
      expect(existsSync(join(node.folder, 'ran'))).toBe(false);
      await node.gateway.call('approval.resolve', { id, decision: 'allow-once', by: 'grace' });
      await until(() => existsSync(join(node.folder, 'ran')), 'the command that was allowed on the node');
    },
  );

  it('does not exist for another gateway, nor does one of this machine', async () => {
    const node = await judgedNode();
    const id = await asked(node.connect(), 'touch ran');
    const local = pending(await node.exec({ command: 'touch local' }));
    const other = node.connect(OTHER);
    const unknown = { code: 'APPROVAL_UNKNOWN', message: expect.stringContaining('of this gateway') };
    for (const each of [id, local.id, randomUUID()]) {
      await expect(other.call('approval.show', { id: each })).rejects.toMatchObject(unknown);
      await expect(other.call('approval.outcome', { id: each })).rejects.toMatchObject(unknown);
      await expect(other.call('approval.resolve', answer(each))).rejects.toMatchObject(unknown);
    }
    expect(await other.call('approval.list', {})).toEqual({ pending: [] });
    expect((await node.gateway.call('approval.list', {})).map(({ state }) => state)).toEqual(['pending', 'pending']);
  });

  it('accepts only whole ids', async () => {
    const node = await judgedNode();
    const end = node.connect();
    const id = await asked(end, 'touch ran');
    await expect(end.channel.call('approval.resolve', answer(id.slice(0, 8)))).rejects.toMatchObject({
      code: 'GATEWAY_BAD_REQUEST',
    });
  });

  it('takes the first answer; the other hears who gave it', async () => {
    const node = await judgedNode();
    const end = node.connect();
    const id = await asked(end, 'touch ran');
    await node.gateway.call('approval.resolve', { id, decision: 'deny', by: 'grace', reason: 'no' });
    expect(await end.call('approval.resolve', answer(id))).toMatchObject({
      ok: false,
      reason: 'already-resolved',
      message: expect.stringContaining('answered with deny by grace'),
      question: { approval: { state: 'denied', outcome: 'user-denied: no' } },
    });
    expect(existsSync(join(node.folder, 'ran'))).toBe(false);
  });

  it('is not run where its program changed after the question', async () => {
    const node = await judgedNode();
    const end = node.connect();
    const program = join(node.folder, 'tool');
    writeFileSync(program, '#!/bin/sh\ntouch first\n', { mode: 0o755 });
    const id = await asked(end, './tool');
    writeFileSync(program, '#!/bin/sh\ntouch second; exit 1\n');
    chmodSync(program, 0o755);
    expect(await end.call('approval.resolve', answer(id))).toMatchObject({
      ok: true,
      notRun: expect.stringContaining('is not what was approved'),
      question: { approval: { outcome: 'approval-changed' } },
    });
    expect([existsSync(join(node.folder, 'first')), existsSync(join(node.folder, 'second'))]).toEqual([false, false]);
  });
});

describe('node.answers', () => {
  const rules = (node: LinkedNode): string => {
    const file = join(node.stateDir, 'exec-approvals.json');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  const always = (id: string) => answer(id, { decision: 'allow-always' });

  it('none refuses every answer, and says where to answer', async () => {
    const node = await judgedNode({ answers: 'none' });
    const end = node.connect();
    const id = await asked(end, 'touch ran');
    for (const decision of ['allow-once', 'allow-always', 'deny'] as const)
      expect(await end.call('approval.resolve', answer(id, { decision }))).toEqual({
        ok: false,
        reason: 'not-authorised',
        message: 'this node accepts no answers from its gateway (node.answers is none)',
        hint: `answer it on the node: pincer approvals allow ${id.slice(0, 8)}, or pincer approvals deny ${id.slice(0, 8)}`,
      });
    expect((await end.call('approval.show', { id })).approval.state).toBe('pending');
  });

  it('once runs an allow-always once, and stores nothing', async () => {
    const node = await judgedNode({ answers: 'once' });
    const end = node.connect();
    const id = await asked(end, 'touch ran');
    expect(await end.call('approval.resolve', always(id))).toMatchObject({
      ok: true,
      stored: [],
      notStored: expect.stringContaining('node.answers'),
      question: { approval: { decision: 'allow-once' } },
    });
    expect(rules(node)).not.toContain('touch');
  });

  it('always stores the rule for the agent of the gateway', async () => {
    const node = await judgedNode({ answers: 'always' });
    const end = node.connect();
    const id = await asked(end, 'touch ran');
    const resolved = await end.call('approval.resolve', always(id));
    expect(resolved).toMatchObject({ ok: true, stored: [{ pattern: expect.stringContaining('touch') }] });
    expect(rules(node)).toContain(`${GATEWAY}/main`);
  });
});

describe('a repeated answer', () => {
  it('returns the first result, also of another link and at the same time', async () => {
    const node = await judgedNode();
    const end = node.connect();
    const id = await asked(end, 'echo x >> ran');
    const given = answer(id);
    const results = await Promise.all([
      end.call('approval.resolve', given),
      end.call('approval.resolve', given),
      node.connect().call('approval.resolve', given),
    ]);
    const repeated = await end.call('approval.resolve', given);
    for (const result of [...results, repeated])
      expect(result).toEqual({
        ok: true,
        stored: [],
        question: expect.objectContaining({ approval: expect.objectContaining({ id, state: 'allowed' }) }),
      });
    await until(() => existsSync(join(node.folder, 'ran')), 'the command');
    expect(readFileSync(join(node.folder, 'ran'), 'utf8')).toBe('x\n');
  });

  it('is recorded without the question, whose size the gateway chooses', async () => {
    const node = await judgedNode();
    const end = node.connect();
    const given = answer(await asked(end, `touch ran ${'x'.repeat(50_000)}`));
    await end.call('approval.resolve', given);
    const recorded = node.store.beginAnswer(GATEWAY, given.answerId, given.id)?.result;
    expect(JSON.parse(recorded!)).toEqual({ ok: true, stored: [] });
  });

  it('is recognised after a crash between its effect and its record', async () => {
    const node = await judgedNode();
    const end = node.connect();
    const id = await asked(end, 'touch ran');
    const given = answer(id);
    node.store.beginAnswer(GATEWAY, given.answerId, id);
    const by = `ada at gateway ${GATEWAY.slice(0, 8)}`;
    await node.gateway.call('approval.resolve', { id, decision: 'allow-once', by });
    expect(await end.call('approval.resolve', given)).toMatchObject({ ok: true, question: { approval: { id } } });
    expect(await end.call('approval.resolve', answer(id))).toMatchObject({ ok: false, reason: 'already-resolved' });
  });

  it('returns the first result also where the node accepts no answers any more', async () => {
    const terms: Partial<NodeTerms> = {};
    const node = await judgedNode(terms);
    const end = node.connect();
    const given = answer(await asked(end, 'touch ran'));
    await end.call('approval.resolve', given);
    Object.assign(terms, { sandbox: true });
    expect(await end.call('approval.resolve', given)).toMatchObject({ ok: true });
  });

  it('with another approval request is refused', async () => {
    const node = await judgedNode();
    const end = node.connect();
    const [first, second] = [await asked(end, 'touch a'), await asked(end, 'touch b')];
    const given = answer(first);
    await end.call('approval.resolve', given);
    await expect(end.call('approval.resolve', { ...given, id: second })).rejects.toMatchObject({
      code: 'GATEWAY_BAD_REQUEST',
    });
    expect((await end.call('approval.show', { id: second })).approval.state).toBe('pending');
  });
});

describe('notice.follow', () => {
  it('reports questions and answers of this gateway only, from a number on', async () => {
    const node = await judgedNode();
    const end = node.connect();
    const all = followed(end);
    const id = await asked(end, 'touch ran');
    await node.exec({ command: 'touch local' });
    await asked(node.connect(OTHER), 'touch other');
    await node.gateway.call('approval.resolve', { id, decision: 'deny', by: 'grace' });
    await until(() => all.notices.length >= 3, 'the notices');
    expect(all.notices.map(({ kind, question }) => [kind, question.approval.id])).toEqual([
      ['approval-requested', id],
      ['approval-resolved', id],
      ['exec-denied', id],
    ]);
    const later = followed(end, all.notices[1]!.seq);
    await until(() => later.notices.length > 0, 'the last notice');
    expect(later.notices.map(({ kind }) => kind)).toEqual(['exec-denied']);
    expect(later.notices[0]!.question.approval).toMatchObject({ state: 'denied', outcome: 'user-denied' });
  });

  it('starts again where the number comes from another store', async () => {
    const node = await judgedNode();
    const end = node.connect();
    const id = await asked(end, 'touch ran');
    const again = followed(end, 1_000_000);
    await until(() => again.notices.length > 0, 'the notice');
    expect(again.notices[0]!.question.approval.id).toBe(id);
  });
});

describe('policy.explain', () => {
  it('judges by the rules of the node, and asks no person', async () => {
    const node = await judgedNode();
    const end = node.connect();
    const params: NodeMethods['policy.explain']['params'] = {
      request: { command: 'touch x', security: 'full', ask: 'off' },
      caller: { agent: 'main' },
    };
    expect(await end.call('policy.explain', params)).toMatchObject({
      judgement: { verdict: 'ask' },
      effective: { host: 'gateway', security: 'allowlist' },
    });
    expect(await end.call('approval.list', {})).toEqual({ pending: [] });
  });
});
