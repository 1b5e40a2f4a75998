/** Approval requests, their answers, and the single run that an answer allows. */
import { randomUUID } from 'node:crypto';
import type { ApprovalBinding, ApprovalInfo, ApprovalState, Decision, ResolveAnswer } from '../../wire/approval.ts';
import type { Judgement } from '../../wire/policy.ts';
import type { Database, Row } from '../database/shape.ts';
import { historyOf } from './history.ts';
import { alreadyResolved, ambiguous, expired, notStorable, unknown } from './answer-refusals.ts';
import type { ApprovalStore } from './shape.ts';

export type Questions = Pick<
  ApprovalStore,
  | 'ask'
  | 'list'
  | 'count'
  | 'open'
  | 'nextExpiry'
  | 'find'
  | 'runOf'
  | 'resolve'
  | 'denialMessageOf'
  | 'consume'
  | 'unconsumed'
  | 'unreported'
  | 'cancel'
  | 'note'
  | 'expire'
  | 'fallBack'
>;

/** The name under which `askFallback` answers. */
export const ASK_FALLBACK = 'askFallback';

const SHORTEST_PREFIX = 4;
const SLUG = 8;
const DEFAULT_LIMIT = 100;

interface OpenedQuestions extends Questions {
  /** Removes the secrets of finished requests that an earlier version or a crash left behind. */
  readonly reduceFinished: () => void;
}

