/** Several processes over one store and one file: real ones, killed and raced. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openApprovalStore } from '../../../src/hosts/approvals/store.ts';
import { runs, timeoutFor } from '../../support/budget.ts';
import { makeFolder } from '../../support/folder.ts';
import { ENGINES } from '../database/engines.ts';
import { startApprovals, type Worker } from './program.ts';
import { BINDING, databaseIn, JUDGEMENT, RUN } from './sample.ts';

const KILLS = runs(10, 100);
const ROUNDS = runs(80, 2000);

function start(...args: readonly string[]): Worker {
  const worker = startApprovals(args);
  onTestFinished(() => void worker.child.kill('SIGKILL'));
  return worker;
}

describe.each(ENGINES)('with %s', (engine) => {
  it('every question that was given out is there after a SIGKILL', { timeout: timeoutFor(120_000) }, async () => {
    const file = databaseIn(makeFolder());
    const given: unknown[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const worker = start('ask', file, engine);
      for (let i = 0; i <= kill % 7; i++) given.push(await worker.next());
      worker.child.kill('SIGKILL');
      // What it said before it died counts, too.
      for (let id = await worker.next(); id !== undefined; id = await worker.next()) given.push(id);
      await worker.ended();
    }
    const store = await openApprovalStore({ file, engine });
    onTestFinished(() => store.close());
    const kept = new Map(store.list('waiting', Number.MAX_SAFE_INTEGER).map((one) => [one.id, one.state]));
    expect(given.filter((id) => kept.get(String(id)) !== 'pending')).toEqual([]);
    expect(store.warnings).toEqual([]);
    // A question stands on the disk together with the lines that were audited before it.
    expect(store.auditLog(0, 1_000_000).length).toBeGreaterThanOrEqual(given.length);
  });

  it('exactly one of two processes that answer in the same instant wins, and exactly one takes the run', {
    timeout: timeoutFor(120_000),
  }, async () => {
    const file = databaseIn(makeFolder());
    const store = await openApprovalStore({ file, engine });
    onTestFinished(() => store.close());
    const workers = [start('answer', file, engine, 'ann'), start('answer', file, engine, 'bob')];
    expect(await Promise.all(workers.map((one) => one.next()))).toEqual(['ready', 'ready']);
    const winners: (string | undefined)[] = [];
    const wrong: unknown[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = store.ask({ binding: BINDING, judgement: JUDGEMENT, expiresAt: Date.now() + 1e6, run: RUN });
      const at = Date.now() + 3;
      for (const { child } of workers) child.stdin.write(`${id} ${at}\n`);
      const said = (await Promise.all(workers.map((one) => one.next()))) as { ok: boolean; took: boolean }[];
      const [won, took] = [said.filter(({ ok }) => ok), said.filter((one) => one.took)];
      const found = store.find(id);
      if (won.length !== 1 || took.length !== 1 || typeof found === 'string') wrong.push(said);
      else winners.push(found.resolvedBy);
      const winner = said[0]?.ok === true ? 'ann' : 'bob';
      if (winners.at(-1) !== winner) wrong.push({ winner, stored: winners.at(-1) });
    }
    for (const { child } of workers) child.stdin.end();
    expect(await Promise.all(workers.map((one) => one.ended()))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    expect([wrong, winners.length]).toEqual([[], ROUNDS]);
  });
});

it('three processes that add to the file lose no entry of each other', { timeout: 120_000 }, async () => {
  const file = join(makeFolder(), 'state', 'exec-approvals.json');
  const workers = ['a', 'b', 'c'].map((name) => start('add', file, '', name));
  expect(await Promise.all(workers.map((one) => one.ended()))).toEqual(workers.map(() => ({ code: 0, stderr: '' })));
  const { agents } = JSON.parse(readFileSync(file, 'utf8')) as {
    agents: { main: { allowlist: { pattern: string }[] } };
  };
  const expected = ['a', 'b', 'c'].flatMap((name) => Array.from({ length: 20 }, (_, i) => `/bin/${name}-${i}`));
  expect(agents.main.allowlist.map(({ pattern }) => pattern).sort()).toEqual(expected.sort());
});

describe.each(['node22', 'node24', 'node26'])('under %s', (name) => {
  const node = join(import.meta.dirname, '..', '..', '..', 'e2e', 'node_modules', name, 'bin', 'node');
  // Only Linux on x64 has them, and only where the registry can be reached; `npm test` says so when it cannot.
  it.skipIf(!existsSync(node))('the built-in engine is used, without its warning and with all others', async () => {
    const worker = startApprovals(['open', databaseIn(makeFolder()), 'node:sqlite'], node);
    expect(await worker.next()).toBe('closed');
    const { code, stderr } = await worker.ended();
    expect([code, stderr.match(/Warning: .*/gu)]).toEqual([0, ['Warning: another warning']]);
  });
});
