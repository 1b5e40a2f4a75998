import { describe, expect, it, vi } from 'vitest';
import { hiddenCharacters } from '../../../src/base/hidden-characters.ts';
import { nodeName } from '../../../src/hosts/nodes/node-name.ts';
import { registryIn } from '../../../src/hosts/nodes/registry.ts';
import { nodeLabel } from '../../../src/policy/node-match.ts';
import { nodeName as wireName } from '../../../src/wire/nodes/node.ts';
import { check } from '../../../src/wire/schema.ts';
import { faultOf } from '../../support/fault.ts';
import { anyCharacter, fc } from '../../support/property.ts';
import { clock, database, diskFull, OFFER } from './sample.ts';

let count = 0;
function node(name: string) {
  const id = `${(count++).toString(36).replaceAll(/[^a-z2-7]/gu, 'a')}${'b'.repeat(32)}`.slice(0, 32);
  return { id, publicKey: id, name, platform: 'linux', version: '1', offer: OFFER, bound: true } as const;
}

describe('the registry', () => {
  it('numbers a name that another node has, in any case', async () => {
    const registry = registryIn(await database(), clock().now);
    const [first, second, third] = [
      node('mac'),
      { ...node('Mac'), id: 'c'.repeat(32) },
      { ...node('mac'), id: 'd'.repeat(32) },
    ];
    expect([first, second, third].map((one) => registry.pair(one, 'ann')?.name)).toEqual(['mac', 'Mac-2', 'mac-3']);
  });

  it('numbers or refuses a name that could be taken for the id of a node', async () => {
    const registry = registryIn(await database(), clock().now);
    const meant = { ...node('mac'), id: 'abcdef'.padEnd(32, 'x') };
    registry.pair(meant, 'ann');
    const names = [meant.id, 'ABCDEF', 'abcdefx', 'z'.repeat(32), 'abcde'];
    const given = names.map((name, i) => registry.pair({ ...node(name), id: `${'cdefg'[i]}`.repeat(32) }, 'ann')?.name);
    expect(given).toEqual([`${meant.id}-2`, 'ABCDEF-2', 'abcdefx-2', `${'z'.repeat(32)}-2`, 'abcde']);
    for (const name of names.slice(0, 4))
      expect(faultOf(() => registry.rename('g'.repeat(32), name)).code).toBe('NODE_NAME_REFUSED');
  });

  it('gives a replacing node the name of the old one, which it revokes', async () => {
    const registry = registryIn(await database(), clock().now);
    const old = { ...node('mac'), id: 'c'.repeat(32) };
    registry.pair(old, 'ann');
    registry.rename(old.id, 'build');
    const fresh = { ...node('mac'), id: 'd'.repeat(32) };
    expect(registry.pair(fresh, 'ann', { replaces: old.id })?.name).toBe('build');
    expect(registry.all().map(({ id, state }) => `${id[0]} ${state}`)).toEqual(['d paired', 'c revoked']);
  });

  it('records each key that ends: of rotations, announcements, removals and replacements', async () => {
    const kept = await database();
    const time = clock();
    const registry = registryIn(kept, time.now);
    const [one, two] = [
      { ...node('one'), id: 'c'.repeat(32), publicKey: 'one' },
      { ...node('two'), id: 'd'.repeat(32), publicKey: 'two' },
    ];
    registry.pair(one, 'ann');
    const ended = (): readonly string[] =>
      registryIn(kept, time.now)
        .endedKeys(1_000)
        .map(({ key }) => key)
        .toSorted();
    registry.replaceKey(one.id); // nothing was announced
    registry.announceKey(one.id, 'one-a');
    expect(ended()).toEqual([]);
    registry.announceKey(one.id, 'one-b');
    expect(ended()).toEqual(['one-a']);
    registry.replaceKey(one.id);
    expect(ended()).toEqual(['one', 'one-a']);
    registry.announceKey(one.id, 'one-c');
    registry.pair(two, 'ann', { replaces: one.id });
    expect(ended()).toEqual(['one', 'one-a', 'one-b', 'one-c']);
    registry.announceKey(two.id, 'two-a');
    registry.revoke(two.id);
    expect(ended().slice(4)).toEqual(['two', 'two-a']);
    time.pass(1_001);
    expect(ended()).toEqual([]);
  });

  it('knows which ended keys a node that gateways share uses again', async () => {
    const registry = registryIn(await database(), clock().now);
    const [shared, bound] = [
      { ...node('shared'), id: 'c'.repeat(32), publicKey: 'one', bound: false },
      { ...node('bound'), id: 'd'.repeat(32), publicKey: 'two' },
    ];
    const inUse = (): readonly string[] =>
      registry.endedKeys(1_000).flatMap(({ key, isInUse }) => (isInUse ? [key] : []));
    for (const each of [shared, bound]) {
      registry.pair(each, 'ann');
      registry.revoke(each.id);
    }
    expect(inUse()).toEqual([]);
    for (const each of [shared, bound]) registry.pair(each, 'ann');
    expect(inUse()).toEqual(['one']);
    registry.revoke(shared.id);
    expect(inUse()).toEqual([]);
  });

  it('reports a change that is on disk, and none that failed', async () => {
    const file = await database();
    let changes = 0;
    const registry = registryIn(file, clock().now, () => void changes++);
    const mac = node('mac');
    registry.pair(mac, 'ann');
    expect(changes).toBe(1);
    vi.spyOn(file, 'transaction').mockImplementationOnce(diskFull);
    expect(() => registry.revoke(mac.id)).toThrow('the disk is full');
    expect([changes, registry.get(mac.id)?.state]).toEqual([1, 'paired']);
  });

  it('frees the name of a revoked node', async () => {
    const registry = registryIn(await database(), clock().now);
    const [old, fresh] = [
      { ...node('mac'), id: 'c'.repeat(32) },
      { ...node('mac'), id: 'd'.repeat(32) },
    ];
    registry.pair(old, 'ann');
    registry.revoke(old.id);
    expect(registry.pair(fresh, 'ann')?.name).toBe('mac');
    expect(registry.pair(old, 'bob')).toMatchObject({ name: 'mac-2', state: 'paired', pairedBy: 'bob' });
  });

  it('refuses a taken and an invalid name', async () => {
    const registry = registryIn(await database(), clock().now);
    const [a, b] = [
      { ...node('a'), id: 'c'.repeat(32) },
      { ...node('b'), id: 'd'.repeat(32) },
    ];
    registry.pair(a, 'ann');
    registry.pair(b, 'ann');
    // The node reads its name in the welcome, and counts UTF-16 units.
    for (const name of ['A', '', 'a b', '-a', 'c\u3164', 'x'.repeat(65), '\u{1d400}'.repeat(33)])
      expect(faultOf(() => registry.rename(b.id, name)).code).toBe('NODE_NAME_REFUSED');
    registry.rename(a.id, 'A');
    expect(registry.get(a.id)?.name).toBe('A');
  });

  it('gives names that a node accepts, however long they are', async () => {
    const registry = registryIn(await database(), clock().now);
    for (const length of [31, 32, 64])
      for (const start of ['', 'x'])
        for (const id of ['c', 'd', 'e'].map((letter) => letter.repeat(32))) {
          const paired = registry.pair({ ...node(`${start}${'\u{1d400}'.repeat(length)}`), id }, 'ann');
          expect(check(wireName, paired?.name, 'name')).toMatch(/^(?:\p{L}|-\d)+$/u);
        }
  });

  it('has no two paired nodes of one name after any changes', async () => {
    const file = await database();
    const ids = ['c', 'd', 'e', 'f'].map((letter) => letter.repeat(32));
    const step = fc.record({
      what: fc.constantFrom('pair', 'revoke', 'forget', 'rename'),
      id: fc.constantFrom(...ids),
      other: fc.constantFrom(undefined, ...ids),
      name: fc.constantFrom('mac', 'MAC', 'mac-2', 'x'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const registry = registryIn(file, () => 1);
        for (const { what, id, other, name } of steps) {
          if (what === 'pair')
            registry.pair({ ...node(name), id }, 'ann', other === undefined ? {} : { replaces: other });
          else if (what === 'revoke') registry.revoke(id);
          else if (what === 'forget') registry.forget(id);
          else if (registry.get(id)?.state === 'paired')
            try {
              registry.rename(id, name);
            } catch {
              // taken
            }
        }
        const labels = registry.all().flatMap(({ name, state }) => (state === 'paired' ? [nodeLabel(name)] : []));
        expect(new Set(labels).size).toBe(labels.length);
        expect(registryIn(file, () => 1).all()).toEqual(registry.all()); // what is in memory is what is on disk
        for (const id of ids) registry.forget(id);
      }),
    );
  });

  it('turns any reported name into one that can be typed', () => {
    expect(['mac', 'mac\u3164', 'Anna’s Mac', '  ', '../..', '--json', 'büro.1'].map(nodeName)).toEqual([
      'mac',
      'mac',
      'Anna-s-Mac',
      'node',
      'node',
      'json',
      'büro.1',
    ]);
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (name) => {
        expect(nodeName(name)).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u);
        expect(hiddenCharacters(nodeName(name))).toEqual([]);
      }),
    );
  });
});
