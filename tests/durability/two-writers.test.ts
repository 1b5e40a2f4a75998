/** Two agents in two processes on one file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { edit, patch } from '../escapes/case.ts';
import { makeGround } from '../escapes/ground.ts';
import { callBatch } from '../escapes/program.ts';
import { runs, timeoutFor } from '../support/budget.ts';

const ROUNDS = runs(25, 500);
const turns = Array.from({ length: ROUNDS }, (_, i) => i);

it('two processes that edit one file many times lose no edit', async () => {
  const ground = makeGround();
  onTestFinished(() => ground.remove());
  const target = join(ground.ws, 'list.txt');
  writeFileSync(target, 'begin\nend\n');
  const edits = turns.map((i) => edit('list.txt', 'end\n', `edit ${i}\nend\n`));
  const patches = turns.map((i) => patch('*** Update File: list.txt', '@@', `+patch ${i}`, ' end'));
  const ended = await Promise.all(
    [edits, patches].map((calls) => callBatch(calls, { ground, timeoutMs: timeoutFor(60_000) })),
  );
  expect(ended.flatMap(({ answers }) => answers.filter(({ isError }) => isError))).toEqual([]);
  const lines = readFileSync(target, 'utf8').split('\n');
  expect(lines.filter((line) => line.startsWith('edit'))).toEqual(turns.map((i) => `edit ${i}`));
  expect(lines.filter((line) => line.startsWith('patch'))).toEqual(turns.map((i) => `patch ${i}`));
  expect([lines[0], ...lines.slice(-2), lines.length]).toEqual(['begin', 'end', '', 2 * ROUNDS + 3]);
});
