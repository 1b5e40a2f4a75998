/** The database of a node: the keys of accepted requests, the answers of gateways, and the gateway that it is paired with. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { bootId } from '../../hosts/process/boot-id.ts';
import { openDatabase, readDatabase } from '../../hosts/database/open-database.ts';
import type { Database, Row } from '../../hosts/database/shape.ts';
import { LAST_NUMBER, lastNumber, mayHavePruned, pruneAnswers, pruneKeys } from './kept-keys.ts';

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

/** An answer of a gateway to an approval request. */
export interface RecordedAnswer {
  readonly approval: string;
  /** JSON. Absent: the node died before it was recorded. */
  readonly result?: string;
}

export interface PairedGateway {
  readonly id: string;
  readonly url: string;
  readonly pairedAt: number;
  /** It was paired over a connection whose TLS session both ends verified; one without is refused from then on. */
  readonly isBound: boolean;
  /** TLS ends at a proxy: each connection verifies its certificate. */
  readonly proxy?: true;
  /** The id of this node there. */
  readonly node?: string;
  /** The name of this node there. */
  readonly name?: string;
  /** The eight digits of the pairing that a person on this node has not confirmed. */
  readonly unconfirmed?: string;
}

/** How a gateway was paired: an invitation proves both ends, digits have to be compared. */
export type Proof = { readonly by: 'invitation' } | { readonly by: 'digits'; readonly code: string };

export interface NodeStore {
  /** Identifies this database, this start of the machine, and the newest key. */
  readonly id: string;
  /** Whether a key that was sent when the database had this id, and is not found, never arrived. */
  isComplete(id: string): boolean;
  /** Why the database of an earlier run is not used. */
  readonly warning?: string;
  /** Records the key, so that it survives the end of this process; false if it is there already. */
  accept(gateway: string, key: string): boolean;
  find(gateway: string, key: string): AcceptedRequest | undefined;
  /** The key of the request that caused an approval request. */
  keyOf(gateway: string, approval: string): string | undefined;
  note(gateway: string, key: string, what: Partial<Record<Noted, string>>): void;
  /** Records an answer of a gateway before it takes effect; returns the earlier record of the same answer. */
  beginAnswer(gateway: string, answerId: string, approval: string): RecordedAnswer | undefined;
  /** `result` is JSON. */
  endAnswer(gateway: string, answerId: string, result: string): void;
  paired(): PairedGateway | undefined;
  /** `proof` of a new pairing, or of one that is proved again. A confirmed pairing stays confirmed. */
  pair(gateway: Omit<PairedGateway, 'pairedAt' | 'unconfirmed'>, proof?: Proof): void;
  /** The name of this node at the paired gateway. */
  setName(name: string): void;
  /** A person on this node has compared the digits. False if they are not those of the pairing. */
  confirm(code: string): boolean;
  /** Records the digits that were shown for this gateway: its welcome may come in a later connection. */
  requested(gateway: string, code: string): void;
  /** The digits that were shown last for this gateway. */
  requestedCode(gateway: string): string | undefined;
  withdraw(): void;
  /** The token for NATS that the gateway issued last. */
  natsToken(): string | undefined;
  setNatsToken(token: string): void;
  /** False if there is no paired gateway. */
  forget(): boolean;
  close(): void;
}

type Noted = 'session' | 'started' | 'approval' | 'answer' | 'ended';
const NOTED: readonly Noted[] = ['session', 'started', 'approval', 'answer', 'ended'];

/** A gateway repeats an answer until its node confirms it. */
const KEEP_ANSWERS_MS = 7 * 86_400_000;
const PRUNE_EVERY = 1_000;

