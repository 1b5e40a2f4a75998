/** The machines that are paired with this gateway, or were. The key of a row is the id, which is the hash of a public key. */
import type { SharedKey, SharedNode } from '../../wire/nodes/fleet.ts';
import { LONGEST_NODE_NAME, type NodeInfo, type NodeOffer } from '../../wire/nodes/node.ts';
import { looksLikeNodeId, nodeLabel } from '../../policy/node-match.ts';
import type { Database, Row, Value } from '../database/shape.ts';
import { addKey, endKeys, liveKeys } from './fleet/shared-node.ts';
import type { OwnRecord } from './fleet/shared-nodes.ts';
import { invalidName, isNodeName, looksLikeId, nameTaken, nodeName, shortened } from './node-name.ts';

export interface RegisteredNode extends Omit<NodeInfo, 'connected' | 'state'> {
  readonly state: 'paired' | 'revoked';
  /** Base64. */
  readonly publicKey: string;
  /** The key that it announced. It replaces `publicKey` when the node first uses it. */
  readonly nextKey?: string;
  /** It was paired over a TLS connection that ends at this gateway. */
  readonly bound: boolean;
  readonly pairedAt: number;
  readonly pairedBy: string;
  readonly clonedAt?: number;
  readonly sharing: Sharing;
}

/** What only the registry that gateways share needs. */
export interface Sharing {
  readonly keys: readonly SharedKey[];
  readonly renamed: number;
  readonly cloneChanges: number;
  /** The name there, where another node has it here. */
  readonly name?: string;
  /** It is not listed, and kept so that no other gateway brings it back. */
  readonly isForgotten: boolean;
}

/** What a node reports about itself in each handshake. */
export type Reported = Pick<NodeInfo, 'platform' | 'version' | 'offer'>;
export type NewNode = Reported & Pick<RegisteredNode, 'id' | 'publicKey' | 'name' | 'bound'>;

export interface EndedKey {
  /** Base64. */
  readonly key: string;
  readonly endedAt: number;
  /** A node that gateways share was paired with it again. */
  readonly isInUse: boolean;
}

export interface Registry {
  /** Paired nodes first, by name. */
  all(): readonly RegisteredNode[];
  /** By the whole id. */
  get(id: string): RegisteredNode | undefined;
  /**
   * Adds the node, or pairs a revoked one again. A name that another node has, or that looks like an id, gets a number: `mac-2`. `replaces` is the id of a
   * node that it revokes, and whose name it takes. `only` runs in the same transaction; where it is false, nothing changes.
   */
  pair(
    node: NewNode,
    by: string,
    options?: { readonly replaces?: string; readonly only?: () => boolean },
  ): RegisteredNode | undefined;
  /** Records that the node is connected, or that its connection has ended. */
  seen(id: string, reported?: Reported): void;
  /** Of a paired node. */
  rename(id: string, name: string): void;
  /** Refuses its connections from now on; its name is free again. */
  revoke(id: string): void;
  /** Removes the row: the machine is unknown again and may request pairing. */
  forget(id: string): void;
  setCloned(id: string, isCloned: boolean): void;
  /** The id of the node, also a revoked one, that has this key, announced it, or had it. */
  idOfKey(key: string): string | undefined;
  /** From now on the node may use this key as well. */
  announceKey(id: string, key: string): void;
  /** The announced key is the only one from now on. */
  replaceKey(id: string): void;
  /** Keys that no node may use any more, those of the last `forMs`. A change that ends a key records it in its transaction. */
  endedKeys(forMs: number): readonly EndedKey[];
  /** All nodes, also forgotten ones, as gateways share them. */
  shared(): readonly OwnRecord[];
  /** Takes over what another gateway has changed. Returns whether a key has ended. */
  apply(node: SharedNode): boolean;
}

