import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../src/hosts/approvals/schema.ts';
import type { ApprovalStore } from '../../../src/hosts/approvals/shape.ts';
import { openDatabase } from '../../../src/hosts/database/open-database.ts';
import type { EngineName } from '../../../src/hosts/database/shape.ts';
import { makeFolder } from '../../support/folder.ts';
import { ENGINES } from '../database/engines.ts';
import { type Clock, databaseIn, storeAt } from './sample.ts';

const UNGUARDED =
  'DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_removed; DROP TRIGGER audit_has_a_hash;';

async function change(file: string, engine: EngineName, sql: string): Promise<void> {
  const { database } = await openDatabase(file, { migrations: MIGRATIONS, checked: [], engine });
  database.exec(sql);
  database.close();
}

function note(store: ApprovalStore, count: number, agent = 'main', clock?: Clock): void {
  for (let number = 0; number < count; number++) {
    store.audit({ event: 'started', agent, command: `ls ${number}`, details: {} });
    if (clock !== undefined && number % 50 === 49) clock.time += 1000;
  }
}

describe.each(ENGINES)('the audit log with %s', (engine) => {
  const fresh = async () => {
    const clock: Clock = { time: 1_000_000 };
    const file = databaseIn(makeFolder());
    return { clock, file, store: await storeAt(file, clock, engine) };
  };

  it('B18: is a valid chain, also after a restart and with two writers', async () => {
    const { clock, file, store } = await fresh();
    expect(await store.verifyAudit()).toEqual({ ok: true, rows: 0, removedUpTo: 0, last: 0, hash: '' });
    const other = await storeAt(file, clock, engine);
    for (let round = 0; round < 3; round++) {
      note(store, 2);
      store.flush();
      note(other, 1, 'other');
      other.flush();
    }
    store.close();
    const again = await storeAt(file, clock, engine);
    note(again, 600, 'main', clock);
    expect(await again.verifyAudit()).toMatchObject({
      ok: true,
      rows: 609,
      last: 609,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/u),
    });
  });

  it.each([
    ['a row that was changed', `UPDATE audit SET line = '{"event":"ended","agent":"x","details":{}}' WHERE seq = 3`, 3],
    ['a time that was changed', 'UPDATE audit SET time = 5 WHERE seq = 4', 4],
    ['a row that was removed', 'DELETE FROM audit WHERE seq = 3', 4],
    ['the newest rows removed', 'DELETE FROM audit WHERE seq > 7', 8],
    ['the oldest rows removed', 'DELETE FROM audit WHERE seq < 3', 3],
    ['a row that was added', `INSERT INTO audit VALUES (11, 1, '{"event":"x","agent":"x","details":{}}', 'abc')`, 11],
    ['a row without a hash', `INSERT INTO audit VALUES (11, 1, '{"event":"x","agent":"x","details":{}}', NULL)`, 11],
  ] as const)('B18: %s is found, also after a restart', async (_, sql, seq) => {
    const { clock, file, store } = await fresh();
    note(store, 10);
    store.close();
    await change(file, engine, `${UNGUARDED}${sql}`);
    const again = await storeAt(file, clock, engine);
    expect(await again.verifyAudit()).toMatchObject({ ok: false, broken: seq });
  });

  it('B18: rows of a store from before the chain become its start', async () => {
    const clock: Clock = { time: 1_000_000 };
    const file = databaseIn(makeFolder());
    const { database } = await openDatabase(file, { migrations: MIGRATIONS.slice(0, 2), checked: [], engine });
    for (let number = 0; number < 1_200; number++)
      database
        .prepare('INSERT INTO audit (time, line) VALUES (?, ?)')
        .run(number, '{"event":"judged","agent":"a","details":{}}');
    database.close();
    clock.time = 5_000;
    const store = await storeAt(file, clock, engine);
    note(store, 1);
    expect(await store.verifyAudit()).toMatchObject({ ok: true, rows: 1_201, removedUpTo: 0, last: 1_201 });
    store.close();
    await change(file, engine, `${UNGUARDED}UPDATE audit SET line = '{}' WHERE seq = 700`);
    expect(await (await storeAt(file, clock, engine)).verifyAudit()).toMatchObject({ ok: false, broken: 700 });
  });

  it('B18: rows are removed by age, oldest first, and the chain stays valid', async () => {
    const { clock, file, store } = await fresh();
    note(store, 5);
    store.close();
    clock.time += 366 * 24 * 3600_000;
    const later = await storeAt(file, clock, engine);
    note(later, 2);
    expect(await later.verifyAudit()).toMatchObject({ ok: true, rows: 2, removedUpTo: 5, last: 7 });
    expect(later.auditLog(0, 10).map(({ seq }) => seq)).toEqual([6, 7]);
  });

  it('B18: a row takes at most 4 KiB, whatever it contains', async () => {
    const { store } = await fresh();
    const long = 'é\0'.repeat(20_000);
    store.audit({ event: 'started', agent: 'main', command: `x ${long}`, details: { long, list: [long, long] } });
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, number) => [`${number}${long}`, long]));
    store.audit({ event: 'started', agent: long, conversation: long, by: long, command: long, details: many });
    const rows = store.auditLog(0, 10);
    expect(rows.map((row) => Buffer.byteLength(JSON.stringify(row)) < 4096 + 64)).toEqual([true, true]);
    expect(rows[0]).toMatchObject({ seq: 1, cut: true, command: expect.stringMatching(/^x [é\0]+…$/u) });
  });

  it('B18: rows take at most 64 MiB, the oldest are removed, and the chain stays valid', async () => {
    const { clock, store } = await fresh();
    const long = 'e'.repeat(3_900);
    for (let number = 0; number < 17_500; number++) {
      if (number % 100 === 0) clock.time += 1000;
      store.audit({ event: 'started', agent: 'main', command: `${number} ${long}`, details: {} });
    }
    expect(await store.verifyAudit()).toMatchObject({ ok: true, last: 17_500 });
    const kept = store.auditLog(0, 20_000);
    expect(kept[0]!.seq).toBeGreaterThan(500);
    expect(kept.length * long.length).toBeLessThan(64 << 20);
    expect(kept.length * long.length).toBeGreaterThan(50 << 20);
  }, 180_000);

  it('B18: an agent causes 100 rows a second, what is more is counted, and people are never left out', async () => {
    const { clock, store } = await fresh();
    note(store, 250);
    note(store, 1, 'other');
    store.audit({ event: 'answered', agent: 'main', by: 'ann', details: {} });
    clock.time += 1000;
    note(store, 1);
    const rows = store.auditLog(0, 1000);
    expect(rows.map(({ event, agent }) => `${event} ${agent}`)).toEqual([
      ...Array.from({ length: 100 }, () => 'started main'),
      'started other',
      'answered main',
      'omitted main',
      'started main',
    ]);
    expect(rows[102]).toMatchObject({ details: { more: 150, text: '150 more' } });
  });

  it('B18: what was counted when the store closes is written', async () => {
    const { clock, file, store } = await fresh();
    note(store, 105);
    store.close();
    const rows = (await storeAt(file, clock, engine)).auditLog(0, 1000);
    expect(rows.at(-1)).toMatchObject({ event: 'omitted', agent: 'main', details: { more: 5 } });
  });

  it('B18: commands and details are stored with masked secrets', async () => {
    const { file, store } = await fresh();
    store.audit({
      event: 'denied',
      agent: 'main',
      command: 'mysql -phunter2 db',
      details: { reason: 'TOKEN=hunter2 is no name', list: ['--password=hunter2'] },
    });
    store.audit({ event: 'denied', agent: 'main', command: 'ls', details: {} });
    store.close();
    const { database } = await openDatabase(file, { migrations: MIGRATIONS, checked: [], engine });
    const lines = database
      .prepare('SELECT line FROM audit ORDER BY seq')
      .all()
      .map(({ line }) => String(line));
    database.close();
    expect(lines.join('\n')).not.toContain('hunter2');
    expect(JSON.parse(lines[0]!)).toEqual({
      event: 'denied',
      agent: 'main',
      command: 'mysql -p*** db',
      details: { reason: 'TOKEN=*** is no name', list: ['--password=***'] },
      masked: true,
    });
    expect(JSON.parse(lines[1]!)).not.toHaveProperty('masked');
  });
});
