/** What the tables of approval requests have in common: those of this machine, and the copies of those on nodes. */
import { randomUUID } from 'node:crypto';
import type { ApprovalBinding, ApprovalInfo, ApprovalState, Decision } from '../../wire/approval.ts';
import type { Judgement } from '../../wire/policy.ts';
import { guestGateway } from '../../wire/nodes/guest-agent.ts';
import type { Database, Row, Value } from '../database/shape.ts';
import { historyOf } from './history.ts';

export type ApprovalTable = 'approvals' | 'node_questions';

export interface ApprovalRows {
  /** `rest` follows the name of the table. */
  select(rest: string, ...values: readonly Value[]): readonly Row[];
  count(rest: string, ...values: readonly Value[]): number;
  /** The requests of an agent under the SQL condition `isOpen`. */
  open(agent: string, isOpen: string, ...values: readonly Value[]): OpenRequests;
  /** The row with this id, or those whose id begins like this: at most two, because the second makes it ambiguous. */
  named(id: string): readonly Row[];
  /** Removes the secrets of a request, and what only a run needs, where no run can follow. */
  reduceToHistory(id: string): void;
}

/** The number of requests in a list (default). */
export const LISTED = 100;
/** Calls of an agent that wait, here and on nodes each: each is stored on disk, and one answer may start all of them. */
const MOST_OPEN = 500;
/** As text in the database, also for each agent; all agents of a gateway have one share. Every list has them in memory. */
const MOST_OPEN_CHARS = 32 << 20;

/** The pending requests of an agent. */
export interface OpenRequests {
  readonly number: number;
  /** Characters of text in the database. */
  readonly chars: number;
}

/** What an agent has that may ask no more: `500`, or `32 MiB of`. */
export function tooMuchOpen({ number, chars }: OpenRequests): string | undefined {
  if (number >= MOST_OPEN) return `${MOST_OPEN}`;
  return chars >= MOST_OPEN_CHARS ? `${MOST_OPEN_CHARS >> 20} MiB of` : undefined;
}

/** Of an id, to name its request. */
export const SHORTEST_PREFIX = 4;
const SLUG = 8;

/** `isOver` is the SQL condition under which no run can follow. */
export function approvalRowsIn(database: Database, table: ApprovalTable, isOver: string): ApprovalRows {
  const select: ApprovalRows['select'] = (rest, ...values) =>
    database.prepare(`SELECT * FROM ${table} ${rest}`).all(...values);
  return {
    select,
    count: (rest, ...values) =>
      Number(database.prepare(`SELECT COUNT(*) AS number FROM ${table} ${rest}`).get(...values)?.['number']),
    open(agent, isOpen, ...values) {
      const name = asText(agent);
      const gateway = guestGateway(agent);
      // Names are stored as JSON. Those of the agents of a gateway begin with its id and a slash, which `0` follows.
      const share = gateway === undefined ? [name, `${name}~`] : [`"${gateway}/`, `"${gateway}0`];
      const found = database
        .prepare(
          `SELECT COUNT(*) FILTER (WHERE agent = ?) AS number,
             COALESCE(SUM(LENGTH(binding) + LENGTH(judgement) + LENGTH(run)), 0) AS chars
           FROM ${table} WHERE ${isOpen} AND agent >= ? AND agent < ?`,
        )
        .get(name, ...values, ...share);
      return { number: Number(found?.['number']), chars: Number(found?.['chars']) };
    },
    named(id) {
      const start = id.toLowerCase();
      if (!/^[0-9a-f-]+$/u.test(start)) return [];
      const exact = select('WHERE id = ?', start);
      if (exact.length > 0 || start.length < SHORTEST_PREFIX) return exact;
      // `~` sorts after every digit and the dash, so the range contains exactly the ids with this prefix.
      return select('WHERE id >= ? AND id < ? LIMIT 2', start, `${start}~`);
    },
    reduceToHistory(id) {
      const [row] = select(`WHERE id = ? AND masked IS NULL AND ${isOver}`, id);
      if (row === undefined) return;
      const { binding, judgement } = approvalOf(row);
      const history = historyOf(binding, judgement, JSON.parse(String(row['run'])));
      database
        .prepare(`UPDATE ${table} SET binding = ?, judgement = ?, run = ?, masked = ? WHERE id = ?`)
        .run(asText(history.binding), asText(history.judgement), asText(history.run), history.masked ? 1 : 0, id);
    },
  };
}

/** Without its digest: the copy of a request on a node shows more than its row. */
export function approvalOf(row: Row): ApprovalInfo {
  const judgement = JSON.parse(String(row['judgement'])) as Judgement;
  const text = (column: string) => (row[column] === null ? undefined : String(row[column]));
  // Text from people and programs is stored as JSON, because it may contain any character.
  const jsonText = (column: string) => (row[column] === null ? undefined : (JSON.parse(String(row[column])) as string));
  const decision = text('decision') as Decision | undefined;
  const resolvedBy = jsonText('resolved_by');
  const sessionId = text('session_id');
  const outcome = jsonText('outcome');
  const question = text('question');
  return {
    id: String(row['id']),
    slug: String(row['slug']),
    state: String(row['state']) as ApprovalState,
    createdAt: Number(row['created_at']),
    expiresAt: Number(row['expires_at']),
    binding: JSON.parse(String(row['binding'])) as ApprovalBinding,
    judgement,
    wouldStore: judgement.proposal ?? [],
    ...(decision === undefined ? {} : { decision }),
    ...(resolvedBy === undefined ? {} : { resolvedBy }),
    ...(row['resolved_at'] === null ? {} : { resolvedAt: Number(row['resolved_at']) }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(row['masked'] === 1 ? { masked: true as const } : {}),
    ...(question === undefined ? {} : { question }),
  };
}

/** An id whose first eight characters are unique in both tables: the short form is never ambiguous. */
export function freshId(database: Database, wanted: string = randomUUID()): string {
  const taken = database.prepare(
    'SELECT 1 FROM approvals WHERE slug = ? UNION ALL SELECT 1 FROM node_questions WHERE slug = ?',
  );
  for (let id = wanted; ; id = randomUUID()) {
    const slug = slugOf(id);
    if (taken.get(slug, slug) === undefined) return id;
  }
}

/** The short form of an id. */
export function slugOf(id: string): string {
  return id.slice(0, SLUG);
}

/** JSON, also of undefined: a run that needs only its binding. */
export function asText(value: unknown): string {
  return JSON.stringify(value ?? null);
}
