/** Approval requests, their answers, and the single run that an answer allows. */
import type { ApprovalInfo, ApprovalState, ExtendAnswer } from '../../wire/approval.ts';
import type { Database, Row, Value } from '../database/shape.ts';
import { approvalOf, approvalRowsIn, asText, freshId, LISTED, slugOf } from './approval-rows.ts';
import { alreadyResolved, ambiguous, changed, expired, notStorable, unknown } from './answer-refusals.ts';
import { withDigest } from './approval-digest.ts';
import { searchHistory } from './history-search.ts';
import { ASK_FALLBACK } from './answerers.ts';
import { questionGroupsIn } from './question-groups.ts';
import { ruleKey, sameQuestionKey } from './question-keys.ts';
import type { ApprovalStore, NewRequest, ResolvedQuestion } from './shape.ts';

export type Questions = Pick<
  ApprovalStore,
  | 'ask'
  | 'joins'
  | 'asked'
  | 'deniedSince'
  | 'list'
  | 'count'
  | 'open'
  | 'nextExpiry'
  | 'find'
  | 'runOf'
  | 'resolve'
  | 'extend'
  | 'history'
  | 'denialMessageOf'
  | 'consume'
  | 'unconsumed'
  | 'unreported'
  | 'cancel'
  | 'note'
  | 'expire'
  | 'fallBack'
>;

const IS_OVER = `state <> 'pending' AND NOT (state = 'allowed' AND consumed_at IS NULL)`;

interface OpenedQuestions extends Questions {
  /** Removes the secrets of finished requests that an earlier version or a crash left behind. */
  readonly reduceFinished: () => void;
}