const MIGRATIONS = [
  `
  CREATE TABLE store (id TEXT NOT NULL);
  CREATE TABLE accepted (
    gateway TEXT NOT NULL,
    key TEXT NOT NULL,
    time INTEGER NOT NULL, -- of the last change
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
  `
  CREATE TABLE answers (
    gateway TEXT NOT NULL,
    id TEXT NOT NULL,
    time INTEGER NOT NULL,
    approval TEXT NOT NULL,
    result TEXT,
    PRIMARY KEY (gateway, id)
  );
  CREATE INDEX answers_by_time ON answers (time);
  CREATE INDEX accepted_by_approval ON accepted (approval) WHERE approval IS NOT NULL;
  `,
  `
  CREATE TABLE requested (gateway TEXT PRIMARY KEY);
  ALTER TABLE gateways ADD COLUMN node TEXT;
  `,
  `
  CREATE TABLE nats_token (token TEXT NOT NULL);
  `,
  `
  ALTER TABLE store ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE accepted ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
  UPDATE accepted SET number = rowid;
  CREATE INDEX accepted_by_number ON accepted (number);
  `,
  `
  DROP TABLE requested;
  CREATE TABLE requested (gateway TEXT PRIMARY KEY, code TEXT NOT NULL);
  ALTER TABLE gateways ADD COLUMN unconfirmed TEXT;
  `,
  `
  ALTER TABLE gateways ADD COLUMN name TEXT;
  `,
  `
  ALTER TABLE gateways ADD COLUMN proxy INTEGER NOT NULL DEFAULT 0;
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
  const { database, movedTo } = await openDatabase(fileIn(stateDir), {
    migrations: MIGRATIONS,
    checked: ['store', 'accepted', 'gateways', 'answers', 'requested', 'nats_token'],
    // After a power failure the machine has another boot id, so a key that is missing then does not count as never sent.
    survives: 'process-end',
    ...(onTrouble === undefined ? {} : { onTrouble }),
  });
  const start = `${storeId(database)}-${boot}`;
  let untilPrune = 0;
  /** For what has to survive a power failure, too. */
  const durably = <T>(work: () => T): T => {
    const result = database.transaction(work);
    database.flush();
    return result;
  };
  const prune = (): void => {
    if (untilPrune-- > 0) return;
    untilPrune = PRUNE_EVERY;
    pruneKeys(database, Math.trunc(now()), boot);
    pruneAnswers(database, Math.trunc(now()) - KEEP_ANSWERS_MS);
  };
  return {
    get id() {
      return `${start}-${lastNumber(database)}`;
    },
    isComplete(id) {
      const number = id.startsWith(`${start}-`) ? id.slice(start.length + 1) : '';
      return /^\d+$/u.test(number) && !mayHavePruned(database, Number(number));
    },
    ...(movedTo === undefined ? {} : { warning: `the database of the node was damaged and moved to ${movedTo}` }),
    accept: (gateway, key) =>
      database.transaction(() => {
        prune();
        const insert = `INSERT OR IGNORE INTO accepted (gateway, key, time, boot, number)
          VALUES (?, ?, ?, ?, (${LAST_NUMBER}) + 1)`;
        return database.prepare(insert).run(gateway, key, Math.trunc(now()), boot).changes === 1;
      }),
    find: (gateway, key) => {
      const row = database.prepare('SELECT * FROM accepted WHERE gateway = ? AND key = ?').get(gateway, key);
      return row === undefined ? undefined : acceptedOf(row, boot);
    },
    keyOf: (gateway, approval) => {
      const select = 'SELECT key FROM accepted WHERE approval = ? AND gateway = ?';
      const key = database.prepare(select).get(approval, gateway)?.['key'];
      return typeof key === 'string' ? key : undefined;
    },
    note: (gateway, key, what) => {
      const noted = NOTED.flatMap((name) => (what[name] === undefined ? [] : [[name, what[name]] as const]));
      const update = `UPDATE accepted SET ${noted.map(([name]) => `${name} = ?, `).join('')}time = ? WHERE gateway = ? AND key = ?`;
      const values = noted.map(([, value]) => value);
      const write = (): void => void database.prepare(update).run(...values, Math.trunc(now()), gateway, key);
      // A session does not survive this process. An approval request does, and an answer was sent.
      if (what.approval === undefined && what.answer === undefined) database.soon(write);
      else database.transaction(write);
    },
    beginAnswer: (gateway, answerId, approval) =>
      database.transaction(() => {
        prune();
        const known = database.prepare('SELECT * FROM answers WHERE gateway = ? AND id = ?').get(gateway, answerId);
        if (known !== undefined) return answerOf(known);
        const insert = 'INSERT INTO answers (gateway, id, time, approval) VALUES (?, ?, ?, ?)';
        database.prepare(insert).run(gateway, answerId, Math.trunc(now()), approval);
        return undefined;
      }),
    endAnswer: (gateway, answerId, result) =>
      database.transaction(() => {
        database.prepare('UPDATE answers SET result = ? WHERE gateway = ? AND id = ?').run(result, gateway, answerId);
      }),
    paired: () => pairedIn(database),
    pair: (gateway, proof) =>
      durably(() => {
        database.prepare('DELETE FROM gateways WHERE id <> ?').run(gateway.id);
        database.prepare('DELETE FROM requested').run();
        database
          .prepare(
            `INSERT INTO gateways (id, url, paired_at, bound, proxy, node, name, unconfirmed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET
             url = excluded.url, bound = MAX(bound, excluded.bound), proxy = excluded.proxy, node = COALESCE(excluded.node, node),
             name = COALESCE(excluded.name, name),
             unconfirmed = CASE WHEN unconfirmed IS NULL THEN NULL ELSE COALESCE(excluded.unconfirmed, unconfirmed) END`,
          )
          .run(
            gateway.id,
            gateway.url,
            Math.trunc(now()),
            gateway.isBound ? 1 : 0,
            gateway.proxy === true ? 1 : 0,
            gateway.node ?? null,
            gateway.name ?? null,
            proof?.by === 'digits' ? proof.code : null,
          );
        if (proof?.by === 'invitation') database.prepare('UPDATE gateways SET unconfirmed = NULL').run();
      }),
    setName: (name) => database.transaction(() => void database.prepare('UPDATE gateways SET name = ?').run(name)),
    confirm: (code) =>
      durably(
        () => database.prepare('UPDATE gateways SET unconfirmed = NULL WHERE unconfirmed = ?').run(code).changes > 0,
      ),
    requested: (gateway, code) =>
      database.transaction(() => {
        database.prepare('DELETE FROM requested').run(); // a request to another gateway replaces it
        database.prepare('INSERT INTO requested (gateway, code) VALUES (?, ?)').run(gateway, code);
      }),
    requestedCode: (gateway) => {
      const code = database.prepare('SELECT code FROM requested WHERE gateway = ?').get(gateway)?.['code'];
      return typeof code === 'string' ? code : undefined;
    },
    withdraw: () => database.transaction(() => void database.prepare('DELETE FROM requested').run()),
    natsToken: () => {
      const token = database.prepare('SELECT token FROM nats_token').get()?.['token'];
      return typeof token === 'string' ? token : undefined;
    },
    setNatsToken: (token) =>
      durably(() => {
        database.prepare('DELETE FROM nats_token').run();
        database.prepare('INSERT INTO nats_token (token) VALUES (?)').run(token);
      }),
    forget: () =>
      durably(() => {
        database.prepare('DELETE FROM nats_token').run();
        database.prepare('DELETE FROM requested').run();
        return database.prepare('DELETE FROM gateways').run().changes > 0;
      }),
    close: () => database.close(),
  };
}

