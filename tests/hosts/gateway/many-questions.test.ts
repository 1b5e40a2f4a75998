import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../support/folder.ts';
import { ASKS_OFTEN, JUDGED, pending, testGateway } from '../../support/gateway.ts';
import { processorMs } from '../../support/patience.ts';
import { leaveQuestions } from '../approvals/many-open.ts';

const FULL = 500;

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
  const empty = await testGateway(ASKS_OFTEN);
  const full = await testGateway(ASKS_OFTEN, {}, root);
  const asking = (test: typeof empty) =>
    costOf(60, async (number) => pending(await test.exec({ command: `rm -rf x${number}` })));
  const [none, many] = [await asking(empty), await asking(full)];
  expect(await full.gateway.call('approval.count', {})).toBe(1_570);
  expect(many / none).toBeLessThan(2);
});

test('F6: an agent with 500 pending requests is refused, and others are not', async () => {
  const root = makeFolder();
  await leaveQuestions(join(root, 'state'), { main: FULL, other: 1 });
  const test = await testGateway(ASKS_OFTEN, {}, root);
  expect(await test.exec({ command: 'rm -rf x' })).toMatchObject({
    status: 'denied',
    reason: 'approval-unavailable',
    message: 'the command was not run: it needs an approval, and agent main already has 500 pending approval requests',
    hint: expect.stringContaining('pincer approvals list'),
  });
  pending(await test.exec({ command: 'rm -rf x' }, { caller: { agent: 'other' } }));
  const [first] = await test.gateway.call('approval.list', {});
  await test.gateway.call('approval.resolve', { id: first!.id, decision: 'deny', by: 'ann' });
  pending(await test.exec({ command: 'rm -rf x' }));
  const audit = await test.gateway.call('audit.list', {});
  expect(audit[0]).toMatchObject({ event: 'denied', agent: 'main', details: { openQuestions: FULL } });
});

const MIB = 1 << 20;
const GUEST = 'g'.repeat(32);

test('an agent with 32 MiB of pending requests is refused, and others are not', async () => {
  const root = makeFolder();
  await leaveQuestions(join(root, 'state'), { main: 32 }, { NOTE: 'x'.repeat(MIB) });
  const test = await testGateway(ASKS_OFTEN, {}, root);
  expect(await test.exec({ command: 'rm -rf x' })).toMatchObject({
    status: 'denied',
    reason: 'approval-unavailable',
    message:
      'the command was not run: it needs an approval, and agent main already has 32 MiB of pending approval requests',
  });
  pending(await test.exec({ command: 'rm -rf x' }, { caller: { agent: 'main2' } }));
});

test('all agents that a gateway names share 32 MiB of pending requests', async () => {
  const root = makeFolder();
  const agents = Object.fromEntries(Array.from({ length: 32 }, (_, number) => [`${GUEST}/a${number}`, 1]));
  await leaveQuestions(join(root, 'state'), agents, { NOTE: 'x'.repeat(MIB) });
  const test = await testGateway(JUDGED, {}, root);
  const exec = (agent: string) => test.exec({ command: 'rm -rf x' }, { caller: { agent } });
  expect(await exec(`${GUEST}/another`)).toMatchObject({ reason: 'approval-unavailable' });
  pending(await exec(`${'h'.repeat(32)}/another`));
});

test('a call with more than 256 KiB of variables is refused: every list of requests would have them', async () => {
  const test = await testGateway(JUDGED);
  const env = { A: 'x'.repeat(128 * 1024), B: 'x'.repeat(128 * 1024) };
  await expect(test.exec({ command: 'rm -rf x', env })).rejects.toMatchObject({
    code: 'EXEC_ENV_REFUSED',
    message: 'env has more than 262144 bytes',
  });
});

test('a part of the history has no more long requests than its reader gets, and none is lost', async () => {
  const root = makeFolder();
  await leaveQuestions(join(root, 'state'), { main: 20 }, { NOTE: 'x'.repeat(MIB) });
  const { gateway } = await testGateway(JUDGED, {}, root);
  const numbers: number[] = [];
  const ids = new Set<string>();
  for (let before: string | undefined, isFirst = true; isFirst || before !== undefined; isFirst = false) {
    const part = await gateway.call('approval.history', { limit: 1_000, ...(before === undefined ? {} : { before }) });
    numbers.push(part.approvals.length);
    for (const { id } of part.approvals) ids.add(id);
    before = part.next;
  }
  expect({ numbers, ids: ids.size }).toEqual({ numbers: [5, 5, 5, 5], ids: 20 });
});