export function questionsIn(database: Database, now: () => number): OpenedQuestions {
  const byId = (id: string): ApprovalInfo | undefined => {
    const row = database.prepare('SELECT * FROM approvals WHERE id = ?').get(id);
    return row === undefined ? undefined : infoOf(row);
  };
  const select = (rest: string, ...values: readonly (string | number)[]): readonly ApprovalInfo[] =>
    database
      .prepare(`SELECT * FROM approvals ${rest}`)
      .all(...values)
      .map(infoOf);

  const counted = (rest: string, ...values: readonly string[]): number =>
    Number(database.prepare(`SELECT COUNT(*) AS number FROM approvals ${rest}`).get(...values)?.['number']);

  /** Reduces a request to its history once no run can follow. */
  const reduceToHistory = (id: string): void => {
    const row = database
      .prepare(
        `SELECT binding, judgement, run FROM approvals
         WHERE id = ? AND masked IS NULL AND state <> 'pending' AND NOT (state = 'allowed' AND consumed_at IS NULL)`,
      )
      .get(id);
    if (row === undefined) return;
    const read = (column: string): unknown => JSON.parse(String(row[column]));
    const history = historyOf(read('binding') as ApprovalBinding, read('judgement') as Judgement, read('run'));
    database
      .prepare('UPDATE approvals SET binding = ?, judgement = ?, run = ?, masked = ? WHERE id = ?')
      .run(asText(history.binding), asText(history.judgement), asText(history.run), history.masked ? 1 : 0, id);
  };

  const find: Questions['find'] = (id) => {
    const start = id.toLowerCase();
    if (!/^[0-9a-f-]+$/u.test(start)) return 'unknown';
    const exact = byId(start);
    if (exact !== undefined) return exact;
    if (start.length < SHORTEST_PREFIX) return 'unknown';
    // `~` sorts after every digit and the dash, so the range contains exactly the ids with this prefix.
    const found = select('WHERE id >= ? AND id < ? LIMIT 2', start, `${start}~`);
    return found.length > 1 ? 'ambiguous' : (found[0] ?? 'unknown');
  };

  return {
    find,

    ask: ({ binding, judgement, expiresAt, run }) =>
      database.transaction(() => {
        const id = freshId(database);
        database
          .prepare(
            `INSERT INTO approvals (id, slug, state, created_at, expires_at, agent, binding, judgement, run)
             VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?)`,
          )
          .run(
            id,
            slugOf(id),
            now(),
            expiresAt,
            asText(binding.agent),
            asText(binding),
            asText(judgement),
            asText(run),
          );
        return byId(id)!;
      }),

    list: (state, limit = DEFAULT_LIMIT) =>
      state === 'pending'
        ? select(`WHERE state = 'pending' ORDER BY created_at DESC, rowid DESC LIMIT ?`, limit).toReversed()
        : select('ORDER BY created_at DESC, rowid DESC LIMIT ?', limit),

    count: (state) => counted(state === 'pending' ? `WHERE state = 'pending'` : ''),

    open: (agent) => counted(`WHERE state = 'pending' AND agent = ?`, asText(agent)),

    nextExpiry: () => {
      const row = database.prepare(`SELECT MIN(expires_at) AS next FROM approvals WHERE state = 'pending'`).get();
      return row === undefined || row['next'] === null ? undefined : Number(row['next']);
    },

    runOf: (id) => {
      const row = database.prepare('SELECT run FROM approvals WHERE id = ?').get(id);
      return row === undefined ? undefined : storedRun(String(row['run']));
    },

    resolve: (id, decision, by, said): ResolveAnswer => {
      const found = find(id);
      if (found === 'unknown') return unknown(id);
      if (found === 'ambiguous') return ambiguous(id);
      const time = now();
      const isStorable = decision !== 'allow-always' || found.wouldStore.length > 0;
      if (found.state === 'pending' && found.expiresAt > time && !isStorable) return notStorable(found);
      const state: ApprovalState = decision === 'deny' ? 'denied' : 'allowed';
      // A single statement decides: of all answers, from any process, only the first finds the request pending.
      const won = database.transaction(
        () =>
          database
            .prepare(
              `UPDATE approvals SET state = ?, decision = ?, resolved_by = ?, resolved_at = ?, said = ?
               WHERE id = ? AND state = 'pending' AND expires_at > ?`,
            )
            .run(state, decision, asText(by), time, said === undefined ? null : asText(said), found.id, time)
            .changes === 1,
      );
      const approval = byId(found.id);
      if (approval === undefined) return unknown(id);
      if (won) return { ok: true, approval, stored: [] };
      const isLate = approval.state === 'pending' || approval.state === 'expired';
      return isLate ? expired(approval) : alreadyResolved(approval);
    },

    denialMessageOf: (id) => {
      const said = database.prepare('SELECT said FROM approvals WHERE id = ?').get(id)?.['said'];
      return typeof said === 'string' ? (JSON.parse(said) as string) : undefined;
    },

    reduceFinished: () =>
      database.transaction(() => {
        const finished = database
          .prepare('SELECT id FROM approvals WHERE masked IS NULL AND outcome IS NOT NULL')
          .all();
        for (const { id } of finished) reduceToHistory(String(id));
      }),

    consume: (id) =>
      database.transaction(
        () =>
          database
            .prepare(`UPDATE approvals SET consumed_at = ? WHERE id = ? AND state = 'allowed' AND consumed_at IS NULL`)
            .run(now(), id).changes === 1,
      ),

    unconsumed: () => select(`WHERE state = 'allowed' AND consumed_at IS NULL ORDER BY created_at, rowid`),

    unreported: () =>
      select(
        `WHERE outcome IS NULL AND (state IN ('denied', 'expired') OR (state = 'allowed' AND consumed_at IS NOT NULL))
         ORDER BY created_at, rowid`,
      ),

    cancel: (id, outcome) =>
      database.transaction(() => {
        const { changes } = database
          .prepare(
            `UPDATE approvals SET state = 'cancelled', outcome = ?, resolved_at = ? WHERE id = ? AND state = 'pending'`,
          )
          .run(asText(outcome), now(), id);
        reduceToHistory(id);
        return changes === 1 ? byId(id) : undefined;
      }),

    note: (id, { sessionId, outcome }) =>
      database.soon(() => {
        database
          .prepare(
            'UPDATE approvals SET session_id = COALESCE(?, session_id), outcome = COALESCE(?, outcome) WHERE id = ?',
          )
          .run(sessionId ?? null, outcome === undefined ? null : asText(outcome), id);
        reduceToHistory(id);
      }),

    expire: (time) => {
      const isLate = database.prepare(`SELECT 1 FROM approvals WHERE state = 'pending' AND expires_at <= ? LIMIT 1`);
      if (isLate.get(time) === undefined) return [];
      return database.transaction(() => {
        const late = select(`WHERE state = 'pending' AND expires_at <= ? ORDER BY created_at, rowid`, time);
        const mark = database.prepare(`UPDATE approvals SET state = 'expired', resolved_at = ? WHERE id = ?`);
        for (const { id } of late) mark.run(time, id);
        return late.map(({ id }) => byId(id)!);
      });
    },

    fallBack: (id) =>
      database.transaction(() => {
        const { changes } = database
          .prepare(
            `UPDATE approvals SET state = 'allowed', decision = 'allow-once', resolved_by = ?, consumed_at = ?
             WHERE id = ? AND state = 'expired' AND consumed_at IS NULL`,
          )
          .run(asText(ASK_FALLBACK), now(), id);
        return changes === 1 ? byId(id) : undefined;
      }),
  };
}

/** An id whose first eight characters are unique, also among the requests of nodes: the short form is never ambiguous. */
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
function asText(value: unknown): string {
  return JSON.stringify(value ?? null);
}

function infoOf(row: Row): ApprovalInfo {
  const judgement = JSON.parse(String(row['judgement'])) as Judgement;
  const text = (column: string) => (row[column] === null ? undefined : String(row[column]));
  // Text from people and programs is stored as JSON, because it may contain any character.
  const jsonText = (column: string) => (row[column] === null ? undefined : (JSON.parse(String(row[column])) as string));
  const decision = text('decision') as Decision | undefined;
  const resolvedBy = jsonText('resolved_by');
  const sessionId = text('session_id');
  const outcome = jsonText('outcome');
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
  };
}

/** Versions before 0.2 stored the caller's restrictions as `tighter`; ignoring them would loosen the command. */
function storedRun(json: string): unknown {
  const run = JSON.parse(json) as { readonly context?: Readonly<Record<string, unknown>> } | null;
  if (run?.context?.['tighter'] === undefined) return run;
  const { tighter, ...context } = run.context;
  return { ...run, context: { ...context, restrictions: tighter } };
}
