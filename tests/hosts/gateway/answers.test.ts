import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { approvalsFileIn } from '../../../src/hosts/gateway/approvals/approvals-file.ts';
import type { ApprovalInfo, Decision } from '../../../src/wire/approval.ts';
import { JUDGED, output, pending, testGateway, type TestGateway } from '../../support/gateway.ts';

const DAY = 86_400_000;

async function asked(test: TestGateway, command: string): Promise<ApprovalInfo> {
  return pending(await test.exec({ command }));
}

function resolve({ gateway }: TestGateway, { id }: ApprovalInfo, decision: Decision, more: object = {}) {
  return gateway.call('approval.resolve', { id, decision, by: 'ann', ...more });
}

describe('an answer to an approval request', () => {
  it('is carried out only with the digest of the request', async () => {
    const test = await testGateway(JUDGED);
    const approval = await asked(test, 'touch ran');
    const refused = await resolve(test, approval, 'allow-once', { digest: '0'.repeat(64) });
    expect(refused).toMatchObject({ ok: false, reason: 'changed', approval: { digest: approval.digest } });
    expect(existsSync(join(test.folder, 'ran'))).toBe(false);
    expect(await test.gateway.call('approval.count', {})).toBe(1);
    const { digest } = approval;
    const answers = await Promise.all([
      resolve(test, approval, 'allow-once', { digest }),
      resolve(test, approval, 'deny', { digest, by: 'bob' }),
    ]);
    expect(answers).toMatchObject([
      { ok: true },
      { ok: false, reason: 'already-resolved', approval: { resolvedBy: 'ann' } },
    ]);
  });

  it('stores a rule that ends, and says so when it has ended', async () => {
    let time = 1_700_000_000_000;
    const test = await testGateway(JUDGED, { now: () => time });
    const narrow = { expiresAt: time + DAY, reason: 'for the release' };
    const answer = await resolve(test, await asked(test, 'expr 1 + 2'), 'allow-always', { narrow });
    expect(answer).toMatchObject({ ok: true, stored: [{ argv: ['1', '+', '2'], ...narrow }] });
    const file = join(test.stateDir, 'exec-approvals.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ agents: { main: { allowlist: [narrow] } } });
    expect(output(await test.exec({ command: 'expr 1 + 2' }))).toBe('3\n');
    time += DAY;
    const late = await asked(test, 'expr 1 + 2');
    expect(late.judgement.reason).toBe(
      `the entry for ${answer.ok ? answer.stored[0]?.pattern : ''} that allowed this expired at 2023-11-15T22:13:20.000Z`,
    );
    const again = await resolve(test, late, 'allow-always');
    expect(again).toMatchObject({ ok: true, stored: [{ argv: ['1', '+', '2'] }] });
    expect(output(await test.exec({ command: 'expr 1 + 2' }))).toBe('3\n');
  });

  it.each([
    ['deny', { reason: 'x' }],
    ['allow-once', { expiresAt: Date.now() + DAY }],
    ['allow-always', { expiresAt: 1 }],
  ] as const)('%s with the limits %j is refused, and the request stays open', async (decision, narrow) => {
    const test = await testGateway(JUDGED);
    const approval = await asked(test, 'expr 1 + 2');
    expect(await resolve(test, approval, decision, { narrow })).toMatchObject({ ok: false, reason: 'not-storable' });
    expect(await test.gateway.call('approval.count', {})).toBe(1);
  });

  it('can come later after an extension, which is recorded', async () => {
    let time = 1_700_000_000_000;
    const test = await testGateway(JUDGED, { now: () => time });
    const approval = await asked(test, 'echo late');
    const { id, expiresAt } = approval;
    const extended = await test.gateway.call('approval.extend', { id, byMs: DAY, by: 'ann' });
    expect(extended).toEqual({ ok: true, approval: { ...approval, unanswered: 'deny', expiresAt: expiresAt + DAY } });
    time = expiresAt + 1;
    expect((await test.gateway.call('audit.list', {})).at(-1)).toMatchObject({
      event: 'extended',
      by: 'ann',
      approvalId: id,
      details: { expiresAt: new Date(expiresAt + DAY).toISOString() },
    });
    expect((await test.gateway.call('notice.list', {})).at(-1)).toMatchObject({
      kind: 'approval-extended',
      approvalId: id,
    });
    expect(await resolve(test, approval, 'allow-once')).toMatchObject({ ok: true });
    expect(await test.gateway.call('approval.extend', { id, byMs: DAY, by: 'ann' })).toMatchObject({
      ok: false,
      reason: 'already-resolved',
    });
  });

  it('waits at most 30 days from the creation of the request, and an extension without effect leaves no record', async () => {
    const test = await testGateway(JUDGED);
    const { id, createdAt } = await asked(test, 'echo late');
    for (const _ of [1, 2])
      expect(await test.gateway.call('approval.extend', { id, byMs: 30 * DAY, by: 'ann' })).toMatchObject({ ok: true });
    expect((await test.gateway.call('approval.show', { id })).expiresAt).toBe(createdAt + 30 * DAY);
    const { gateway } = test;
    expect((await gateway.call('audit.list', {})).filter(({ event }) => event === 'extended')).toHaveLength(1);
    const notices = await gateway.call('notice.list', {});
    expect(notices.filter(({ kind }) => kind === 'approval-extended')).toHaveLength(1);
  });
});

it('the approvals file refuses an end that is not a time', async () => {
  const { stateDir, gateway } = await testGateway(JUDGED);
  const file = approvalsFileIn(stateDir);
  const document = { version: 1, agents: { main: { allowlist: [{ pattern: '/usr/bin/id', expiresAt: 'tomorrow' }] } } };
  expect(() => file.replace(document, file.show().hash)).toThrow(
    'agents.main.allowlist[0]: expiresAt must be a time in milliseconds since 1970',
  );
  await gateway.call('approval.count', {});
});
