import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { endText, waitForAnswer, reportPending } from '../../../../src/apps/cli/exec/approval.ts';
import type { Gateway } from '../../../../src/wire/methods.ts';
import { testGateway } from '../../../support/gateway.ts';

it.each([
  ['full', { state: 'allowed', resolvedBy: 'askFallback', sessionId: expect.any(String) }],
  ['deny', { state: 'expired', outcome: 'approval-timeout (allowlist-miss)' }],
])('whoever waits for an answer that nobody gives hears what askFallback=%s made of it', async (askFallback, hears) => {
  const test = await testGateway({ tools: { exec: { host: 'gateway' } }, approvals: { timeoutMs: 300 } });
  mkdirSync(test.stateDir, { recursive: true });
  const file = JSON.stringify({ version: 1, defaults: { askFallback } });
  writeFileSync(join(test.stateDir, 'exec-approvals.json'), file, { mode: 0o600 });
  const outcome = await test.exec({ command: 'echo ran' });
  if (outcome.status !== 'approval-pending') throw new Error(JSON.stringify(outcome));
  const approval = await waitForAnswer(test.gateway, outcome.approval.id, new AbortController().signal);
  expect(approval).toMatchObject(hears);
});

it('the time that is left is never told too short', async () => {
  const test = await testGateway({ tools: { exec: { host: 'gateway' } }, approvals: { timeoutMs: 60_000 } });
  const outcome = await test.exec({ command: 'id' });
  if (outcome.status !== 'approval-pending') throw new Error(JSON.stringify(outcome));
  let said = '';
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  reportPending(
    { ...outcome.approval, expiresAt: Date.now() + 1_400 },
    {
      out: () => undefined,
      err: (text: string) => (said += text),
      isTerminal: false,
      errorIsTerminal: false,
      quiet: false,
      colour: false,
    },
  );
  expect(said).toContain('it expires in 2 s\n');
});

it('waiting for a node that never reports ends a minute after the time of the question', async () => {
  const test = await testGateway({ tools: { exec: { host: 'gateway' } }, approvals: { timeoutMs: 60_000 } });
  const outcome = await test.exec({ command: 'id' });
  if (outcome.status !== 'approval-pending') throw new Error(JSON.stringify(outcome));
  const node = { id: 'a'.repeat(32), name: 'mac', answers: 'once' } as const;
  let ageMs = 0;
  const gateway = {
    call: async () => ({ ...outcome.approval, node, expiresAt: Date.now() - (ageMs += 50_000) }),
  } as unknown as Gateway;
  const approval = await waitForAnswer(gateway, outcome.approval.id, new AbortController().signal);
  expect(ageMs).toBe(100_000);
  expect(endText(approval)).toBe(`approval ${approval.slug}: its time is over, and node mac has reported no answer`);
});
