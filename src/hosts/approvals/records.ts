/** The records of the store other than approval requests: audit log, notices, values of conversations, running sessions. */
import type { Notice } from '../../wire/notice.ts';
import type { Database } from '../database/shape.ts';
import { auditLogIn } from './audit/audit-log.ts';
import { ofClient } from './client-filter.ts';
import { auditSearchIn } from './audit/audit-search.ts';
import { AuditRate } from './audit/audit-rate.ts';
import type { ApprovalStore, ConversationOverride, NotedSession } from './shape.ts';

export type Records = Pick<
  ApprovalStore,
  | 'audit'
  | 'auditLog'
  | 'verifyAudit'
  | 'searchAudit'
  | 'countAudit'
  | 'lastAudit'
  | 'notice'
  | 'noticedSince'
  | 'notices'
  | 'range'
  | 'override'
  | 'setOverride'
  | 'noteSession'
  | 'strays'
> & {
  /** Removes rows that exceed the limits. */
  readonly prune: () => void;
  /** Writes the counts of omitted rows. */
  readonly close: () => void;
};

const KEEP_MS = 30 * 24 * 3600_000;
const KEEP_FINISHED = 10_000;
const KEEP_NOTICES = 10_000;
/** New rows between two checks of the limits. */
const PRUNE_EVERY = 1000;

interface RecordsListeners {
  readonly onTrouble?: ((fault: unknown) => void) | undefined;
  readonly onAudit?: (() => void) | undefined;
}

export function recordsIn(database: Database, now: () => number, { onTrouble, onAudit }: RecordsListeners): Records {
  const log = auditLogIn(database, now);
  const search = auditSearchIn(database);
  const rate = new AuditRate(
    (entry) => {
      log.append(entry);
      countRow();
      onAudit?.();
    },
    now,
    onTrouble,
  );
  let added = 0;
  const pruneAll = (): void => {
    prune(database, now());
    log.prune();
  };
  const countRow = (): void => {
    if (++added % PRUNE_EVERY === 0) pruneAll();
  };
  return {
    prune: pruneAll,
    close: () => rate.close(),
    audit: (entry) => rate.add(entry),
    auditLog: (after, limit, client) => log.list(after, limit, client),
    verifyAudit: () => log.verify(),
    searchAudit: (terms, range, signal) => search.find(terms, range, signal),
    countAudit: (terms, bins, signal) => search.count(terms, bins, signal),
    lastAudit: () => search.last(),

    notice: (notice) =>
      database.soon(() => {
        const time = now();
        const { lastId } = database
          .prepare('INSERT INTO notices (time, body) VALUES (?, ?)')
          .run(time, JSON.stringify(notice));
        countRow();
        return { ...notice, seq: lastId, time, untrusted: true };
      }),

    noticedSince: (contextKey, since) =>
      database
        .prepare(`SELECT 1 FROM notices WHERE time > ? AND body ->> '$.contextKey' = ? LIMIT 1`)
        .get(since, contextKey) !== undefined,

    notices: (after, limit, client) =>
      database
        .prepare(`SELECT seq, time, body FROM notices WHERE seq > ?${ofClient('body', client)} ORDER BY seq LIMIT ?`)
        .all(after, ...(client === undefined ? [] : [client]), limit)
        .map(({ seq, time, body }) => {
          const notice = JSON.parse(String(body)) as Omit<Notice, 'seq' | 'time' | 'untrusted'>;
          return { ...notice, seq: Number(seq), time: Number(time), untrusted: true };
        }),

    range() {
      const row = database
        .prepare(
          `SELECT (SELECT id FROM store_identity) AS store,
             (SELECT MIN(seq) FROM notices) AS first_notice,
             (SELECT seq FROM sqlite_sequence WHERE name = 'notices') AS last_notice,
             removed_seq + 1 AS first_audit, last_seq AS last_audit FROM audit_chain`,
        )
        .get()!;
      const last = Number(row['last_notice'] ?? 0);
      return {
        store: String(row['store']),
        notice: { first: Number(row['first_notice'] ?? last + 1), last },
        audit: { first: Number(row['first_audit']), last: Number(row['last_audit']) },
      };
    },

    override: (conversation) => {
      const row = database
        .prepare('SELECT said FROM overrides WHERE conversation = ?')
        .get(JSON.stringify(conversation));
      return row === undefined ? {} : (JSON.parse(String(row['said'])) as ConversationOverride);
    },

    setOverride: (conversation, values, by) =>
      database.transaction(() => {
        database.prepare('DELETE FROM overrides WHERE conversation = ?').run(JSON.stringify(conversation));
        if (Object.keys(values).length === 0) return;
        database
          .prepare('INSERT INTO overrides (conversation, said, said_by, time) VALUES (?, ?, ?, ?)')
          .run(JSON.stringify(conversation), JSON.stringify(values), JSON.stringify(by), now());
      }),

    noteSession: (session) =>
      database.soon(() => {
        database.prepare('DELETE FROM sessions WHERE id = ?').run(session.id);
        if ('ended' in session) return;
        database
          .prepare('INSERT INTO sessions (id, pid, start_time, whose) VALUES (?, ?, ?, ?)')
          .run(
            session.id,
            session.pid,
            session.startTime,
            session.whose === undefined ? null : JSON.stringify(session.whose),
          );
      }),

    strays: () =>
      database
        .prepare('SELECT id, pid, start_time, whose FROM sessions ORDER BY rowid')
        .all()
        .map(({ id, pid, start_time: startTime, whose }) => ({
          id: String(id),
          pid: Number(pid),
          startTime: String(startTime),
          ...(whose === null ? {} : { whose: JSON.parse(String(whose)) as NonNullable<NotedSession['whose']> }),
        })),
  };
}

/** Removes old or excess requests and notices, but never a request that waits for an answer or for its run. */
function prune(database: Database, time: number): void {
  database.soon(() => {
    const finished = `state <> 'pending' AND NOT (state = 'allowed' AND consumed_at IS NULL)`;
    database.prepare(`DELETE FROM approvals WHERE ${finished} AND created_at < ?`).run(time - KEEP_MS);
    database
      .prepare(
        `DELETE FROM approvals WHERE ${finished} AND rowid NOT IN
           (SELECT rowid FROM approvals WHERE ${finished} ORDER BY rowid DESC LIMIT ${KEEP_FINISHED})`,
      )
      .run();
    database
      .prepare(`DELETE FROM notices WHERE time < ? OR seq <= (SELECT MAX(seq) FROM notices) - ${KEEP_NOTICES}`)
      .run(time - KEEP_MS);
  });
}
