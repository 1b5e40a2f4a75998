import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type NodeStoreOptions, openNodeStore } from '../../../src/apps/node/node-store.ts';
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

  it('keeps a key for seven days', async () => {
    const folder = makeFolder();
    await within(folder, (store) => store.accept('a', 'old'), { now: () => 0 });
    const isKnownAfter = (days: number) =>
      within(
        folder,
        (store) => {
          store.accept('a', `key of day ${days}`);
          return store.find('a', 'old') !== undefined;
        },
        { now: () => days * DAY + 1 },
      );
    expect([await isKnownAfter(6), await isKnownAfter(7)]).toEqual([true, false]);
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
    expect(await within(folder, (store) => store.id)).toMatch(/^[\w-]{1,64}$/u);
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
    await within(folder, (store) => store.pair({ id: 'c', url: 'wss://c', isBound: false }), { now });
    expect(await within(folder, (store) => store.paired())).toEqual({
      id: 'c',
      url: 'wss://c',
      pairedAt: 5,
      isBound: false,
    });
    expect(await within(folder, (store) => [store.forget(), store.forget(), store.paired()])).toEqual([
      true,
      false,
      undefined,
    ]);
  });
});
