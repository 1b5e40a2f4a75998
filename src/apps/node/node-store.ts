/** The database of a node: the keys of accepted requests, and the gateway that it is paired with. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { bootId } from '../../hosts/process/boot-id.ts';
import { openDatabase } from '../../hosts/database/open-database.ts';
import type { Database, Row } from '../../hosts/database/shape.ts';

/** What is known about a request with a key. Without any of the optional members, the node died while it started the command. */
export interface AcceptedRequest {
  /** The machine was not restarted since. */
  readonly isThisBoot: boolean;
  readonly session?: string;
  /** `startedAt` of the session: after a restart of the node, another session may have its id. */
  readonly started?: string;
  readonly approval?: string;
  /** The answer of a request that started nothing, as JSON: `{outcome}` or `{fault}`. */
  readonly answer?: string;
  /** The record of the ended session, as JSON. */
  readonly ended?: string;
}

export interface PairedGateway {
  readonly id: string;
  readonly url: string;
  readonly pairedAt: number;
  /** It was paired over a connection whose TLS session both ends verified; one without is refused from then on. */
  readonly isBound: boolean;
}

export interface NodeStore {
  /** Identifies this database and this start of the machine: only then `not found` proves that a key never arrived. */
  readonly id: string;
  /** Why the database of an earlier run is not used. */
  readonly warning?: string;
  /** Writes the key to disk; false if it is there already. */
  accept(gateway: string, key: string): boolean;
  find(gateway: string, key: string): AcceptedRequest | undefined;
  note(gateway: string, key: string, what: Partial<Record<Noted, string>>): void;
  paired(): PairedGateway | undefined;
  pair(gateway: Omit<PairedGateway, 'pairedAt'>): void;
  /** False if there is no paired gateway. */
  forget(): boolean;
  close(): void;
}

type Noted = 'session' | 'started' | 'approval' | 'answer' | 'ended';
const NOTED: readonly Noted[] = ['session', 'started', 'approval', 'answer', 'ended'];

/** A gateway looks a key up for a day. */
const KEEP_MS = 7 * 86_400_000;
const PRUNE_EVERY = 1_000;

const MIGRATIONS = [
  `
  CREATE TABLE store (id TEXT NOT NULL);
  CREATE TABLE accepted (
    gateway TEXT NOT NULL,
    key TEXT NOT NULL,
    time INTEGER NOT NULL,
    boot TEXT NOT NULL,
    session TEXT,
    started TEXT,
    approval TEXT,
    answer TEXT,
    ended TEXT,
    PRIMARY KEY (gateway, key)
  );
  CREATE INDEX accepted_by_time ON accepted (time);
  CREATE TABLE gateways (
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    paired_at INTEGER NOT NULL,
    bound INTEGER NOT NULL
  );
  `,
];

export interface NodeStoreOptions {
  readonly now?: () => number;
  /** Identifies the start of the machine. */
  readonly boot?: string;
  readonly onTrouble?: (fault: unknown) => void;
}

export async function openNodeStore(stateDir: string, options: NodeStoreOptions = {}): Promise<NodeStore> {
  const { now = Date.now, boot = bootId(), onTrouble } = options;
  const { database, movedTo } = await openDatabase(join(stateDir, 'node.db'), {
    migrations: MIGRATIONS,
    checked: ['store', 'accepted', 'gateways'],
    ...(onTrouble === undefined ? {} : { onTrouble }),
  });
  const id = `${storeId(database)}-${boot}`;
  let untilPrune = 0;
  const prune = (): void => {
    if (untilPrune-- > 0) return;
    untilPrune = PRUNE_EVERY;
    database.prepare('DELETE FROM accepted WHERE time < ?').run(Math.trunc(now()) - KEEP_MS);
  };
  return {
    id,
    ...(movedTo === undefined ? {} : { warning: `the database of the node was damaged and moved to ${movedTo}` }),
    accept: (gateway, key) =>
      database.transaction(() => {
        prune();
        const insert = 'INSERT OR IGNORE INTO accepted (gateway, key, time, boot) VALUES (?, ?, ?, ?)';
        return database.prepare(insert).run(gateway, key, Math.trunc(now()), boot).changes === 1;
      }),
    find: (gateway, key) => {
      const row = database.prepare('SELECT * FROM accepted WHERE gateway = ? AND key = ?').get(gateway, key);
      return row === undefined ? undefined : acceptedOf(row, boot);
    },
    note: (gateway, key, what) =>
      database.transaction(() => {
        for (const name of NOTED) {
          const value = what[name];
          if (value === undefined) continue;
          database.prepare(`UPDATE accepted SET ${name} = ? WHERE gateway = ? AND key = ?`).run(value, gateway, key);
        }
      }),
    paired: () => {
      const row = database.prepare('SELECT * FROM gateways').get();
      return row === undefined ? undefined : gatewayOf(row);
    },
    pair: (gateway) =>
      database.transaction(() => {
        database.prepare('DELETE FROM gateways WHERE id <> ?').run(gateway.id);
        database
          .prepare(
            `INSERT INTO gateways (id, url, paired_at, bound) VALUES (?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET url = excluded.url, bound = MAX(bound, excluded.bound)`,
          )
          .run(gateway.id, gateway.url, Math.trunc(now()), gateway.isBound ? 1 : 0);
      }),
    forget: () => database.transaction(() => database.prepare('DELETE FROM gateways').run().changes > 0),
    close: () => database.close(),
  };
}

function storeId(database: Database): string {
  return database.transaction(() => {
    const known = database.prepare('SELECT id FROM store').get()?.['id'];
    if (typeof known === 'string') return known;
    const id = randomBytes(10).toString('hex');
    database.prepare('INSERT INTO store (id) VALUES (?)').run(id);
    return id;
  });
}

function acceptedOf(row: Row, boot: string): AcceptedRequest {
  const noted = NOTED.flatMap((name) => (typeof row[name] === 'string' ? [[name, row[name]] as const] : []));
  return { isThisBoot: row['boot'] === boot, ...Object.fromEntries(noted) };
}

function gatewayOf(row: Row): PairedGateway {
  return {
    id: String(row['id']),
    url: String(row['url']),
    pairedAt: Number(row['paired_at']),
    isBound: row['bound'] === 1,
  };
}
