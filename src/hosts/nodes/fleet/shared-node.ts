/**
 * Merges what two gateways know about a node. The order and the number of merges do not matter, so all gateways that have merged the
 * same records have the same result.
 */
import { MOST_SHARED_KEYS, type SharedKey, type SharedNode } from '../../../wire/nodes/fleet.ts';

/** A newer pairing wins. Within one, removed wins over paired, an ended key stays ended, and later changes win over earlier ones. */
export function mergeNodes(one: SharedNode, other: SharedNode): SharedNode {
  if (one.pairedAt !== other.pairedAt) return one.pairedAt > other.pairedAt ? one : other;
  const { pairedBy } = laterOf(one, other, ({ pairedBy: by }) => by);
  const { name, renamed } = laterOf(one, other, nameText, ({ renamed: count }) => count);
  const { clonedAt, cloneChanges } = laterOf(one, other, cloneText, ({ cloneChanges: count }) => count);
  const { clonedAt: _, ...rest } = one;
  return {
    ...rest,
    pairedBy,
    state: one.state === 'revoked' || other.state === 'revoked' ? 'revoked' : 'paired',
    name,
    renamed,
    cloneChanges,
    ...(clonedAt === undefined ? {} : { clonedAt }),
    keys: mergeKeys(one.keys, other.keys),
  };
}

/** Whether both say the same. What a node reports about itself does not count: each gateway gets it from the node. */
export function isSameNode(one: SharedNode, other: SharedNode): boolean {
  return textOfNode(one) === textOfNode(other);
}

/** The keys that the node may use: the earlier one is in use, and the later one announced. */
export function liveKeys(keys: readonly SharedKey[]): readonly string[] {
  return keys
    .filter(({ endedAt }) => endedAt === undefined)
    .toSorted(byNumber)
    .map(({ key }) => key);
}

export function addKey(keys: readonly SharedKey[], key: string): readonly SharedKey[] {
  const number = Math.max(0, ...keys.map((each) => each.number)) + 1;
  return mergeKeys(keys, [{ key, number }]);
}

export function endKeys(keys: readonly SharedKey[], ended: readonly string[], endedAt: number): readonly SharedKey[] {
  return keys.map((each) => (ended.includes(each.key) && each.endedAt === undefined ? { ...each, endedAt } : each));
}

/** Where two gateways make the same number of changes, the text decides. */
function laterOf(
  one: SharedNode,
  other: SharedNode,
  text: (node: SharedNode) => string,
  count: (node: SharedNode) => number = () => 0,
): SharedNode {
  if (count(one) !== count(other)) return count(one) > count(other) ? one : other;
  return text(one) > text(other) ? one : other;
}

const nameText = ({ name }: SharedNode): string => name;
const cloneText = ({ clonedAt }: SharedNode): string => String(clonedAt ?? '');

function mergeKeys(some: readonly SharedKey[], more: readonly SharedKey[]): readonly SharedKey[] {
  const merged = new Map<string, SharedKey>();
  for (const { key, number, endedAt } of [...some, ...more]) {
    const known = merged.get(key);
    const ends = [known?.endedAt, endedAt].filter((time) => time !== undefined);
    merged.set(key, {
      key,
      number: Math.max(known?.number ?? 0, number),
      ...(ends.length === 0 ? {} : { endedAt: Math.max(...ends) }),
    });
  }
  return [...merged.values()].toSorted(byNumber).slice(-MOST_SHARED_KEYS);
}

function byNumber(one: SharedKey, other: SharedKey): number {
  return one.number - other.number || (one.key < other.key ? -1 : 1);
}

function textOfNode(node: SharedNode): string {
  const { id, pairedAt, pairedBy, state, name, renamed, clonedAt = null, cloneChanges } = node;
  const keys = node.keys.toSorted(byNumber).map(({ key, number, endedAt }) => [key, number, endedAt ?? null]);
  return JSON.stringify([id, pairedAt, pairedBy, state, name, renamed, clonedAt, cloneChanges, keys]);
}
