import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { nodeQuestionsIn, type NodeQuestions } from '../../../src/hosts/approvals/node-questions.ts';
import { makeFolder } from '../../support/folder.ts';
import { ENGINES } from '../database/engines.ts';
import { BINDING, type Clock, databaseIn, JUDGEMENT, RUN, storeAt } from './sample.ts';

const DAY = 86_400_000;
const NODE = { id: 'a'.repeat(32), name: 'mac' };

async function fresh(): Promise<{ readonly clock: Clock; readonly questions: NodeQuestions }> {
  const clock: Clock = { time: 1_000_000 };
  const { database } = await storeAt(databaseIn(makeFolder()), clock, ENGINES[0]!);
  return {
    clock,
    questions: nodeQuestionsIn(
      database,
      () => clock.time,
      () => 'mac',
    ),
  };
}

function add(questions: NodeQuestions, remainingMs = DAY): string {
  const question = {
    node: NODE,
    remoteId: randomUUID(),
    answers: 'once',
    binding: BINDING,
    judgement: JUDGEMENT,
  } as const;
  return questions.add({ ...question, remainingMs, run: RUN })!.approval.id;
}

it('a node cannot keep an approval request open for longer than 31 days', async () => {
  const { clock, questions } = await fresh();
  const start = clock.time;
  const id = add(questions, 1000 * DAY);
  const expiresAt = (): number => questions.get(id)!.approval.expiresAt;
  expect(expiresAt()).toBe(start + 31 * DAY);
  clock.time += 20 * DAY;
  questions.stillPending(id, 366 * DAY, 'once');
  expect(expiresAt()).toBe(start + 31 * DAY);
  questions.stillPending(id, DAY, 'once');
  expect(expiresAt()).toBe(start + 21 * DAY);
});

it('old approval requests are removed while the gateway runs', async () => {
  const { clock, questions } = await fresh();
  const old = add(questions);
  clock.time += 31 * DAY;
  const id = add(questions);
  expect([questions.get(old), questions.get(id)?.approval.id]).toEqual([undefined, id]);
});