/** The pairing, for commands that only show it: the database stays as it is. */
export function readPairing(stateDir: string): Promise<PairedGateway | undefined> {
  return readDatabase(fileIn(stateDir), { migrations: MIGRATIONS }, pairedIn);
}

function fileIn(stateDir: string): string {
  return join(stateDir, 'node.db');
}

function pairedIn(database: Pick<Database, 'prepare'>): PairedGateway | undefined {
  const row = database.prepare('SELECT * FROM gateways').get();
  return row === undefined ? undefined : gatewayOf(row);
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

function answerOf({ approval, result }: Row): RecordedAnswer {
  return { approval: String(approval), ...(typeof result === 'string' ? { result } : {}) };
}

function gatewayOf(row: Row): PairedGateway {
  return {
    id: String(row['id']),
    url: String(row['url']),
    pairedAt: Number(row['paired_at']),
    isBound: row['bound'] === 1,
    ...(row['proxy'] === 1 ? { proxy: true as const } : {}),
    ...(typeof row['node'] === 'string' ? { node: row['node'] } : {}),
    ...(typeof row['name'] === 'string' ? { name: row['name'] } : {}),
    ...(typeof row['unconfirmed'] === 'string' ? { unconfirmed: row['unconfirmed'] } : {}),
  };
}
