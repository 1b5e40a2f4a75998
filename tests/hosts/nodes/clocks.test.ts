/** A gateway and a node whose clocks differ by years: each counts by its own, and nothing compares them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseInvitation } from '../../../src/hosts/identity/invitation.ts';
import { type Joined, joined } from '../../apps/node/joined-machines.ts';
import { ended, pending, testGateway } from '../../support/gateway.ts';
import { until } from '../../support/patience.ts';
import { greet } from './greet.ts';

const YEARS = 10 * 365 * 86_400_000;
const HOUR = 3_600_000;
const caller = { agent: 'main', conversation: 'c' };
const OPEN = { security: 'full', ask: 'off' } as const;

describe.each([
  { name: 'years behind', offset: -YEARS },
  { name: 'years ahead', offset: YEARS },
])('a gateway that is $name', ({ offset }) => {
  const now = (): number => Date.now() + offset;

  async function asked(machines: Joined) {
    return pending(await machines.host.exec({ command: 'touch ran' }));
  }

  it('runs commands, and continues with them after a broken link', async () => {
    const { host, node } = await joined({
      config: { tools: { exec: { host: 'node', ...OPEN } } },
      nodeConfig: { tools: { exec: { host: 'gateway', ...OPEN } } },
      more: { now },
    });
    expect(await host.exec({ command: 'echo hi' })).toMatchObject({
      status: 'completed',
      output: { text: 'hi\n' },
    });
    const outcome = await host.exec({ command: 'read -r go; echo $go', background: true }, { stdin: 'open' });
    const { id } = 'session' in outcome ? outcome.session : { id: '' };
    node.cut();
    const session = async () => (await host.gateway.call('session.list', { caller })).find((one) => one.id === id);
    await until(async () => (await session())?.unreachableSince !== undefined, 'the broken link');
    node.connect();
    await until(async () => (await session())?.unreachableSince === undefined, 'the link');
    await host.gateway.call('session.input', { caller, sessionId: id, input: { kind: 'write', data: 'go\n' } });
    const end = await ended(host, id);
    expect(end).toMatchObject({ exitCode: 0, tail: 'go\n' });
    const lasted = end.endedAt! - end.startedAt;
    expect([lasted >= 0, lasted < HOUR]).toEqual([true, true]);
    expect(Math.abs(end.startedAt - now())).toBeLessThan(HOUR);
  });

  it('shows how long an approval request of the node can be answered, and answers it', async () => {
    const machines = await joined({ more: { now } });
    const approval = await asked(machines);
    const left = approval.expiresAt - now();
    expect([left > 0, left < HOUR]).toEqual([true, true]);
    await machines.host.gateway.call('approval.resolve', { id: approval.id, decision: 'allow-once', by: 'ann' });
    const file = join(machines.node.machine.folder, 'ran');
    await until(() => existsSync(file), 'the command');
  });

  it('reports the expiry that the node has counted', async () => {
    const nodeConfig = { tools: { exec: { host: 'gateway' } }, approvals: { timeoutMs: 30 } } as const;
    const machines = await joined({ more: { now }, nodeConfig });
    const { id } = await asked(machines);
    const shown = () => machines.host.gateway.call('approval.show', { id });
    await until(async () => (await shown()).outcome !== undefined, 'the expiry');
    expect(await shown()).toMatchObject({ state: 'expired', outcome: 'approval-timeout (allowlist-miss)' });
  });

  it('pairs a machine by an invitation', async () => {
    const { gateway } = await testGateway({}, { now });
    const url = await gateway.listenForNodes({ host: '127.0.0.1', port: 0, tls: 'own' });
    const invitation = parseInvitation((await gateway.call('node.invite', { by: 'ann' })).invitation);
    expect((await greet(url, { invitation })).answer).toBe('welcome');
  });
});
