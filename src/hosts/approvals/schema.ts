/** The tables of the store. A step here is never changed once it was released: a new one is added behind it. */
import type { Migrations } from '../database/shape.ts';

/** How many lines the audit log keeps; older ones are removed by the store, and by nobody else. */
export const AUDIT_LINES = 1_000_000;

export const MIGRATIONS: Migrations = [
  `
  CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('pending', 'allowed', 'denied', 'expired', 'cancelled')),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    binding TEXT NOT NULL,
    judgement TEXT NOT NULL,
    run TEXT NOT NULL,
    decision TEXT,
    resolved_by TEXT,
    resolved_at INTEGER,
    consumed_at INTEGER,
    session_id TEXT,
    outcome TEXT
  );
  CREATE INDEX approvals_by_state ON approvals (state, expires_at);
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    time INTEGER NOT NULL,
    line TEXT NOT NULL
  );
  CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit
    WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq)
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
    WHEN OLD.seq > (SELECT MAX(seq) FROM audit) - ${AUDIT_LINES}
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TABLE notices (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    time INTEGER NOT NULL,
    body TEXT NOT NULL
  );
  CREATE TABLE overrides (
    conversation TEXT PRIMARY KEY,
    said TEXT NOT NULL,
    said_by TEXT NOT NULL,
    time INTEGER NOT NULL
  );
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    pid INTEGER NOT NULL,
    start_time TEXT NOT NULL
  );
  `,
  'ALTER TABLE sessions ADD COLUMN whose TEXT',
];

/** The tables that are read through when the store opens, so that damage is found before anybody relies on them. */
export function tablesToCheck(fileBytes: number): readonly string[] {
  const always = ['approvals', 'notices', 'overrides', 'sessions'];
  return fileBytes <= MOST_READ ? [...always, 'audit'] : always;
}

/** A longer audit log would make every start wait. */
const MOST_READ = 64 << 20;
