/** Approval requests, their answers, and the single run that an answer allows. */
import type { ApprovalInfo, ApprovalState, ResolveAnswer } from '../../wire/approval.ts';
import type { Database, Value } from '../database/shape.ts';
import { approvalOf, approvalRowsIn, asText, freshId, LISTED, slugOf } from './approval-rows.ts';
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

const IS_OVER = `state <> 'pending' AND NOT (state = 'allowed' AND consumed_at IS NULL)`;

interface OpenedQuestions extends Questions {
  /** Removes the secrets of finished requests that an earlier version or a crash left behind. */
  readonly reduceFinished: () => void;
}

export function questionsIn(database: Database, now: () => number): OpenedQuestions {
  const rows = approvalRowsIn(database, 'approvals', IS_OVER);
  const select = (rest: string, ...values: readonly Value[]): readonly ApprovalInfo[] =>
    rows.select(rest, ...values).map(approvalOf);
  const byId = (id: string): ApprovalInfo | undefined => select('WHERE id = ?', id)[0];
  const reduceToHistory = (id: string): void => rows.reduceToHistory(id);

  const find: Questions['find'] = (id) => {
    const [first, second] = rows.named(id);
    if (first === undefined) return 'unknown';
    return second === undefined ? approvalOf(first) : 'ambiguous';
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

    list: (state, limit = LISTED) =>
      state === 'pending'
        ? select(`WHERE state = 'pending' ORDER BY created_at DESC, rowid DESC LIMIT ?`, limit).toReversed()
        : select('ORDER BY created_at DESC, rowid DESC LIMIT ?', limit),

    count: (state) => rows.count(state === 'pending' ? `WHERE state = 'pending'` : ''),

    open: (agent) => rows.count(`WHERE state = 'pending' AND agent = ?`, asText(agent)),

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

/** Versions before 0.2 stored the caller's restrictions as `tighter`; ignoring them would loosen the command. */
function storedRun(json: string): unknown {
  const run = JSON.parse(json) as { readonly context?: Readonly<Record<string, unknown>> } | null;
  if (run?.context?.['tighter'] === undefined) return run;
  const { tighter, ...context } = run.context;
  return { ...run, context: { ...context, restrictions: tighter } };
}
