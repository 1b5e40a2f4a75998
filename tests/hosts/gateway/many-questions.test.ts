import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../support/folder.ts';
import { JUDGED, pending, testGateway } from '../../support/gateway.ts';
import { processorMs } from '../../support/patience.ts';
import { leaveQuestions } from '../approvals/many-open.ts';

const FULL = 200;

async function costOf(count: number, ask: (number: number) => Promise<unknown>): Promise<number> {
  for (let number = 0; number < 10; number++) await ask(-number);
  const before = processorMs();
  for (let number = 1; number <= count; number++) await ask(number);
  return processorMs() - before;
}

test('F6: asking with 1,500 open questions costs at most twice as much as asking with none', async () => {
  const root = makeFolder();
  await leaveQuestions(
    join(root, 'state'),
    Object.fromEntries(Array.from({ length: 10 }, (_, number) => [`a${number}`, 150])),
  );
  const empty = await testGateway(JUDGED);
  const full = await testGateway(JUDGED, {}, root);
  const asking = (test: typeof empty) =>
    costOf(60, async (number) => pending(await test.exec({ command: `rm -rf x${number}` })));
  const [none, many] = [await asking(empty), await asking(full)];
  expect(await full.gateway.call('approval.count', {})).toBe(1_570);
  expect(many / none).toBeLessThan(2);
});

test('F6: an agent with 200 pending requests is refused, and others are not', async () => {
  const root = makeFolder();
  await leaveQuestions(join(root, 'state'), { main: FULL, other: 1 });
  const test = await testGateway(JUDGED, {}, root);
  expect(await test.exec({ command: 'rm -rf x' })).toMatchObject({
    status: 'denied',
    reason: 'approval-unavailable',
    message: 'the command was not run: it needs an approval, and agent main already has 200 pending approval requests',
    hint: expect.stringContaining('pincer approvals list'),
  });
  pending(await test.exec({ command: 'rm -rf x' }, { caller: { agent: 'other' } }));
  const [first] = await test.gateway.call('approval.list', {});
  await test.gateway.call('approval.resolve', { id: first!.id, decision: 'deny', by: 'ann' });
  pending(await test.exec({ command: 'rm -rf x' }));
  const audit = await test.gateway.call('audit.list', {});
  expect(audit[0]).toMatchObject({ event: 'denied', agent: 'main', details: { openQuestions: FULL } });
});
