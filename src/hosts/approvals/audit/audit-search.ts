/** Searches the audit log, part by part: a long log must not stop the other work of the daemon. */
import type { AuditEntry } from '../../../wire/approval.ts';
import type { AuditBin } from '../../../wire/methods/audit-methods.ts';
import type { AuditTerm } from '../../../wire/query/audit-query.ts';
import type { Database } from '../../database/shape.ts';
import { rowsAtOnce, searchTurn } from '../../database/turns.ts';
import { auditEntryOf } from './audit-row.ts';
import { ofClient } from '../client-filter.ts';
import { conditionOf, contains, equals, type TermTest } from '../query-sql.ts';
import type { AuditBins, AuditRange } from '../shape.ts';

export interface AuditSearch {
  find(terms: readonly AuditTerm[], range: AuditRange, signal?: AbortSignal): Promise<readonly AuditEntry[]>;
  count(terms: readonly AuditTerm[], bins: AuditBins, signal?: AbortSignal): Promise<readonly AuditBin[]>;
  last(): number;
}

/** Comparisons without a pause: a few milliseconds. */
const AT_ONCE = 4_000;

export function auditSearchIn(database: Database): AuditSearch {
  const edge = (which: 'MIN' | 'MAX'): number =>
    Number(database.prepare(`SELECT ${which}(seq) AS seq FROM audit`).get()?.['seq'] ?? 0);

  /** Calls `read` for each part of the log between two numbers, which are not included, until it returns false. */
  async function windows(
    { after, before, order }: Pick<AuditRange, 'after' | 'before' | 'order'>,
    rows: number,
    read: (from: number, to: number) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    let from = Math.max(after, edge('MIN') - 1);
    let to = Math.min(before, edge('MAX') + 1);
    while (to - from > 1) {
      await searchTurn();
      signal?.throwIfAborted();
      const isOldest = order === 'oldest-first';
      const part = isOldest ? { from, to: Math.min(to, from + rows + 1) } : { from: Math.max(from, to - rows - 1), to };
      if (!read(part.from, part.to)) return;
      if (isOldest) from = part.to - 1;
      else to = part.from + 1;
    }
  }

  return {
    async find(terms, range, signal) {
      const { client, limit, order } = range;
      const { sql, values } = conditionOf(terms, testOf);
      const statement = database.prepareOnce(
        `SELECT seq, time, line FROM audit WHERE seq > ? AND seq < ?${ofClient('line', client)}${sql}
         ORDER BY seq ${order === 'oldest-first' ? 'ASC' : 'DESC'} LIMIT ?`,
      );
      const found: AuditEntry[] = [];
      const bound = [...(client === undefined ? [] : [client]), ...values];
      const read = (from: number, to: number): boolean => {
        found.push(...statement.all(from, to, ...bound, limit - found.length).map(auditEntryOf));
        return found.length < limit;
      };
      await windows(range, rowsAtOnce(AT_ONCE, terms.length), read, signal);
      return found;
    },

    async count(terms, { from: start, to: end, bins }, signal) {
      const { sql, values } = conditionOf(terms, testOf);
      const statement = database.prepareOnce(
        `SELECT CAST((time - ?) * ? / ? AS INTEGER) AS bin, COUNT(*) AS entries,
                SUM(line ->> '$.event' = 'asked') AS asked, SUM(line ->> '$.event' = 'denied') AS denied FROM audit
         WHERE seq > ? AND seq < ? AND time >= ? AND time < ?${sql} GROUP BY bin`,
      );
      const counts = Array.from({ length: bins }, () => ({ entries: 0, asked: 0, denied: 0 }));
      const read = (from: number, to: number): boolean => {
        for (const row of statement.all(start, bins, end - start, from, to, start, end, ...values)) {
          const bin = counts[Number(row['bin'])]!;
          bin.entries += Number(row['entries']);
          bin.asked += Number(row['asked']);
          bin.denied += Number(row['denied']);
        }
        return true;
      };
      const all = { after: 0, before: Number.MAX_SAFE_INTEGER, order: 'newest-first' } as const;
      await windows(all, rowsAtOnce(AT_ONCE, terms.length), read, signal);
      return counts;
    },

    last: () => edge('MAX'),
  };
}

const testOf: TermTest = ({ field, value }) => {
  switch (field as AuditTerm['field']) {
    case 'word':
      return contains(`line ->> '$.command'`, value);
    case 'agent':
      return equals(`line ->> '$.agent'`, value);
    case 'event':
      return equals(`line ->> '$.event'`, value);
    case 'host':
      return equals(`line ->> '$.details.host'`, value);
    case 'by':
      return equals(`line ->> '$.by'`, value);
    case 'session':
      return equals(`line ->> '$.sessionId'`, value);
    case 'code':
      // The reason of a denial is a code, too.
      return {
        sql: `? IN (COALESCE(line ->> '$.details.code', ''), COALESCE(line ->> '$.details.reason', ''))`,
        values: [value],
      };
    case 'exit':
      return equals(`line ->> '$.details.${typeof value === 'number' ? 'exitCode' : 'exitSignal'}'`, value);
    case 'since':
      return { sql: 'time >= ?', values: [value] };
    case 'until':
      return { sql: 'time < ?', values: [value] };
  }
};