export function questionsIn(database: Database, now: () => number): OpenedQuestions {
  const rows = approvalRowsIn(database, 'approvals', IS_OVER);
  const groups = questionGroupsIn(database);
  const approvalIn = (row: Row): ApprovalInfo => {
    const approval = withDigest(approvalOf(row));
    const waiting = approval.state === 'pending' && approval.question === undefined ? groups.waiting(approval.id) : 1;
    return waiting > 1 ? { ...approval, waiting } : approval;
  };
  const select = (rest: string, ...values: readonly Value[]): readonly ApprovalInfo[] =>
    rows.select(rest, ...values).map(approvalIn);
  const byId = (id: string): ApprovalInfo | undefined => select('WHERE id = ?', id)[0];
  const reduceToHistory = (id: string): void => rows.reduceToHistory(id);

  const find: Questions['find'] = (id) => {
    const [first, second] = rows.named(id);
    if (first === undefined) return 'unknown';
    return second === undefined ? approvalIn(first) : 'ambiguous';
  };

  /** A request that can be answered at this time, or why it cannot. */
  function openAt(id: string, time: number): ApprovalInfo | ReturnType<typeof expired> {
    const found = find(id);
    if (found === 'unknown') return unknown(id);
    if (found === 'ambiguous') return ambiguous(id);
    if (found.state !== 'pending') return found.state === 'expired' ? expired(found) : alreadyResolved(found);
    return found.expiresAt > time ? found : expired(found);
  }

  return {
    find,

    joins: (question) => groups.joined(sameQuestionKey(asShown(question)), now()) !== undefined,

    asked: (agent, since) => groups.asked(agent, since),

    deniedSince: (binding, since) => groups.denied(ruleKey(binding), binding, since),

    ask: ({ binding, judgement, expiresAt, run }) =>
      database.transaction(() => {
        const id = freshId(database);
        const sameKey = sameQuestionKey(asShown({ binding, judgement }));
        const question = groups.joined(sameKey, now());
        database
          .prepare(
            `INSERT INTO approvals (id, slug, state, created_at, expires_at, agent, binding, judgement, run, question,
               same_key, rule_key)
             VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
            question ?? null,
            sameKey,
            ruleKey(binding),
          );
        if (question !== undefined) groups.waitUntil(question, expiresAt);
        return byId(id)!;
      }),

    list(state, limit = LISTED) {
      const newest = 'ORDER BY created_at DESC, rowid DESC LIMIT ?';
      if (state === 'all') return select(newest, limit);
      const isShown = state === 'pending' ? ' AND question IS NULL' : '';
      return select(`WHERE state = 'pending'${isShown} ${newest}`, limit).toReversed();
    },

    count: (state) => rows.count(state === 'pending' ? `WHERE state = 'pending' AND question IS NULL` : ''),

    open: (agent) => rows.open(agent, `state = 'pending'`),

    nextExpiry: () => {
      const row = database.prepare(`SELECT MIN(expires_at) AS next FROM approvals WHERE state = 'pending'`).get();
      return row === undefined || row['next'] === null ? undefined : Number(row['next']);
    },

    runOf: (id) => {
      const row = database.prepare('SELECT run FROM approvals WHERE id = ?').get(id);
      return row === undefined ? undefined : storedRun(String(row['run']));
    },

    // One transaction decides: of all answers, from any process, only the first finds the request pending, with its digest.
    resolve: (id, decision, by, { said, digest, record, onlyThis = false } = {}) =>
      database.transaction((): ResolvedQuestion => {
        const time = now();
        const found = openAt(id, time);
        if ('ok' in found) return found;
        if (digest !== undefined && digest !== found.digest) return changed(found);
        if (decision === 'allow-always' && found.wouldStore.length === 0) return notStorable(found);
        const state: ApprovalState = decision === 'deny' ? 'denied' : 'allowed';
        if (onlyThis) groups.leave(found.id);
        const resolved = (onlyThis ? [found.id] : groups.members(found)).map((each) => {
          // The entries of `allow-always` are stored once.
          const given = decision === 'allow-always' && each !== found.id ? 'allow-once' : decision;
          database
            .prepare(
              `UPDATE approvals SET state = ?, decision = ?, resolved_by = ?, resolved_at = ?, said = ? WHERE id = ?`,
            )
            .run(state, given, asText(by), time, said === undefined ? null : asText(said), each);
          const approval = byId(each)!;
          record?.(approval);
          return approval;
        });
        const isFound = ({ id: each }: ApprovalInfo): boolean => each === found.id;
        return { ok: true, approval: resolved.find(isFound)!, others: resolved.filter((one) => !isFound(one)) };
      }),

    extend: (id, byMs, longestMs, record) =>
      database.transaction((): ExtendAnswer => {
        const found = openAt(id, now());
        if ('ok' in found) return found;
        const expiresAt = Math.trunc(Math.min(found.expiresAt + byMs, found.createdAt + longestMs));
        if (expiresAt <= found.expiresAt) return { ok: true, approval: found };
        groups.waitUntil(found.question ?? found.id, expiresAt);
        const approval = byId(found.id)!;
        record?.(approval);
        return { ok: true, approval };
      }),

    history: async (terms, before, limit, signal) =>
      (await searchHistory(database, 'approvals', terms, before, limit, signal)).map(approvalIn),

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

    cancel: (id, record) =>
      database.transaction(() => {
        const members = groups.members({ id });
        const cancel = database.prepare(`UPDATE approvals SET state = 'cancelled', resolved_at = ? WHERE id = ?`);
        for (const each of members) {
          cancel.run(now(), each);
          record(byId(each)!);
        }
        return members.length;
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

    fallBack: (id, record) =>
      database.transaction(() => {
        const { changes } = database
          .prepare(
            `UPDATE approvals SET state = 'allowed', decision = 'allow-once', resolved_by = ?, consumed_at = ?
             WHERE id = ? AND state = 'expired' AND consumed_at IS NULL`,
          )
          .run(asText(ASK_FALLBACK), now(), id);
        const approval = changes === 1 ? byId(id) : undefined;
        if (approval !== undefined) record(approval);
        return approval;
      }),
  };
}

function asShown({ binding, judgement }: Pick<NewRequest, 'binding' | 'judgement'>) {
  return { binding, judgement, wouldStore: judgement.proposal ?? [] };
}

/** Versions before 0.2 stored the caller's restrictions as `tighter`; ignoring them would loosen the command. */
function storedRun(json: string): unknown {
  const run = JSON.parse(json) as { readonly context?: Readonly<Record<string, unknown>> } | null;
  if (run?.context?.['tighter'] === undefined) return run;
  const { tighter, ...context } = run.context;
  return { ...run, context: { ...context, restrictions: tighter } };
}
