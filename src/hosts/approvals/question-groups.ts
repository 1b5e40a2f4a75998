/**
 * Calls that wait for one answer. A question is a pending request without `question`; the calls that wait with it have its id there,
 * and its expiry. Each keeps its own binding and its own single run.
 */
import type { Actor } from '../../wire/actor.ts';
import type { Database, Row, Value } from '../database/shape.ts';
import { asText } from './approval-rows.ts';
import { NO_PERSONS } from './answerers.ts';

export interface QuestionGroups {
  /** The question that a request with this key joins. */
  joined(sameKey: string, time: number): string | undefined;
  /** A call has joined: all of them wait as long as it. */
  waitUntil(question: string, expiresAt: number): void;
  /** The pending requests that an answer to this one applies to, the question first. */
  members(row: { readonly id: string; readonly question?: string | undefined }): readonly string[];
  /** One call leaves; another one becomes the question if this one was it. */
  leave(id: string): void;
  /** How many calls wait for the answer to a question, itself included. */
  waiting(question: string): number;
  /** Open questions of an agent, and those since a time. */
  asked(agent: string, since: number): { readonly open: number; readonly recent: number };
  /** When a person last denied a request with this key in a conversation, and what the person said. */
  denied(ruleKey: string, actor: Actor, since: number): { readonly at: number; readonly said?: string } | undefined;
}

export function questionGroupsIn(database: Database): QuestionGroups {
  const one = (sql: string, ...values: readonly Value[]): Row | undefined => database.prepare(sql).get(...values);
  const run = (sql: string, ...values: readonly Value[]): void => void database.prepare(sql).run(...values);
  return {
    joined(sameKey, time) {
      const row = one(
        `SELECT id FROM approvals WHERE same_key = ? AND state = 'pending' AND question IS NULL AND expires_at > ?`,
        sameKey,
        time,
      );
      return row === undefined ? undefined : String(row['id']);
    },
    waitUntil: (question, expiresAt) =>
      run(
        `UPDATE approvals SET expires_at = MAX(expires_at, ?) WHERE (id = ? OR question = ?) AND state = 'pending'`,
        expiresAt,
        question,
        question,
      ),
    members({ id, question = id }) {
      const rows = database
        .prepare(
          `SELECT id FROM approvals WHERE (id = ? OR question = ?) AND state = 'pending'
           ORDER BY question IS NOT NULL, created_at, rowid`,
        )
        .all(question, question);
      return rows.map((row) => String(row['id']));
    },
    leave(id) {
      const next = one(
        `SELECT id FROM approvals WHERE question = ? AND state = 'pending' ORDER BY created_at, rowid LIMIT 1`,
        id,
      );
      run('UPDATE approvals SET question = NULL, same_key = NULL, rule_key = NULL WHERE id = ?', id);
      if (next === undefined) return;
      const first = String(next['id']);
      run(`UPDATE approvals SET question = ? WHERE question = ? AND state = 'pending'`, first, id);
      run('UPDATE approvals SET question = NULL WHERE id = ?', first);
    },
    waiting: (question) =>
      1 +
      Number(
        one(`SELECT COUNT(*) AS number FROM approvals WHERE question = ? AND state = 'pending'`, question)?.['number'],
      ),
    asked(agent, since) {
      const row = one(
        `SELECT COUNT(*) FILTER (WHERE state = 'pending') AS open, COUNT(*) FILTER (WHERE created_at > ?) AS recent
         FROM approvals WHERE agent = ? AND question IS NULL AND (state = 'pending' OR created_at > ?)`,
        since,
        asText(agent),
        since,
      );
      return { open: Number(row?.['open']), recent: Number(row?.['recent']) };
    },
    denied(key, { client, conversation }, since) {
      const row = one(
        `SELECT resolved_at, said FROM approvals
         WHERE rule_key = ? AND state = 'denied' AND resolved_at > ?
           AND binding ->> '$.client' IS ? AND binding ->> '$.conversation' IS ?
         ORDER BY resolved_at DESC LIMIT 1`,
        key,
        since,
        client ?? null,
        conversation ?? null,
      );
      if (row === undefined) return undefined;
      const said = row['said'];
      return {
        at: Number(row['resolved_at']),
        ...(typeof said === 'string' ? { said: JSON.parse(said) as string } : {}),
      };
    },
  };
}

/** What the agent asked before, for the person who reads a request. */
export interface EarlierRequests {
  /** How often a person allowed requests with the key of this one once, before it. */
  allowedBefore(id: string): number;
  /** The request of the agent in the same folder before this one. */
  previous(id: string): { readonly slug: string; readonly command: string } | undefined;
}

export function earlierRequestsIn(database: Database, table: 'approvals' | 'node_questions'): EarlierRequests {
  const get = (sql: string, id: string): Row | undefined => database.prepare(sql).get(id);
  return {
    allowedBefore: (id) =>
      Number(
        get(
          `SELECT COUNT(*) AS number FROM ${table} one JOIN ${table} earlier ON earlier.rule_key = one.rule_key
           WHERE one.id = ? AND earlier.id <> one.id AND earlier.question IS NULL AND earlier.decision = 'allow-once'
             AND earlier.rowid < one.rowid AND earlier.resolved_by NOT IN (${NOT_BY_PERSONS})`,
          id,
        )?.['number'],
      ),
    previous(id) {
      const row = get(
        `SELECT earlier.slug AS slug, earlier.binding ->> '$.command' AS command
         FROM ${table} one JOIN ${table} earlier ON earlier.agent = one.agent
         WHERE one.id = ? AND earlier.rowid < one.rowid AND earlier.question IS NULL
           AND earlier.binding ->> '$.cwd' = one.binding ->> '$.cwd'
         ORDER BY earlier.created_at DESC, earlier.rowid DESC LIMIT 1`,
        id,
      );
      return row === undefined ? undefined : { slug: String(row['slug']), command: String(row['command']) };
    },
  };
}

/** Names are stored as JSON. */
const NOT_BY_PERSONS = NO_PERSONS.map((name) => `'${asText(name)}'`).join(', ');
