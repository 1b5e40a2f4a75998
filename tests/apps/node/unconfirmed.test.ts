/** A node that was paired by digits, which no person on the node has confirmed: its gateway could be any machine. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { restricted } from '../../../src/apps/node/guest.ts';
import type { NodeInfo } from '../../../src/wire/nodes/node.ts';
import { until } from '../../support/patience.ts';
import { runPincer } from '../serve/serving.ts';
import { allow } from '../../support/gateway.ts';
import { linkedNode, OPEN } from './linked-node.ts';
import { home, json, RUNS_ALL, started, startedGateway } from './machines.ts';

const KEY = '00000000-0000-4000-8000-000000000001';
const UNCONFIRMED = restricted({ exec: 'judged', sandbox: false, files: 'rw', answers: 'always', confirmed: false });

describe('an unconfirmed gateway', () => {
  it.each(['full', 'allowlist'] as const)(
    'runs nothing without an answer on the node, with askFallback=%s',
    async (askFallback) => {
      const config = { ...OPEN, approvals: { headless: true } };
      const node = await linkedNode(config, { terms: UNCONFIRMED } as never);
      allow(node.stateDir, [], {
        defaults: { askFallback },
        agents: { '*': { allowlist: [{ pattern: '/usr/bin/touch' }] } },
      });
      const result = await node.connect().exec('touch ran', { key: KEY }).result;
      expect(result).toMatchObject({ outcome: { status: 'denied', reason: 'approval-unavailable' } });
      expect([askFallback, existsSync(join(node.folder, 'ran'))]).toEqual([askFallback, false]);
    },
  );

  it('cannot answer its own questions, and gets no files', async () => {
    const node = await linkedNode(OPEN, { terms: UNCONFIRMED } as never);
    const end = node.connect();
    const { outcome } = (await end.exec('touch ran').result) as { outcome: { approval: { id: string } } };
    expect(outcome).toMatchObject({ status: 'approval-pending', answers: 'none' });
    const answer = { id: outcome.approval.id, decision: 'allow-once', by: 'x', answerId: KEY } as const;
    expect(await end.call('approval.resolve', answer)).toMatchObject({ ok: false, reason: 'not-authorised' });
    const read = end.channel.call('tool.call', { tool: 'read', args: { path: 'a' }, caller: { agent: 'main' } });
    await expect(read).rejects.toMatchObject({ code: 'NODE_CANNOT' });
    expect(existsSync(join(node.folder, 'ran'))).toBe(false);
  });
});

it('pincer node confirm takes the digits of the gateway, and lifts the restrictions of a running node', async () => {
  const { gateway, url } = await startedGateway();
  const node = home(RUNS_ALL);
  const running = started(node, ['node', 'run', '--gateway', url, '--name', 'n', '--workspace', node.workspace]);
  await until(() => running.state() === 'pending', 'the request');
  const code = String(running.lines.at(-1)?.['code']);
  const approved = await runPincer(gateway, ['nodes', 'approve', code, '--human']);
  expect(approved.stdout).toContain(`run there: pincer node confirm ${code}\n`);
  await until(() => running.state() === 'connected', 'the connection');
  expect(running.lines.at(-1)).toMatchObject({ confirmed: false, files: 'none', answers: 'none' });
  const asked = await runPincer(gateway, ['exec', '--host', 'node', '--', 'echo', 'hi']);
  expect(asked.stdout + asked.stderr).toMatch(/approval/u);
  expect((await runPincer(gateway, ['nodes', 'show', 'n', '--human'])).stdout).toContain('not confirmed on the node');
  expect((await runPincer(node, ['node', 'status', '--human'])).stdout).toMatch(/^confirmed +no: /mu);
  const wrong = await runPincer(node, ['node', 'confirm', code === '12345678' ? '12345679' : '12345678']);
  expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('NODE_CODE_DIFFERS')]);
  expect(await json(node, ['node', 'confirm', code.slice(0, 4), code.slice(4)])).toMatchObject({ changed: true });
  await until(async () => {
    const [info] = (await json(gateway, ['nodes', 'list'])) as readonly NodeInfo[];
    return info?.connected === true && info.offer.unconfirmed === undefined && info.offer.files === 'rw';
  }, 'the offer');
  expect((await runPincer(gateway, ['exec', '--host', 'node', '--', 'echo', 'hi'])).stdout).toBe('hi\n');
  expect(await json(node, ['node', 'status'])).toMatchObject({ confirmed: true, files: 'rw', answers: 'once' });
});
