/** The tables of the store. Never change a released step; add a new one after it. */
import type { Migrations } from '../database/shape.ts';

/** The limit of the audit log in rows, before it was limited by bytes. */
const AUDIT_LINES = 1_000_000;

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
  // Open requests are counted per agent for each new one, so the agent is a column. It is JSON, because it may contain any character.
  `
  ALTER TABLE approvals ADD COLUMN agent TEXT;
  ALTER TABLE approvals ADD COLUMN masked INTEGER;
  UPDATE approvals SET agent = binding -> '$.agent';
  CREATE INDEX approvals_by_agent ON approvals (state, agent);
  `,
  // A row gets its hash once; a row can be deleted only if the chain records it as removed.
  `
  ALTER TABLE audit ADD COLUMN hash TEXT;
  CREATE TABLE audit_chain (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    removed_seq INTEGER NOT NULL,
    removed_hash TEXT NOT NULL,
    last_seq INTEGER NOT NULL,
    last_hash TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    linked INTEGER NOT NULL
  );
  INSERT INTO audit_chain VALUES (1, 0, '', 0, '', 0, 0);
  DROP TRIGGER audit_is_not_changed;
  DROP TRIGGER audit_is_not_removed;
  CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
    WHEN OLD.hash IS NOT NULL OR NEW.hash IS NULL OR NEW.seq <> OLD.seq OR NEW.time <> OLD.time OR NEW.line <> OLD.line
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_has_a_hash BEFORE INSERT ON audit WHEN NEW.hash IS NULL
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
    WHEN OLD.seq > (SELECT removed_seq FROM audit_chain)
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  `,
  'ALTER TABLE approvals ADD COLUMN said TEXT',
  // Paired machines, and the invitations that pair one. `label` is the name with folded case; only paired nodes have one.
  `
  CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    public_key TEXT NOT NULL,
    name TEXT NOT NULL,
    label TEXT UNIQUE,
    platform TEXT NOT NULL,
    version TEXT NOT NULL,
    offer TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('paired', 'revoked')),
    bound INTEGER NOT NULL,
    paired_at INTEGER NOT NULL,
    paired_by TEXT NOT NULL,
    seen_at INTEGER,
    cloned_at INTEGER,
    CHECK ((state = 'paired') = (label IS NOT NULL))
  );
  CREATE TABLE node_pairing (
    id TEXT PRIMARY KEY,
    secret TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  );
  `,
  // Requests to nodes that have not ended. A row is on disk before its request is sent, and is deleted when the end is reported.
  `
  CREATE TABLE node_requests (
    key TEXT PRIMARY KEY,
    node TEXT NOT NULL,
    store TEXT NOT NULL,
    session TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('sent', 'asked', 'running')),
    request TEXT NOT NULL,
    approval TEXT,
    unreachable_since INTEGER,
    kill_wanted INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX node_requests_by_node ON node_requests (node);
  `,
  'ALTER TABLE nodes ADD COLUMN next_key TEXT',
  // Copies of the approval requests on nodes, and how far the notices of each node were read.
  `
  CREATE TABLE node_questions (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    node TEXT NOT NULL,
    node_name TEXT NOT NULL,
    node_from TEXT,
    remote_id TEXT NOT NULL,
    answers TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'allowed', 'denied', 'expired', 'cancelled')),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    agent TEXT NOT NULL,
    binding TEXT NOT NULL,
    judgement TEXT NOT NULL,
    run TEXT NOT NULL,
    decision TEXT,
    resolved_by TEXT,
    resolved_at INTEGER,
    session_id TEXT,
    running_noticed INTEGER NOT NULL DEFAULT 0,
    outcome TEXT,
    masked INTEGER,
    UNIQUE (node, remote_id)
  );
  CREATE INDEX node_questions_by_state ON node_questions (state, agent);
  CREATE INDEX node_questions_open ON node_questions (node) WHERE outcome IS NULL;
  CREATE TABLE node_cursors (
    node TEXT PRIMARY KEY,
    seq INTEGER NOT NULL
  );
  `,
  // Keys that no node may use any more. Their NATS credentials are revoked, also after a crash, and the row stays until they expire.
  `
  CREATE TABLE ended_node_keys (
    key TEXT PRIMARY KEY,
    ended_at INTEGER NOT NULL
  );
  INSERT INTO ended_node_keys (key, ended_at)
    SELECT public_key, MAX(paired_at, COALESCE(seen_at, 0)) FROM nodes WHERE state = 'revoked';
  `,
  // For the registry that gateways share: all keys of the pairing as JSON, how often its name and the mark of a copied key changed,
  // and its name there, where another node has that name here. A forgotten node is only kept so that no other gateway brings it back.
  `
  ALTER TABLE nodes ADD COLUMN keys TEXT;
  ALTER TABLE nodes ADD COLUMN renamed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE nodes ADD COLUMN clone_changes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE nodes ADD COLUMN shared_name TEXT;
  ALTER TABLE nodes ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
  `,
  // Keys of requests to nodes whose copy other gateways may have.
  'CREATE TABLE shared_requests (key TEXT PRIMARY KEY)',
  // The digest of a request on its node, which an answer carries back.
  'ALTER TABLE node_questions ADD COLUMN digest TEXT',
  // The order of the history of approvals.
  `
  CREATE INDEX approvals_by_creation ON approvals (created_at, id);
  CREATE INDEX node_questions_by_creation ON node_questions (created_at, id);
  `,
  // Logins of the control page. `number` is part of the name, and AUTOINCREMENT never uses one again. The id of the store shows a reader
  // of notices and audit entries that a new database counts from 1 again.
  `
  CREATE TABLE login_links (
    code_hash TEXT PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'operator')),
    created_by TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  );
  CREATE TABLE logins (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'operator')),
    browser TEXT,
    cookie_hash TEXT NOT NULL,
    key_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL
  );
  CREATE TABLE store_identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL
  );
  INSERT INTO store_identity VALUES (1, lower(hex(randomblob(16))));
  `,
  // The names of the logins that a login comes from, as JSON: each one created a link for the next.
  `ALTER TABLE logins ADD COLUMN created_by TEXT NOT NULL DEFAULT '[]'`,
  // Calls that wait for the answer to the same question. `question` is the id of the request that a person is shown; a question has
  // none. `same_key` is equal where a person would be shown the same, `rule_key` where one rule would cover both.
  `
  ALTER TABLE approvals ADD COLUMN question TEXT;
  ALTER TABLE approvals ADD COLUMN same_key TEXT;
  ALTER TABLE approvals ADD COLUMN rule_key TEXT;
  CREATE INDEX approvals_by_question ON approvals (question) WHERE question IS NOT NULL;
  CREATE INDEX approvals_by_same_key ON approvals (same_key) WHERE state = 'pending';
  CREATE INDEX approvals_by_rule_key ON approvals (rule_key);
  CREATE INDEX approvals_of_agent ON approvals (agent, created_at);
  ALTER TABLE node_questions ADD COLUMN question TEXT;
  ALTER TABLE node_questions ADD COLUMN rule_key TEXT;
  CREATE INDEX node_questions_by_question ON node_questions (question) WHERE question IS NOT NULL;
  CREATE INDEX node_questions_by_rule_key ON node_questions (rule_key);
  CREATE INDEX node_questions_of_agent ON node_questions (agent, created_at);
  `,
];

/** The tables that are checked when the store opens, so that damage is found before they are used. */
export function tablesToCheck(fileBytes: number): readonly string[] {
  const always = [
    'approvals',
    'notices',
    'overrides',
    'sessions',
    'audit_chain',
    'nodes',
    'node_pairing',
    'node_requests',
    'shared_requests',
    'node_questions',
    'node_cursors',
    'ended_node_keys',
    'login_links',
    'logins',
    'store_identity',
  ];
  return fileBytes <= MOST_READ ? [...always, 'audit'] : always;
}

/** Checking a longer audit log would delay every start. */
const MOST_READ = 64 << 20;
