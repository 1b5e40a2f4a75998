/**
 * The requests to nodes whose end is not reported yet, on disk. With them, a gateway that was killed finds out about each request
 * that it had sent: the next link of the node looks its key up.
 */
import { messageOf } from '../../base/message-of.ts';
import type { Caller } from '../../wire/exec.ts';
import type { TerminalSize } from '../../wire/session.ts';
import type { ExecSettings } from '../../wire/settings.ts';
import type { Database, Row } from '../database/shape.ts';

export interface NodeName {
  readonly id: string;
  readonly name: string;
}

/** What the session of a request needs after a restart of the gateway. */
export interface RequestRecord {
  readonly node: NodeName;
  readonly caller: Caller;
  /** With masked secrets. */
  readonly command: string;
  readonly masked?: true;
  readonly cwd: string;
  readonly sentAt: number;
  readonly timeout: number;
  readonly pty?: TerminalSize;
  readonly stdin: 'open' | 'closed';
  readonly settings: RequestSettings;
}

/** The settings that apply at its end. */
export type RequestSettings = Pick<
  ExecSettings,
  'notifyOnExit' | 'notifyOnExitEmptySuccess' | 'approvalRunningNoticeMs' | 'maxLogBytes' | 'cleanupMs'
>;

/**
 * `sent`: the node has not confirmed the start. `asked`: a person has to approve it. `running`: its session was started at this
 * gateway.
 */
export type RequestState = 'sent' | 'asked' | 'running';

export interface OpenRequest extends RequestRecord {
  readonly key: string;
  /** The store of the node that may know the key. */
  readonly store: string;
  /** The id of its session at this gateway. */
  readonly session: string;
  readonly state: RequestState;
  /** The approval request on the node. */
  readonly approval?: string;
  /** Since when its node is not connected. */
  readonly unreachableSince?: number;
  /** It is to be killed at the next link. */
  readonly isKillWanted: boolean;
}

export interface NodeRequests {
  /** Writes the request to disk. Nothing may be sent before. */
  add(key: string, to: { readonly store: string; readonly session: string }, record: RequestRecord): void;
  /** All of a node, or of all nodes; the oldest first. */
  list(node?: string): readonly OpenRequest[];
  get(key: string): OpenRequest | undefined;
  /** The request whose approval request on the node has this id. */
  ofApproval(node: string, approval: string): OpenRequest | undefined;
  /** The first approval request counts: a node asks once about a request. */
  asked(key: string, approval: string | undefined): void;
  /** Its session has started. `also` is written in the same transaction. */
  started(key: string, session: string, also: () => void): void;
  /** On disk when this returns. */
  wantKill(key: string): void;
  unreachable(key: string, since: number | undefined): void;
  /** Its end is reported, or it never ran. */
  delete(key: string): void;
  deleteSession(session: string): void;
}

/** `onTrouble` receives the error of a row that cannot be read; such a row is left alone. */
export function nodeRequestsIn(database: Database, onTrouble: (trouble: unknown) => void): NodeRequests {
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
  };
  return {
    add: (key, { store, session }, record) =>
      database.transaction(() => {
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
    get(key) {
      const row = database.prepare('SELECT * FROM node_requests WHERE key = ?').get(key);
      return row === undefined ? undefined : read(row);
    },
    ofApproval(node, approval) {
      const row = database.prepare('SELECT * FROM node_requests WHERE node = ? AND approval = ?').get(node, approval);
      return row === undefined ? undefined : read(row);
    },
    asked: (key, approval) =>
      database.soon(() => set(`state = 'asked', approval = COALESCE(approval, ?)`, key, approval ?? null)),
    started: (key, session, also) =>
      database.soon(() => {
        set(`state = 'running', session = ?`, key, session);
        also();
      }),
    wantKill: (key) => database.transaction(() => set('kill_wanted = 1', key)),
    unreachable: (key, since) =>
      database.soon(() => set('unreachable_since = ?', key, since === undefined ? null : Math.trunc(since))),
    delete: (key) => database.soon(() => void database.prepare('DELETE FROM node_requests WHERE key = ?').run(key)),
    deleteSession: (session) =>
      database.soon(
        () => void database.prepare(`DELETE FROM node_requests WHERE session = ? AND state = 'running'`).run(session),
      ),
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
