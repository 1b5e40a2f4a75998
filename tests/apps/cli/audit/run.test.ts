import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../../src/hosts/approvals/schema.ts';
import { openDatabase } from '../../../../src/hosts/database/open-database.ts';
import { daemonPlace, type Place, runProgram } from '../../../support/daemon.ts';

const PROGRAM = join(import.meta.dirname, '../../../../dist/pincer.cjs');
const run = (place: Place, ...args: readonly string[]) => runProgram(PROGRAM, place, args);

async function change(place: Place, sql: string): Promise<void> {
  const file = join(place.stateDir, 'gateway.db');
  const { database } = await openDatabase(file, { migrations: MIGRATIONS, checked: [] });
  database.exec(`DROP TRIGGER audit_is_not_changed; ${sql}`);
  database.close();
}

test('B18: audit verify exits 0 if the chain is intact, and 1 with the first broken row', async () => {
  const place = daemonPlace();
  expect(await run(place, 'audit', 'verify', '--human')).toMatchObject({
    code: 0,
    stdout: 'the audit log is empty\n',
  });
  expect((await run(place, 'exec', '-c', 'true')).code).toBe(0);
  expect((await run(place, 'exec', '-c', 'false')).code).toBe(1);
  const held = await run(place, 'audit', 'verify');
  expect([held.code, JSON.parse(held.stdout)]).toEqual([
    0,
    { ok: true, rows: 4, removedUpTo: 0, last: 4, hash: expect.stringMatching(/^[0-9a-f]{64}$/u) },
  ]);
  expect((await run(place, 'audit', 'verify', '--human')).stdout).toMatch(
    /^4 rows are intact, up to row 4 \(hash [0-9a-f]{64}\)\n$/u,
  );
  expect((await run(place, 'daemon', 'stop')).code).toBe(0);
  await change(place, `UPDATE audit SET line = replace(line, 'true', 'rm -rf /') WHERE seq = 2`);
  expect(await run(place, 'audit', 'verify', '--human')).toMatchObject({
    code: 1,
    stdout: 'the chain is broken at row 2: the row is missing or was changed (intact rows before it: 1)\n',
  });
  expect(JSON.parse((await run(place, 'audit', 'verify', '--json')).stdout)).toEqual({ ok: false, rows: 1, broken: 2 });
  expect((await run(place, 'audit', 'list')).code).toBe(2);
  expect((await run(place, 'audit')).code).toBe(2);
});

test('B18: no record contains a secret of a command, and a pending request is shown in full', async () => {
  const place = daemonPlace();
  const config = join(place.env['HOME']!, '.config', 'pincer');
  mkdirSync(config, { recursive: true });
  const host = (name: string) =>
    writeFileSync(join(config, 'pincer.jsonc'), `{ tools: { exec: { host: "${name}" } } }`);
  host('sandbox');
  const started = await run(place, 'exec', '--background', '-c', 'API_TOKEN=hunter2 sh -c "echo done; sleep 60"');
  expect(started.code).toBe(0);
  host('gateway');
  const asked = await run(
    place,
    'call',
    'exec',
    '{"command":"curl --user me:hunter2 http://localhost","env":{"DB_PASSWORD":"hunter2"}}',
  );
  expect(asked.stdout).toContain('approval-pending');
  const [open] = (JSON.parse((await run(place, 'approvals', 'list')).stdout) as { approvals: { slug: string }[] })
    .approvals;
  expect(open).toMatchObject({
    binding: { command: 'curl --user me:hunter2 http://localhost', env: { DB_PASSWORD: 'hunter2' } },
  });
  expect((await run(place, 'approvals', 'deny', open!.slug)).code).toBe(0);
  expect(JSON.parse((await run(place, 'approvals', 'show', open!.slug)).stdout)).toMatchObject({
    state: 'denied',
    masked: true,
    binding: { command: expect.stringMatching(/^curl --user \*\*\*/u) as string, env: { DB_PASSWORD: '***' } },
  });
  expect((await run(place, 'events', '--json')).stdout).not.toContain('hunter2');
  const audit = (await run(place, 'events', '--audit', '--json')).stdout;
  expect(audit).not.toContain('hunter2');
  expect(JSON.parse(audit.split('\n')[0]!)).toMatchObject({
    event: 'started',
    masked: true,
    command: expect.stringMatching(/^API_TOKEN=\*\*\* sh/u),
  });
  const [session] = readdirSync(join(place.stateDir, 'sessions'));
  const record = readFileSync(join(place.stateDir, 'sessions', session!, 'session.json'), 'utf8');
  expect(record).not.toContain('hunter2');
  expect(JSON.parse(record)).toMatchObject({ masked: true });
  expect((await run(place, 'ps')).stdout).toContain('API_TOKEN=hunter2');
  expect((await run(place, 'daemon', 'stop', '--force')).code).toBe(0);
});
