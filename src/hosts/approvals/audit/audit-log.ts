/** The audit log: append-only, each row linked to all previous ones by a hash, limited by bytes and age. */
import type { AuditCheck, AuditEntry } from '../../../wire/approval.ts';
import type { Database, Row } from '../../database/shape.ts';
import { searchTurn } from '../../database/turns.ts';
import { ofClient } from '../client-filter.ts';
import { auditEntryOf, hashOf, type NewAuditEntry, rowOf } from './audit-row.ts';

/** The size limit. Above it, the oldest rows are removed until a tenth is free. */
const MOST_BYTES = 64 << 20;
const FREED_SHARE = 0.1;
const KEEP_MS = 365 * 24 * 3600_000;
/** Bytes of a row in addition to its text: hash, numbers, table overhead. */
const ROW_BYTES = 96;
const AT_ONCE = 500;

/** The state of the hash chain: the last removed row, and the last row. */
interface Chain {
  readonly removedSeq: number;
  readonly removedHash: string;
  readonly lastSeq: number;
  readonly lastHash: string;
  readonly bytes: number;
}

export interface AuditLog {
  append(entry: NewAuditEntry): void;
  list(after: number, limit: number, client?: string): readonly AuditEntry[];
  /** Checks the chain; reports the first row that does not follow from those before it. */
  verify(): Promise<AuditCheck>;
  prune(): void;
}

export function auditLogIn(database: Database, now: () => number): AuditLog {
  linkOldRows(database);
  const rowsAfter = (after: number, limit: number, client?: string): readonly Row[] =>
    database
      .prepare(`SELECT seq, time, line, hash FROM audit WHERE seq > ?${ofClient('line', client)} ORDER BY seq LIMIT ?`)
      .all(after, ...(client === undefined ? [] : [client]), limit);
  let checking: Promise<AuditCheck> | undefined;

  async function verify(): Promise<AuditCheck> {
    let [at, hash, rows] = [-1, '', 0];
    for (;;) {
      const chain = chainOf(database);
      if (at < chain.removedSeq) [at, hash, rows] = [chain.removedSeq, chain.removedHash, 0];
      const batch = rowsAfter(at, AT_ONCE);
      if (batch.length === 0)
        return at === chain.lastSeq && hash === chain.lastHash
          ? { ok: true, rows, removedUpTo: chain.removedSeq, last: at, hash }
          : { ok: false, rows, broken: at + 1 };
      const { lastSeq } = chainOf(database); // another process may have appended rows meanwhile
      for (const row of batch) {
        const one = { seq: Number(row['seq']), time: Number(row['time']), line: String(row['line']) };
        hash = hashOf(hash, one);
        if (row['hash'] !== hash || one.seq > lastSeq) return { ok: false, rows, broken: one.seq };
        at = one.seq;
        rows++;
      }
      await searchTurn();
    }
  }

  return {
    append: (entry) =>
      database.soon(() => {
        const chain = chainOf(database);
        const row = { seq: chain.lastSeq + 1, time: now(), line: rowOf(entry) };
        const hash = hashOf(chain.lastHash, row);
        const bytes = chain.bytes + sizeOf(row.line);
        database
          .prepare('INSERT INTO audit (seq, time, line, hash) VALUES (?, ?, ?, ?)')
          .run(row.seq, row.time, row.line, hash);
        database.prepare('UPDATE audit_chain SET last_seq = ?, last_hash = ?, bytes = ?').run(row.seq, hash, bytes);
        if (bytes > MOST_BYTES) prune(database, now());
      }),

    list: (after, limit, client) => rowsAfter(after, limit, client).map(auditEntryOf),

    // A check reads the whole log, and those that ask while it runs get its answer.
    verify: () => (checking ??= verify().finally(() => (checking = undefined))),

    prune: () => prune(database, now()),
  };
}

function chainOf(database: Database): Chain {
  const row = database.prepare('SELECT removed_seq, removed_hash, last_seq, last_hash, bytes FROM audit_chain').get()!;
  return {
    removedSeq: Number(row['removed_seq']),
    removedHash: String(row['removed_hash']),
    lastSeq: Number(row['last_seq']),
    lastHash: String(row['last_hash']),
    bytes: Number(row['bytes']),
  };
}

function sizeOf(line: string): number {
  return Buffer.byteLength(line) + ROW_BYTES;
}

/** Removes the oldest rows that exceed the limits, in one step, and keeps the hash of the last one. */
function prune(database: Database, time: number): void {
  const { bytes } = chainOf(database);
  const excess = bytes > MOST_BYTES ? bytes - MOST_BYTES * (1 - FREED_SHARE) : 0;
  let freed = 0;
  let last: Row | undefined;
  for (;;) {
    const batch = database
      .prepare('SELECT seq, time, line, hash FROM audit WHERE seq > ? ORDER BY seq LIMIT ?')
      .all(Number(last?.['seq'] ?? -1), AT_ONCE);
    const gone = batch.findIndex((row) => {
      if (freed >= excess && Number(row['time']) >= time - KEEP_MS) return true;
      freed += sizeOf(String(row['line']));
      last = row;
      return false;
    });
    if (gone >= 0 || batch.length < AT_ONCE) break;
  }
  if (last === undefined) return;
  const { seq, hash } = last;
  database.soon(() => {
    // First: a trigger permits deletes only for rows that are recorded as removed.
    database
      .prepare('UPDATE audit_chain SET removed_seq = ?, removed_hash = ?, bytes = ?')
      .run(seq!, hash!, bytes - freed);
    database.prepare('DELETE FROM audit WHERE seq <= ?').run(seq!);
  });
}

/** Rows from before the chain existed become its start; those beyond the limit are removed first. */
function linkOldRows(database: Database): void {
  if (database.prepare('SELECT linked FROM audit_chain').get()?.['linked'] === 1) return;
  database.transaction(() => {
    if (database.prepare('SELECT linked FROM audit_chain').get()?.['linked'] === 1) return;
    const excess = database
      .prepare(
        `SELECT MAX(seq) AS seq FROM (
           SELECT seq, SUM(LENGTH(CAST(line AS BLOB)) + ${ROW_BYTES}) OVER (ORDER BY seq DESC) AS total FROM audit
         ) WHERE total > ?`,
      )
      .get(MOST_BYTES)?.['seq'];
    const first = Number(excess ?? database.prepare('SELECT MIN(seq) - 1 AS seq FROM audit').get()?.['seq'] ?? 0);
    database.prepare('UPDATE audit_chain SET removed_seq = ?').run(first);
    database.prepare('DELETE FROM audit WHERE seq <= ?').run(first);
    let [at, hash, bytes] = [first, '', 0];
    for (let batch: readonly Row[] = []; ; ) {
      batch = database.prepare('SELECT seq, time, line FROM audit WHERE seq > ? ORDER BY seq LIMIT ?').all(at, AT_ONCE);
      for (const { seq, time, line } of batch) {
        at = Number(seq);
        hash = hashOf(hash, { seq: at, time: Number(time), line: String(line) });
        bytes += sizeOf(String(line));
        database.prepare('UPDATE audit SET hash = ? WHERE seq = ?').run(hash, at);
      }
      if (batch.length < AT_ONCE) break;
    }
    database.prepare('UPDATE audit_chain SET last_seq = ?, last_hash = ?, bytes = ?, linked = 1').run(at, hash, bytes);
  });
}