/** `onChange`: something has changed that gateways share. */
export function registryIn(database: Database, now: () => number, onChange: () => void = () => {}): Registry {
  /** In memory, because every request that names a node reads all of them. Only this process changes them. */
  const rows = new Map(
    database
      .prepare('SELECT * FROM nodes')
      .all()
      .map((row) => [String(row['id']), nodeOf(row)]),
  );
  let sorted: readonly RegisteredNode[] | undefined;
  const listed = (id: string): RegisteredNode | undefined => {
    const row = rows.get(id);
    return row === undefined || row.sharing.isForgotten ? undefined : row;
  };

  /** Reads the rows again in any case: a failed commit has changed nothing. */
  function change<T>(how: 'transaction' | 'soon', ids: readonly string[], work: () => T): T {
    let result: T;
    try {
      result = database[how](work);
    } finally {
      sorted = undefined;
      for (const id of ids) {
        const row = database.prepare('SELECT * FROM nodes WHERE id = ?').get(id);
        if (row === undefined) rows.delete(id);
        else rows.set(id, nodeOf(row));
      }
    }
    if (how === 'transaction') onChange();
    return result;
  }
  /** Within a transaction. Returns whether it was not known. */
  const noteEnded = (key: string, endedAt: number): boolean =>
    database
      .prepare(
        `INSERT INTO ended_node_keys (key, ended_at) VALUES (?, ?)
         ON CONFLICT (key) DO UPDATE SET ended_at = excluded.ended_at WHERE excluded.ended_at > ended_at`,
      )
      .run(key, endedAt).changes > 0;
  /** Within a transaction. The live keys decide which one the node uses, and which one it may use next. */
  function setKeys(id: string, keys: readonly SharedKey[]): void {
    const [publicKey, nextKey] = liveKeys(keys);
    database
      .prepare('UPDATE nodes SET keys = ?, public_key = COALESCE(?, public_key), next_key = ? WHERE id = ?')
      .run(JSON.stringify(keys), publicKey ?? null, nextKey ?? null, id);
  }
  /** Within a transaction. */
  function endOf(id: string, ended: readonly string[]): void {
    for (const key of ended) noteEnded(key, now());
    setKeys(id, endKeys(rows.get(id)?.sharing.keys ?? [], ended, now()));
  }
  /** Within a transaction. */
  const update = (id: string, changes: string, ...values: readonly Value[]): void =>
    void database.prepare(`UPDATE nodes SET ${changes} WHERE id = ?`).run(...values, id);
  /** Within a transaction. Its name is free for another node. */
  function revokeRow(id: string, more = ''): void {
    endOf(id, liveKeys(rows.get(id)?.sharing.keys ?? []));
    update(id, `state = 'revoked', label = NULL${more}`);
  }
  const isTaken = (name: string, id: string): boolean =>
    database.prepare('SELECT 1 AS taken FROM nodes WHERE label = ? AND id <> ?').get(nodeLabel(name), id) !== undefined;

  function freeName(wanted: string, id: string): string {
    for (let number = 1; ; number++) {
      const end = number === 1 ? '' : `-${number}`;
      const name = `${shortened(wanted, LONGEST_NODE_NAME - end.length)}${end}`;
      if (!isTaken(name, id) && !looksLikeNodeId(name, rows.keys())) return name;
    }
  }

  return {
    get: listed,

    all: () => (sorted ??= [...rows.values()].filter(({ sharing }) => !sharing.isForgotten).toSorted(byStateAndName)),

    pair(node, by, { replaces, only } = {}) {
      const { id, publicKey, platform, version, offer, bound } = node;
      const old = replaces === undefined || replaces === id ? undefined : listed(replaces);
      // The clock of the gateway that paired it before may be ahead.
      const pairedAt = Math.max(now(), (rows.get(id)?.pairedAt ?? 0) + 1);
      return change('transaction', [id, ...(old === undefined ? [] : [old.id])], () => {
        if (only?.() === false) return false;
        database.prepare('DELETE FROM nodes WHERE id = ?').run(id);
        if (old !== undefined) revokeRow(old.id);
        const name = freeName(old?.name ?? nodeName(node.name), id);
        database
          .prepare(
            `INSERT INTO nodes
             (id, public_key, keys, name, label, platform, version, offer, state, bound, paired_at, paired_by, seen_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'paired', ?, ?, ?, ?)`,
          )
          .run(
            id,
            publicKey,
            JSON.stringify(addKey([], publicKey)),
            name,
            nodeLabel(name),
            platform,
            version,
            JSON.stringify(offer),
            bound ? 1 : 0,
            pairedAt,
            by,
            now(),
          );
        return true;
      })
        ? rows.get(id)
        : undefined;
    },

    seen: (id, reported) =>
      change('soon', [id], () => {
        database.prepare('UPDATE nodes SET seen_at = ? WHERE id = ?').run(now(), id);
        if (reported === undefined) return;
        const { platform, version, offer } = reported;
        database
          .prepare('UPDATE nodes SET platform = ?, version = ?, offer = ? WHERE id = ?')
          .run(platform, version, JSON.stringify(offer), id);
      }),

    rename(id, name) {
      if (!isNodeName(name)) throw invalidName(name);
      if (isTaken(name, id)) throw nameTaken(name);
      if (looksLikeNodeId(name, rows.keys())) throw looksLikeId(name);
      change('transaction', [id], () =>
        update(id, 'name = ?, shared_name = NULL, label = ?, renamed = renamed + 1', name, nodeLabel(name)),
      );
    },

    revoke: (id) => change('transaction', [id], () => revokeRow(id)),

    forget: (id) =>
      change('transaction', [id], () => {
        if (rows.get(id)?.bound !== true) return revokeRow(id, ', forgotten = 1');
        endOf(id, liveKeys(rows.get(id)?.sharing.keys ?? []));
        database.prepare('DELETE FROM nodes WHERE id = ?').run(id);
      }),

    idOfKey: (key) =>
      [...rows.values()].find(({ sharing }) => !sharing.isForgotten && sharing.keys.some((each) => each.key === key))
        ?.id,

    announceKey: (id, key) =>
      change('transaction', [id], () => {
        const { nextKey, sharing } = rows.get(id)!;
        if (nextKey !== undefined) noteEnded(nextKey, now());
        setKeys(id, addKey(endKeys(sharing.keys, nextKey === undefined ? [] : [nextKey], now()), key));
      }),

    replaceKey: (id) =>
      change('transaction', [id], () => {
        const known = rows.get(id);
        if (known?.nextKey !== undefined) endOf(id, [known.publicKey]);
      }),

    endedKeys(forMs) {
      const since = now() - forMs;
      database.soon(() => void database.prepare('DELETE FROM ended_node_keys WHERE ended_at < ?').run(since));
      const found = database.prepare('SELECT key, ended_at FROM ended_node_keys WHERE ended_at >= ?').all(since);
      const shared = [...rows.values()].filter(({ state, bound }) => state === 'paired' && !bound);
      const inUse = new Set(shared.flatMap(({ sharing }) => liveKeys(sharing.keys)));
      return found.map((row) => {
        const key = String(row['key']);
        return { key, endedAt: Number(row['ended_at']), isInUse: inUse.has(key) };
      });
    },

    setCloned: (id, isCloned) =>
      change('transaction', [id], () =>
        update(id, 'cloned_at = ?, clone_changes = clone_changes + 1', isCloned ? now() : null),
      ),

    shared: () => [...rows.values()].map(recordOf),

    apply(node) {
      const { id, keys, state, clonedAt = null } = node;
      const known = rows.get(id);
      return change('transaction', [id], () => {
        const isNew = known?.pairedAt !== node.pairedAt;
        if (isNew) {
          database.prepare('DELETE FROM nodes WHERE id = ?').run(id);
          database
            .prepare(
              `INSERT INTO nodes (id, public_key, name, platform, version, offer, state, bound, paired_at, paired_by, forgotten)
               VALUES (?, ?, ?, ?, ?, ?, 'revoked', 0, ?, ?, ?)`,
            )
            .run(
              id,
              keys.at(-1)?.key ?? '',
              node.name,
              node.platform,
              node.version,
              JSON.stringify(node.offer),
              node.pairedAt,
              node.pairedBy,
              state === 'revoked' && (known === undefined || known.sharing.isForgotten) ? 1 : 0, // this gateway does not list it
            );
        }
        const name = state === 'revoked' ? node.name : freeName(node.name, id);
        update(
          id,
          'paired_by = ?, name = ?, shared_name = ?, label = ?, state = ?, renamed = ?, cloned_at = ?, clone_changes = ?',
          node.pairedBy,
          name,
          name === node.name ? null : node.name,
          state === 'revoked' ? null : nodeLabel(name),
          state,
          node.renamed,
          clonedAt,
          node.cloneChanges,
        );
        setKeys(id, keys);
        const ended = keys.map(({ key, endedAt }) => endedAt !== undefined && noteEnded(key, endedAt));
        return ended.includes(true);
      });
    },
  };
}

