import { join } from 'node:path';
import { expect, test } from 'vitest';
import { daemonPlace, type Place, runProgram } from '../../support/daemon.ts';
import { until } from '../../support/patience.ts';

const PROGRAM = join(import.meta.dirname, '../../../dist/pincer.cjs');

/** Starts so many commands in the background, as an agent does; gives the ids of their sessions. */
async function startMany(place: Place, agent: string, count: number): Promise<readonly string[]> {
  const calls = Array.from({ length: count }, (_, number) => ({
    id: number,
    tool: 'exec',
    args: { command: `echo ${agent}-${number}`, background: true },
  }));
  const input = calls.map((call) => `${JSON.stringify(call)}\n`).join('');
  const { stdout } = await runProgram(PROGRAM, place, ['call', '--batch', '--agent', agent], input);
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; details: { sessionId: string } });
  return results.toSorted((a, b) => a.id - b.id).map(({ details }) => details.sessionId);
}

test('B14: the output of 70 background sessions can be read, also after another agent has started as many', async () => {
  const place = daemonPlace();
  const mine = await startMany(place, 'main', 70);
  await startMany(place, 'other', 70);
  const status = async () =>
    JSON.parse((await runProgram(PROGRAM, place, ['daemon', 'status', '--json'])).stdout) as {
      sessions: { running: number; finished: number };
    };
  let finished = 0;
  await until(async () => (finished = (await status()).sessions.finished) === 140, 'the end of all sessions');
  expect(finished).toBe(140);
  for (const number of [0, 1, 35, 69]) {
    const { stdout } = await runProgram(PROGRAM, place, ['logs', mine[number]!]);
    expect(stdout).toBe(`main-${number}\n`);
  }
  expect((await runProgram(PROGRAM, place, ['daemon', 'stop'])).code).toBe(0);
});
