/**
 * The requests to nodes whose end is not reported yet, on disk. With them, a gateway that was killed finds out about each request
 * that it had sent: the next link of the node looks its key up.
 */
import { messageOf } from '../../base/message-of.ts';
import type { OpenRequest, RequestRecord } from '../../wire/nodes/open-request.ts';
import type { Database, Row } from '../database/shape.ts';

export interface NodeName {
  readonly id: string;
  readonly name: string;
}

export type RequestState = OpenRequest['state'];

/** A request whose copy other gateways may have. `request` is undefined when its end is reported. */
export interface SharedKey {
  readonly key: string;
  readonly request: OpenRequest | undefined;
}

export interface RequestTarget {
  readonly store: string;
  readonly session: string;
  /** Other gateways get a copy. */
  readonly isShared: boolean;
}

export interface NodeRequests {
  /** Survives the end of this process when it returns. Nothing may be sent before. */
  add(key: string, to: RequestTarget, record: RequestRecord): void;
  /** All of a node, or of all nodes; the oldest first. */
  list(node?: string): readonly OpenRequest[];
  get(key: string): OpenRequest | undefined;
  /** The request whose approval request on the node has this id. */
  ofApproval(node: string, approval: string): OpenRequest | undefined;
  /** The first approval request counts: a node asks once about a request. */
  asked(key: string, approval: string | undefined): void;
  /** Its session has started. `also` is written in the same transaction. */
  started(key: string, session: Pick<OpenRequest, 'session' | 'startedAt'>, also: () => void): void;
  /** Its client has left it, and it continues. */
  detached(key: string): void;
  /** On disk when this returns. */
  wantKill(key: string): void;
  unreachable(key: string, since: number | undefined): void;
  /** Its end is reported, or it never ran. */
  delete(key: string): void;
  deleteSession(session: string): void;
  /** The running request of a session. */
  ofSession(session: string): OpenRequest | undefined;
  /** Whether other gateways may have a copy of the running request of a session. Undefined if there is no such request. */
  isSessionShared(session: string): boolean | undefined;
  /** Requests whose copy other gateways may have, until `unshare`: with it, no other gateway has one from here. */
  shared(): readonly SharedKey[];
  isShared(key: string): boolean;
  /** Adds a request of another gateway. On disk when this returns. */
  take(request: OpenRequest): void;
  unshare(key: string): void;
}

/**
 * `onTrouble` receives the error of a row that cannot be read; such a row is left alone. `changed` is called after each change that
 * other gateways have to know.
 */
export function nodeRequestsIn(
  database: Database,
  onTrouble: (trouble: unknown) => void,
  changed: () => void = () => {},
): NodeRequests {
  const unreadable = new Set<string>();
  const read = (row: Row): OpenRequest | undefined => {
    try {
      return requestOf(row);
    } catch (error) {
      const key = String(row['key']);
      if (!unreadable.has(key)) onTrouble(`the request ${key} to a node cannot be read: ${messageOf(error)}`);
      unreadable.add(key);
      return undefined;
    }
  };
  const set = (assignment: string, key: string, ...values: readonly (string | number | null)[]): void => {
    database.prepare(`UPDATE node_requests SET ${assignment} WHERE key = ?`).run(...values, key);
    changed();
  };
  const remove = (where: string, value: string): void =>
    database.soon(() => {
      database.prepare(`DELETE FROM node_requests WHERE ${where}`).run(value);
      changed();
    });
  const share = (key: string): void =>
    void database.prepare('INSERT INTO shared_requests (key) VALUES (?) ON CONFLICT DO NOTHING').run(key);
  const get = (key: string): OpenRequest | undefined => {
    const row = database.prepare('SELECT * FROM node_requests WHERE key = ?').get(key);
    return row === undefined ? undefined : read(row);
  };
  return {
    add: (key, { store, session, isShared }, record) =>
      database.record(() => {
        if (isShared) share(key);
        database
          .prepare(
            `INSERT INTO node_requests (key, node, store, session, state, request) VALUES (?, ?, ?, ?, 'sent', ?)
             ON CONFLICT (key) DO UPDATE SET store = excluded.store`,
          )
          .run(key, record.node.id, store, session, JSON.stringify(record));
      }),
    list: (node) =>
      (node === undefined
        ? database.prepare('SELECT * FROM node_requests ORDER BY rowid').all()
        : database.prepare('SELECT * FROM node_requests WHERE node = ? ORDER BY rowid').all(node)
      ).flatMap((row) => read(row) ?? []),
    get,
    ofApproval(node, approval) {
      const row = database.prepare('SELECT * FROM node_requests WHERE node = ? AND approval = ?').get(node, approval);
      return row === undefined ? undefined : read(row);
    },
    asked: (key, approval) =>
      database.soon(() => set(`state = 'asked', approval = COALESCE(approval, ?)`, key, approval ?? null)),
    started: (key, { session, startedAt }, also) =>
      database.soon(() => {
        set(`state = 'running', session = ?`, key, session);
        if (startedAt !== undefined) set(`request = json_set(request, '$.startedAt', ?)`, key, startedAt);
        also();
      }),
    detached: (key) => database.soon(() => set(`request = json_remove(request, '$.attached')`, key)),
    wantKill: (key) => database.transaction(() => set('kill_wanted = 1', key)),
    unreachable: (key, since) =>
      database.soon(() => set('unreachable_since = ?', key, since === undefined ? null : Math.trunc(since))),
    delete: (key) => remove('key = ?', key),
    deleteSession: (session) => remove(`session = ? AND state = 'running'`, session),
    ofSession(session) {
      const row = database.prepare(`SELECT * FROM node_requests WHERE session = ? AND state = 'running'`).get(session);
      return row === undefined ? undefined : read(row);
    },
    isSessionShared(session) {
      const select = `SELECT key IN (SELECT key FROM shared_requests) AS shared FROM node_requests
        WHERE session = ? AND state = 'running'`;
      const row = database.prepare(select).get(session);
      return row === undefined ? undefined : row['shared'] === 1;
    },
    shared: () =>
      database
        .prepare('SELECT key FROM shared_requests ORDER BY rowid')
        .all()
        .map((row) => ({ key: String(row['key']), request: get(String(row['key'])) })),
    isShared: (key) => database.prepare('SELECT key FROM shared_requests WHERE key = ?').get(key) !== undefined,
    take(request) {
      const { key, store, session, state, approval, isKillWanted, unreachableSince: _, ...record } = request;
      database.transaction(() => {
        share(key);
        database
          .prepare(
            `INSERT INTO node_requests (key, node, store, session, state, request, approval, kill_wanted)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(
            key,
            record.node.id,
            store,
            session,
            state,
            JSON.stringify(record),
            approval ?? null,
            isKillWanted ? 1 : 0,
          );
      });
    },
    unshare: (key) => database.soon(() => void database.prepare('DELETE FROM shared_requests WHERE key = ?').run(key)),
  };
}

function requestOf(row: Row): OpenRequest {
  const { approval, unreachable_since: since } = row;
  return {
    ...(JSON.parse(String(row['request'])) as RequestRecord),
    key: String(row['key']),
    store: String(row['store']),
    session: String(row['session']),
    state: row['state'] as RequestState,
    ...(approval === null ? {} : { approval: String(approval) }),
    ...(since === null ? {} : { unreachableSince: Number(since) }),
    isKillWanted: row['kill_wanted'] === 1,
  };
}
