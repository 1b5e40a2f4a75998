import { describe, expect, it } from 'vitest';
import { addKey, endKeys, isSameNode, liveKeys, mergeNodes } from '../../../../src/hosts/nodes/fleet/shared-node.ts';
import { registryIn } from '../../../../src/hosts/nodes/registry.ts';
import type { SharedNode } from '../../../../src/wire/nodes/fleet.ts';
import { fc } from '../../../support/property.ts';
import { database, OFFER } from '../sample.ts';

const base: SharedNode = {
  id: 'a'.repeat(32),
  pairedAt: 1,
  pairedBy: 'ann',
  state: 'paired',
  name: 'mac',
  renamed: 0,
  cloneChanges: 0,
  keys: addKey([], 'P'),
  platform: 'linux',
  version: '1',
  offer: OFFER,
};

const key = fc.record(
  { key: fc.constantFrom('P', 'N', 'M'), number: fc.integer({ min: 1, max: 3 }), endedAt: fc.nat(3) },
  { requiredKeys: ['key', 'number'] },
);
/** Few values, so that records often agree in some of them. */
const record: fc.Arbitrary<SharedNode> = fc
  .record(
    {
      pairedAt: fc.integer({ min: 1, max: 2 }),
      state: fc.constantFrom('paired' as const, 'revoked' as const),
      renamed: fc.nat(2),
      cloneChanges: fc.nat(2),
      pairedBy: fc.constantFrom('ann', 'bob'),
      name: fc.constantFrom('mac', 'build-1'),
      clonedAt: fc.nat(1),
      keys: fc.uniqueArray(key, { selector: (each) => each.key, minLength: 1 }),
    },
    { requiredKeys: ['pairedAt', 'state', 'renamed', 'cloneChanges', 'pairedBy', 'name', 'keys'] },
  )
  .map((changes) => ({ ...base, ...changes }));

const isEqual = (one: SharedNode, other: SharedNode): boolean => isSameNode(one, other);

describe('merging what gateways know about a node', () => {
  it('does not depend on the order, on the grouping or on repetition', () => {
    fc.assert(
      fc.property(record, record, record, (a, b, c) => {
        expect(isEqual(mergeNodes(a, b), mergeNodes(b, a))).toBe(true);
        expect(isEqual(mergeNodes(mergeNodes(a, b), c), mergeNodes(a, mergeNodes(b, c)))).toBe(true);
        expect(isEqual(mergeNodes(a, a), a)).toBe(true);
        expect(isEqual(mergeNodes(mergeNodes(a, b), b), mergeNodes(a, b))).toBe(true);
      }),
    );
  });

  it('gives all gateways the same record, however they hear of each other', () => {
    const steps = fc.array(fc.nat(2), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.tuple(record, record, record), steps, (starts, order) => {
        const gateways: SharedNode[] = [...starts];
        let bucket = starts[0];
        for (const gateway of [...order, 0, 1, 2, 0, 1, 2]) {
          bucket = mergeNodes(gateways[gateway]!, bucket);
          gateways[gateway] = bucket;
        }
        expect(gateways.every((each) => isEqual(each, bucket))).toBe(true);
      }),
    );
  });

  it('is what the registry of a gateway has after it took the result over, also where another node has the name', async () => {
    const file = await database();
    const other = { ...base, id: 'c'.repeat(32), keys: addKey([], 'O') };
    fc.assert(
      fc.property(record, record, (own, theirs) => {
        file.exec('DELETE FROM nodes');
        const registry = registryIn(file, () => 1);
        const known = () => registry.shared().find(({ node }) => node.id === base.id)?.node;
        registry.apply(other);
        registry.apply(own);
        expect(isEqual(known()!, own)).toBe(true);
        const merged = mergeNodes(known()!, theirs);
        registry.apply(merged);
        expect(isEqual(known()!, merged)).toBe(true);
      }),
    );
  });

  it('prefers the newer pairing, also to a removal', () => {
    const removed = { ...base, state: 'revoked' as const, renamed: 9 };
    expect(mergeNodes({ ...base, pairedAt: 2 }, removed)).toEqual({ ...base, pairedAt: 2 });
  });

  it('keeps a node removed that another gateway renames at the same time', () => {
    const removed = { ...base, state: 'revoked' as const };
    expect(mergeNodes(removed, { ...base, name: 'build-1', renamed: 1 })).toMatchObject({
      state: 'revoked',
      name: 'build-1',
    });
  });

  it('keeps the new key and the clone mark of a node that another gateway renames at the same time', () => {
    const replaced = { ...base, clonedAt: 8, cloneChanges: 1, keys: endKeys(addKey(base.keys, 'N'), ['P'], 7) };
    const merged = mergeNodes(replaced, { ...base, name: 'build-1', renamed: 1 });
    expect([merged.name, merged.clonedAt, liveKeys(merged.keys)]).toEqual(['build-1', 8, ['N']]);
  });
});
