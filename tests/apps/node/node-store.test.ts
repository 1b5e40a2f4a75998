import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lastNumber, mayHavePruned, pruneAnswers, pruneKeys } from '../../../src/apps/node/kept-keys.ts';
import { type NodeStoreOptions, openNodeStore, readPairing } from '../../../src/apps/node/node-store.ts';
import { openDatabase } from '../../../src/hosts/database/open-database.ts';
import { makeFolder } from '../../support/folder.ts';

const DAY = 86_400_000;

/** Opens the store, does the work and closes it. */
async function within<T>(
  folder: string,
  work: (store: Awaited<ReturnType<typeof openNodeStore>>) => T,
  options?: NodeStoreOptions,
): Promise<T> {
  const store = await openNodeStore(folder, options);
  try {
    return work(store);
  } finally {
    store.close();
  }
}

describe('the database of a node', () => {
  it('accepts each key of each gateway once, also after a restart', async () => {
    const folder = makeFolder();
    const accept = (gateway: string, key: string) => within(folder, (store) => store.accept(gateway, key));
    expect([await accept('a', '1'), await accept('a', '1'), await accept('b', '1'), await accept('a', '2')]).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect(statSync(join(folder, 'node.db')).mode & 0o777).toBe(0o600);
  });

  it('is read without a change: nothing is created, migrated or moved aside', async () => {
    const folder = makeFolder();
    const file = join(folder, 'node.db');
    expect([await readPairing(folder), existsSync(file)]).toEqual([undefined, false]);
    // Of the first version of the schema.
    const first = `CREATE TABLE gateways (id TEXT PRIMARY KEY, url TEXT NOT NULL, paired_at INTEGER NOT NULL, bound INTEGER NOT NULL);
      INSERT INTO gateways VALUES ('g', 'wss://g', 7, 1)`;
    const { database } = await openDatabase(file, { migrations: [first], checked: [] });
    database.close();
    const before = readFileSync(file);
    expect(await readPairing(folder)).toEqual({ id: 'g', url: 'wss://g', pairedAt: 7, isBound: true });
    expect(readFileSync(file).equals(before)).toBe(true);
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
    writeFileSync(file, 'this is not a database, and it is long enough to be read as a header of one'.repeat(20));
    await expect(readPairing(folder)).rejects.toMatchObject({ code: 'APPROVAL_STORE_CORRUPT' });
    expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toEqual([]);
  });

  it('keeps a limited number of answers to approval requests of each gateway, the newest', async () => {
    const { database } = await openDatabase(join(makeFolder(), 'x.db'), {
      migrations: ['CREATE TABLE answers (gateway TEXT, id TEXT, time INTEGER, PRIMARY KEY (gateway, id))'],
      checked: ['answers'],
    });
    onTestFinished(() => database.close());
    const insert = database.prepare('INSERT INTO answers VALUES (?, ?, 1)');
    for (let at = 0; at < 5; at++) for (const gateway of ['a', 'b']) insert.run(gateway, String(at));
    pruneAnswers(database, 0, 2);
    const kept = database.prepare('SELECT gateway, id FROM answers ORDER BY gateway, id').all();
    expect(kept.map(({ gateway, id }) => `${gateway}${id}`)).toEqual(['a3', 'a4', 'b3', 'b4']);
  });

  it('keeps what is known about a key', async () => {
    const folder = makeFolder();
    await within(folder, (store) => {
      store.accept('a', '1');
      store.note('a', '1', { session: 's' });
      store.note('a', '1', { ended: '{}' });
    });
    expect(await within(folder, (store) => [store.find('a', '1'), store.find('b', '1')])).toEqual([
      { isThisBoot: true, session: 's', ended: '{}' },
      undefined,
    ]);
  });

  it.each([
    ['denied', { answer: '{}' }, 7],
    ['ended', { session: 's', ended: '{}' }, 7],
    ['that a person is asked about', { approval: 'a' }, 32],
    ['that was being started', {}, 32],
    ['that runs', { session: 's' }, undefined],
  ])('keeps the key of a request %s as long as a gateway may need it', async (_, noted, days) => {
    const folder = makeFolder();
    const at = (day: number) => ({ now: () => day * DAY });
    await within(folder, (store) => [store.accept('a', 'old'), store.note('a', 'old', noted)], at(0));
    const isKnownAfter = (day: number) =>
      within(
        folder,
        (store) => {
          store.accept('a', `key of day ${day}`);
          return store.find('a', 'old') !== undefined;
        },
        at(day),
      );
    expect([await isKnownAfter(days ?? 999), await isKnownAfter((days ?? 999) + 1)]).toEqual([
      true,
      days === undefined,
    ]);
  });

  it('counts the seven days of a command from its end', async () => {
    const folder = makeFolder();
    const at = (day: number) => ({ now: () => day * DAY });
    await within(folder, (store) => [store.accept('a', 'old'), store.note('a', 'old', { session: 's' })], at(0));
    await within(folder, (store) => store.note('a', 'old', { ended: '{}' }), at(40));
    await within(folder, (store) => store.accept('a', 'new'), at(41));
    expect(await within(folder, (store) => store.find('a', 'old'))).toMatchObject({ ended: '{}' });
  });

  it('does not claim that a key never arrived which it may have forgotten', async () => {
    const folder = makeFolder();
    const old = await within(folder, (store) => store.id, { now: () => 0 });
    await within(folder, (store) => [store.accept('a', '1'), store.note('a', '1', { answer: '{}' })], { now: () => 0 });
    const before = await within(folder, (store) => [store.isComplete(old), store.isComplete('x-1')]);
    await within(folder, (store) => store.accept('a', '2'), { now: () => 8 * DAY });
    const after = await within(folder, (store) => [store.isComplete(old), store.isComplete(store.id)]);
    expect({ before, after }).toEqual({ before: [true, false], after: [false, true] });
  });

  it('keeps a limited number of answers for a gateway, the newest ones', async () => {
    const { database } = await openDatabase(join(makeFolder(), 'x.db'), {
      migrations: [
        'CREATE TABLE store (pruned INTEGER NOT NULL)',
        `CREATE TABLE accepted (gateway TEXT, key TEXT, time INTEGER, boot TEXT, session TEXT, answer TEXT, ended TEXT, number INTEGER);
         INSERT INTO store VALUES (0)`,
      ],
      checked: ['store', 'accepted'],
    });
    onTestFinished(() => database.close());
    const insert = database.prepare('INSERT INTO accepted VALUES (?, ?, 0, ?, ?, ?, NULL, ?)');
    for (let i = 1; i <= 6; i++) insert.run('a', `denied ${i}`, 'b', null, '{}', i);
    for (let i = 7; i <= 12; i++) insert.run('a', `runs ${i}`, 'b', 's', null, i);
    insert.run('other', 'denied 13', 'b', null, '{}', 13);
    pruneKeys(database, 0, 'b', 2);
    const keys = database.prepare('SELECT key FROM accepted ORDER BY number').all();
    expect(keys.map(({ key }) => key)).toEqual([
      'denied 5',
      'denied 6',
      ...[7, 8, 9, 10, 11, 12].map((i) => `runs ${i}`),
      'denied 13',
    ]);
    expect([mayHavePruned(database, 3), mayHavePruned(database, 4), lastNumber(database)]).toEqual([true, false, 13]);
  });

  it('has the same id until the machine restarts, and another one as a new file', async () => {
    const folder = makeFolder();
    const id = (boot: string, at = folder) => within(at, (store) => store.id, { boot });
    const first = await id('1');
    expect([await id('1'), await id('2'), await id('1', makeFolder())].map((other) => other === first)).toEqual([
      true,
      false,
      false,
    ]);
    expect(await within(folder, (store) => store.id)).toMatch(/^[\w-]{1,128}$/u);
  });

  it('has one paired gateway, whose TLS binding stays required', async () => {
    const folder = makeFolder();
    const now = () => 5;
    await within(folder, (store) => store.pair({ id: 'a', url: 'wss://a', isBound: true }), { now });
    await within(folder, (store) => store.pair({ id: 'a', url: 'ws://b', isBound: false }), { now: () => 9 });
    expect(await within(folder, (store) => store.paired())).toEqual({
      id: 'a',
      url: 'ws://b',
      pairedAt: 5,
      isBound: true,
    });
    await within(folder, (store) => store.pair({ id: 'c', url: 'wss://c', isBound: false, proxy: true }), { now });
    expect(await within(folder, (store) => store.paired())).toEqual({
      id: 'c',
      url: 'wss://c',
      pairedAt: 5,
      isBound: false,
      proxy: true,
    });
    await within(folder, (store) => store.pair({ id: 'c', url: 'wss://direct', isBound: true }), { now });
    expect(await within(folder, (store) => store.paired())).not.toHaveProperty('proxy');
    expect(await within(folder, (store) => [store.forget(), store.forget(), store.paired()])).toEqual([
      true,
      false,
      undefined,
    ]);
  });
});
