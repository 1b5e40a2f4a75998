import { expect, it } from 'vitest';
import { joined } from '../../apps/node/joined-machines.ts';
import { ASKS_OFTEN, pending, testGateway, type TestGateway } from '../../support/gateway.ts';
import type { ApprovalInfo, Decision } from '../../../src/wire/approval.ts';

async function answered(test: TestGateway, command: string, decision?: Decision, by = 'ann'): Promise<ApprovalInfo> {
  const { id } = pending(await test.exec({ command }));
  if (decision !== undefined) await test.gateway.call('approval.resolve', { id, decision, by });
  return test.gateway.call('approval.show', { id });
}

it('pages through approvals with the newest first, also of the same millisecond', async () => {
  const test = await testGateway(ASKS_OFTEN, { now: () => 1_700_000_000_000 });
  const all: string[] = [];
  for (const number of [1, 2, 3, 4, 5, 6, 7]) all.push((await answered(test, `expr ${number} + 1`)).id);
  const seen: string[] = [];
  for (let before: string | undefined; ; ) {
    const page = await test.gateway.call('approval.history', { limit: 3, ...(before === undefined ? {} : { before }) });
    seen.push(...page.approvals.map(({ id }) => id));
    if (page.next === undefined) break;
    before = page.next;
  }
  expect(seen).toEqual(all.toSorted().toReversed());
});

it('ends a page early where commands are long, and loses none', async () => {
  const test = await testGateway(ASKS_OFTEN);
  const all: string[] = [];
  for (let number = 10; number < 90; number++)
    all.push((await answered(test, `expr ${number}${'1'.repeat(100_000)}`)).id);
  const seen: string[] = [];
  const sizes: number[] = [];
  for (let before: string | undefined; ; ) {
    const page = await test.gateway.call('approval.history', {
      limit: 100,
      ...(before === undefined ? {} : { before }),
    });
    sizes.push(JSON.stringify(page).length);
    seen.push(...page.approvals.map(({ id }) => id));
    if (page.next === undefined) break;
    before = page.next;
  }
  expect(new Set(seen)).toEqual(new Set(all));
  expect([seen.length, sizes.length > 1, Math.max(...sizes) < 7 << 20]).toEqual([80, true, true]);
});

it.each([
  ['', ['expr 3 + 1', 'expr 2 + 1', 'expr 1 + 1']],
  ['EXPR "2 +"', ['expr 2 + 1']],
  ['state:denied', ['expr 1 + 1']],
  ['-state:denied by:bob', ['expr 2 + 1']],
  ['bob', ['expr 2 + 1']],
  ['pending', ['expr 3 + 1']],
  ['agent:other', []],
  ['until:1h', []],
])('the search %j finds %j', async (q, expected) => {
  let time = 1_700_000_000_000;
  const test = await testGateway(ASKS_OFTEN, { now: () => time++ });
  await answered(test, 'expr 1 + 1', 'deny');
  await answered(test, 'expr 2 + 1', 'allow-once', 'bob');
  await answered(test, 'expr 3 + 1');
  const { approvals } = await test.gateway.call('approval.history', { q });
  expect(approvals.map(({ binding }) => binding.command)).toEqual(expected);
});

it('names the place of an error', async () => {
  const { gateway } = await testGateway(ASKS_OFTEN);
  await expect(gateway.call('approval.history', { q: 'state:open' })).rejects.toMatchObject({
    code: 'QUERY_INVALID',
    message: 'state: must be pending, allowed, denied, expired, cancelled (at character 7: "open")',
  });
});

it('has the approvals of nodes', async () => {
  const { host } = await joined();
  const approval = pending(await host.exec({ command: 'touch ran' }));
  expect(await host.gateway.call('approval.history', { q: 'host:node touch' })).toEqual({ approvals: [approval] });
});