/** A node that is bound to this gateway has left the fleet: gateways share it as removed, with ended keys. */
function recordOf(node: RegisteredNode): OwnRecord {
  const { id, pairedAt, pairedBy, clonedAt, platform, version, offer, sharing, bound } = node;
  return {
    isBound: bound,
    node: {
      id,
      pairedAt,
      pairedBy,
      state: bound ? 'revoked' : node.state,
      name: sharing.name ?? node.name,
      renamed: sharing.renamed,
      cloneChanges: sharing.cloneChanges,
      keys: bound ? endKeys(sharing.keys, liveKeys(sharing.keys), pairedAt) : sharing.keys,
      platform,
      version,
      offer,
      ...(clonedAt === undefined ? {} : { clonedAt }),
    },
  };
}

function byStateAndName(one: RegisteredNode, other: RegisteredNode): number {
  const [a, b] = [one, other].map(({ state, name, id }) => `${state} ${nodeLabel(name)} ${id}`);
  return a! < b! ? -1 : 1;
}

function nodeOf(row: Row): RegisteredNode {
  const { seen_at: seenAt, cloned_at: clonedAt, next_key: nextKey } = row;
  return {
    id: String(row['id']),
    name: String(row['name']),
    platform: row['platform'] === 'darwin' ? 'darwin' : 'linux',
    version: String(row['version']),
    state: row['state'] === 'paired' ? 'paired' : 'revoked',
    offer: JSON.parse(String(row['offer'])) as NodeOffer,
    publicKey: String(row['public_key']),
    bound: row['bound'] === 1,
    pairedAt: Number(row['paired_at']),
    pairedBy: String(row['paired_by']),
    ...(typeof nextKey === 'string' ? { nextKey } : {}),
    ...(seenAt === null || seenAt === undefined ? {} : { lastSeenAt: Number(seenAt) }),
    ...(clonedAt === null || clonedAt === undefined ? {} : { clonedAt: Number(clonedAt) }),
    sharing: {
      keys: keysOf(row),
      renamed: Number(row['renamed']),
      cloneChanges: Number(row['clone_changes']),
      ...(typeof row['shared_name'] === 'string' ? { name: row['shared_name'] } : {}),
      isForgotten: row['forgotten'] === 1,
    },
  };
}

/** A row of an earlier version has only its live keys. */
function keysOf({
  keys,
  state,
  public_key: publicKey,
  next_key: nextKey,
  paired_at: pairedAt,
}: Row): readonly SharedKey[] {
  if (typeof keys === 'string') return JSON.parse(keys) as readonly SharedKey[];
  const live = [publicKey, nextKey].filter((key) => typeof key === 'string');
  const all = live.reduce<readonly SharedKey[]>(addKey, []);
  return state === 'revoked' ? endKeys(all, live, Number(pairedAt)) : all;
}
