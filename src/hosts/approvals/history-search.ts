/** Searches the approvals of a table, part by part, with the newest first. */
import type { ApprovalTerm } from '../../wire/query/approval-query.ts';
import type { Database, Row, Value } from '../database/shape.ts';
import { rowsAtOnce, searchTurn } from '../database/turns.ts';
import type { ApprovalTable } from './approval-rows.ts';
import { conditionOf, contains, equals, type TermTest } from './query-sql.ts';
import type { HistoryPosition } from './shape.ts';

/** Comparisons without a pause; a row has a command with all its arguments. */
const AT_ONCE = 200;
/** Characters in the database. */
export const LONGEST_FOUND = 6 << 20;

/**
 * At most `limit` rows that a search finds before a position, and fewer where their text is longer than `LONGEST_FOUND`: always two,
 * so that who cuts the list at that length sees that there are more.
 */
export async function searchHistory(
  database: Database,
  table: ApprovalTable,
  terms: readonly ApprovalTerm[],
  before: HistoryPosition | undefined,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly Row[]> {
  const { sql, values } = conditionOf(terms, testOf);
  const isBefore = '(created_at < ? OR (created_at = ? AND id < ?))';
  const notAfter = '(created_at > ? OR (created_at = ? AND id >= ?))';
  const order = 'ORDER BY created_at DESC, id DESC';
  const windowEnd = database.prepare(`SELECT created_at, id FROM ${table} WHERE ${isBefore} ${order} LIMIT 1 OFFSET ?`);
  const isIn = `WHERE ${isBefore} AND ${notAfter}${sql} ${order} LIMIT ?`;
  const measure = database.prepareOnce(`SELECT LENGTH(binding) + LENGTH(judgement) AS chars FROM ${table} ${isIn}`);
  const read = database.prepareOnce(`SELECT * FROM ${table} ${isIn}`);
  let chars = 0;
  const found: Row[] = [];
  let from: Position = before === undefined ? [Number.MAX_SAFE_INTEGER, ''] : [before.createdAt, before.id];
  const skipped = rowsAtOnce(AT_ONCE, terms.length) - 1;
  for (;;) {
    await searchTurn();
    signal?.throwIfAborted();
    const end = windowEnd.get(...bound(from), skipped);
    const to: Position =
      end === undefined ? [Number.MIN_SAFE_INTEGER, ''] : [Number(end['created_at']), String(end['id'])];
    const within = [...bound(from), ...bound(to), ...values];
    const measured = measure.all(...within, limit - found.length);
    const cut = measured.findIndex(
      (row, at) => (chars += Number(row['chars'])) > LONGEST_FOUND && found.length + at > 0,
    );
    found.push(...read.all(...within, cut === -1 ? measured.length : cut + 1));
    if (end === undefined || found.length >= limit || cut !== -1) return found;
    from = to;
  }
}

type Position = readonly [createdAt: number, id: string];

function bound([createdAt, id]: Position): readonly Value[] {
  return [createdAt, createdAt, id];
}

/** Texts from people are stored as JSON. */
const AGENT = `agent ->> '$'`;
const BY = `resolved_by ->> '$'`;

const testOf: TermTest = ({ field, value }) => {
  switch (field as ApprovalTerm['field']) {
    case 'word': {
      const columns = [`binding ->> '$.command'`, AGENT, BY, 'state'];
      const tests = columns.map((column) => contains(`COALESCE(${column}, '')`, value));
      return { sql: `(${tests.map(({ sql }) => sql).join(' OR ')})`, values: tests.flatMap((test) => test.values) };
    }
    case 'agent':
      return equals(AGENT, value);
    case 'by':
      return equals(BY, value);
    case 'state':
      return equals('state', value);
    case 'host':
      return equals(`binding ->> '$.host'`, value);
    case 'since':
      return { sql: 'created_at >= ?', values: [value] };
    case 'until':
      return { sql: 'created_at < ?', values: [value] };
  }
};
