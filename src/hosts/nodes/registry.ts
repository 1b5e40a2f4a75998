/** The machines that are paired with this gateway, or were. The key of a row is the id, which is the hash of a public key. */
import { Fault } from '../../base/fault.ts';
import type { NodeInfo, NodeOffer } from '../../wire/nodes/node.ts';
import { looksLikeNodeId, nodeLabel } from '../../policy/node-match.ts';
import type { Database, Row, Value } from '../database/shape.ts';

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
}

/** What a node reports about itself in each handshake. */
export type Reported = Pick<NodeInfo, 'platform' | 'version' | 'offer'>;
export type NewNode = Reported & Pick<RegisteredNode, 'id' | 'publicKey' | 'name' | 'bound'>;

export interface EndedKey {
  /** Base64. */
  readonly key: string;
  readonly endedAt: number;
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
  /** The id of the node, also a revoked one, that has or announced this key. */
  idOfKey(key: string): string | undefined;
  /** From now on the node may use this key as well. */
  announceKey(id: string, key: string): void;
  /** The announced key is the only one from now on. */
  replaceKey(id: string): void;
  /** Keys that no node may use any more, those of the last `forMs`. A change that ends a key records it in its transaction. */
  endedKeys(forMs: number): readonly EndedKey[];
}

/** Its name is free for another node. */
const REVOKED = `state = 'revoked', label = NULL`;
const LONGEST_NAME = 64;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u;

export function registryIn(database: Database, now: () => number): Registry {
  /** In memory, because every request that names a node reads all of them. Only this process changes them. */
  const rows = new Map(
    database
      .prepare('SELECT * FROM nodes')
      .all()
      .map((row) => [String(row['id']), nodeOf(row)]),
  );
  let sorted: readonly RegisteredNode[] | undefined;

  /** Reads the rows again in any case: a failed commit has changed nothing. */
  function change<T>(how: 'transaction' | 'soon', ids: readonly string[], work: () => T): T {
    try {
      return database[how](work);
    } finally {
      sorted = undefined;
      for (const id of ids) {
        const row = database.prepare('SELECT * FROM nodes WHERE id = ?').get(id);
        if (row === undefined) rows.delete(id);
        else rows.set(id, nodeOf(row));
      }
    }
  }
  /** Within a transaction, before the change. */
  function endKeys(id: string, keys: 'both' | 'public_key' | 'next_key'): void {
    for (const column of keys === 'both' ? (['public_key', 'next_key'] as const) : [keys])
      database
        .prepare(
          `INSERT OR REPLACE INTO ended_node_keys (key, ended_at)
           SELECT ${column}, ? FROM nodes WHERE id = ? AND ${column} IS NOT NULL`,
        )
        .run(now(), id);
  }
  const update = (id: string, changes: string, ...values: readonly Value[]): void =>
    change(
      'transaction',
      [id],
      () => void database.prepare(`UPDATE nodes SET ${changes} WHERE id = ?`).run(...values, id),
    );
  const isTaken = (name: string, id: string): boolean =>
    database.prepare('SELECT 1 AS taken FROM nodes WHERE label = ? AND id <> ?').get(nodeLabel(name), id) !== undefined;

  function freeName(wanted: string, id: string): string {
    for (let number = 1; ; number++) {
      const end = number === 1 ? '' : `-${number}`;
      const name = `${wanted.slice(0, LONGEST_NAME - end.length)}${end}`;
      if (!isTaken(name, id) && !looksLikeNodeId(name, rows.keys())) return name;
    }
  }

  return {
    get: (id) => rows.get(id),

    all: () => (sorted ??= [...rows.values()].toSorted(byStateAndName)),

    pair(node, by, { replaces, only } = {}) {
      const { id, publicKey, platform, version, offer, bound } = node;
      const old = replaces === undefined || replaces === id ? undefined : rows.get(replaces);
      return change('transaction', [id, ...(old === undefined ? [] : [old.id])], () => {
        if (only?.() === false) return false;
        database.prepare('DELETE FROM nodes WHERE id = ?').run(id);
        if (old !== undefined) endKeys(old.id, 'both');
        if (old !== undefined) database.prepare(`UPDATE nodes SET ${REVOKED} WHERE id = ?`).run(old.id);
        const name = freeName(old?.name ?? nodeName(node.name), id);
        database
          .prepare(
            `INSERT INTO nodes
             (id, public_key, name, label, platform, version, offer, state, bound, paired_at, paired_by, seen_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, 'paired', ?, ?, ?, ?)`,
          )
          .run(
            id,
            publicKey,
            name,
            nodeLabel(name),
            platform,
            version,
            JSON.stringify(offer),
            bound ? 1 : 0,
            now(),
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
      if (!NAME.test(name)) throw invalidName(name);
      if (isTaken(name, id)) throw nameTaken(name);
      if (looksLikeNodeId(name, rows.keys())) throw looksLikeId(name);
      update(id, 'name = ?, label = ?', name, nodeLabel(name));
    },

    revoke: (id) =>
      change('transaction', [id], () => {
        endKeys(id, 'both');
        database.prepare(`UPDATE nodes SET ${REVOKED} WHERE id = ?`).run(id);
      }),

    forget: (id) =>
      change('transaction', [id], () => {
        endKeys(id, 'both');
        database.prepare('DELETE FROM nodes WHERE id = ?').run(id);
      }),

    idOfKey: (key) => [...rows.values()].find(({ publicKey, nextKey }) => publicKey === key || nextKey === key)?.id,

    announceKey: (id, key) =>
      change('transaction', [id], () => {
        endKeys(id, 'next_key');
        database.prepare('UPDATE nodes SET next_key = ? WHERE id = ?').run(key, id);
      }),

    replaceKey: (id) =>
      change('transaction', [id], () => {
        if (rows.get(id)?.nextKey === undefined) return;
        endKeys(id, 'public_key');
        database.prepare('UPDATE nodes SET public_key = next_key, next_key = NULL WHERE id = ?').run(id);
      }),

    endedKeys(forMs) {
      const since = now() - forMs;
      database.soon(() => void database.prepare('DELETE FROM ended_node_keys WHERE ended_at < ?').run(since));
      const found = database.prepare('SELECT key, ended_at FROM ended_node_keys WHERE ended_at >= ?').all(since);
      return found.map((row) => ({ key: String(row['key']), endedAt: Number(row['ended_at']) }));
    },

    setCloned: (id, isCloned) => update(id, 'cloned_at = ?', isCloned ? now() : null),
  };
}

function byStateAndName(one: RegisteredNode, other: RegisteredNode): number {
  const [a, b] = [one, other].map(({ state, name, id }) => `${state} ${nodeLabel(name)} ${id}`);
  return a! < b! ? -1 : 1;
}

/** The name that a machine reports, as one word that a person can type. */
export function nodeName(reported: string): string {
  const name = reported
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[._-]+/u, '')
    .slice(0, LONGEST_NAME)
    .replace(/-+$/u, '');
  return NAME.test(name) ? name : 'node';
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
  };
}

function invalidName(name: string): Fault {
  return new Fault('NODE_NAME_REFUSED', `${JSON.stringify(name)} is not a valid name of a node`, {
    hint: 'use at most 64 letters, digits, dots, dashes and underscores; the first one is a letter or a digit',
    details: { name },
  });
}

function nameTaken(name: string): Fault {
  return new Fault('NODE_NAME_REFUSED', `another node has the name ${JSON.stringify(name)}`, {
    hint: 'choose another name; pincer nodes list shows the names in use',
    details: { name },
  });
}

function looksLikeId(name: string): Fault {
  return new Fault('NODE_NAME_REFUSED', `${JSON.stringify(name)} could be mistaken for the id of a node`, {
    hint: 'choose a name that is not an id, and not the first letters of one',
    details: { name },
  });
}
