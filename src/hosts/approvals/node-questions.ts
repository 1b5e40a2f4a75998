/**
 * The gateway's copies of approval requests on nodes, and how far it has read the notices of each node. Only this process changes
 * them. The id of a copy is that of the node, unless another approval at this gateway has it or begins like it.
 */
import type { ApprovalBinding, ApprovalInfo, ApprovalState, Decision, NodeAnswers } from '../../wire/approval.ts';
import type { ChosenNode } from '../../wire/chosen-node.ts';
import type { Judgement } from '../../wire/policy.ts';
import type { ApprovalTerm } from '../../wire/query/approval-query.ts';
import type { Database, Row, Value } from '../database/shape.ts';
import { searchHistory } from './history-search.ts';
import type { HistoryPosition } from './shape.ts';
import { withDigest } from './approval-digest.ts';
import { ruleKey } from './question-keys.ts';
import { approvalOf, approvalRowsIn, asText, freshId, type OpenRequests, slugOf } from './approval-rows.ts';

export interface NodeQuestion {
  /** As at this gateway, with its clock. */
  readonly approval: ApprovalInfo & { readonly node: NonNullable<ApprovalInfo['node']> };
  /** The id on the node. */
  readonly remoteId: string;
  /** How long the call would have waited for its command. */
  readonly run: unknown;
  readonly isRunningNoticed: boolean;
}

export interface NewQuestion {
  readonly node: ChosenNode;
  readonly remoteId: string;
  readonly answers: NodeAnswers;
  /** Its digest on the node; undefined for a node of an earlier version. */
  readonly digest?: string | undefined;
  /** The request on the node whose answer also applies to it. */
  readonly question?: string | undefined;
  /** How long it can be answered, by the node. */
  readonly remainingMs: number;
  readonly binding: ApprovalBinding;
  readonly judgement: Judgement;
  readonly run: unknown;
}

export interface NodeQuestions {
  /** Returns undefined if the request was copied already. */
  add(question: NewQuestion): NodeQuestion | undefined;
  get(id: string): NodeQuestion | undefined;
  ofNode(node: string, remoteId: string): NodeQuestion | undefined;
  /** The one with this id, or those whose id begins like this: at most two. */
  named(id: string): readonly NodeQuestion[];
  /** The newest ones; those are pending questions whose time is not over on the clock of this gateway. */
  list(state: 'pending' | 'waiting' | 'all', limit: number): readonly NodeQuestion[];
  /** What a search finds, with the newest first. */
  history(
    terms: readonly ApprovalTerm[],
    before: HistoryPosition | undefined,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly NodeQuestion[]>;
  count(state: 'pending' | 'all'): number;
  open(agent: string): OpenRequests;
  /** How many open questions an agent has. */
  openQuestions(agent: string): number;
  /** Those without an outcome, of one node or of all. */
  unfinished(node?: string): readonly NodeQuestion[];
  stillPending(id: string, remainingMs: number, answers: NodeAnswers): void;
  /** The answer or the end of a pending request; the answer may follow the start of its command. False if nothing changed. */
  resolve(id: string, end: QuestionEnd): boolean;
  /** The session at this gateway. */
  setSession(id: string, sessionId: string): void;
  /** False if its outcome is known already. */
  finish(id: string, outcome: string): boolean;
  remove(id: string): void;
  /** False if it was noticed before. */
  noticeRunning(id: string): boolean;
  cursor(node: string): number;
  setCursor(node: string, seq: number): void;
}

export interface QuestionEnd {
  readonly state: Exclude<ApprovalState, 'pending'>;
  readonly decision?: Decision | undefined;
  readonly resolvedBy?: string | undefined;
}

const KEEP_MS = 30 * 24 * 3600_000;
const KEEP_FINISHED = 10_000;
const PRUNE_EVERY_MS = 3600_000;
/** A request waits 30 days at most; the node counts the time. */
const LONGEST_MS = 31 * 86_400_000;

export function nodeQuestionsIn(
  database: Database,
  now: () => number,
  /** The current name of a node; undefined where it is not paired. */
  nameOf: (node: string) => string | undefined,
): NodeQuestions {
  const rows = approvalRowsIn(database, 'node_questions', 'outcome IS NOT NULL');
  const select = (rest: string, ...values: readonly Value[]): readonly NodeQuestion[] =>
    rows.select(rest, ...values).map(read);
  const change = (rest: string, ...values: readonly Value[]): boolean =>
    database.prepare(`UPDATE node_questions ${rest}`).run(...values).changes === 1;
  const isOpen = `state = 'pending' AND expires_at > ?`;
  // A node chooses what waits with what: a request whose question is closed here is one of its own.
  const isQuestion = `(question IS NULL OR NOT EXISTS (
    SELECT 1 FROM node_questions asked WHERE asked.id = node_questions.question AND asked.state = 'pending'))`;

  function read(row: Row): NodeQuestion {
    const found = questionOf(row, nameOf);
    const { approval } = found;
    if (approval.state !== 'pending') return found;
    const others = rows.count(`WHERE question = ? AND state = 'pending'`, approval.id);
    return others === 0 ? found : { ...found, approval: { ...approval, waiting: others + 1 } };
  }

  /** The copy of the question that a request waits with on its node: one about the same command. */
  function questionHere({ node, question, binding }: NewQuestion): string | null {
    const asked = question === undefined ? undefined : ofNode(node.id, question)?.approval;
    if (asked?.state !== 'pending' || asked.question !== undefined) return null;
    const { command, agent, cwd } = asked.binding;
    return command === binding.command && agent === binding.agent && cwd === binding.cwd ? asked.id : null;
  }

  /** Removes old and excess copies, at most once an hour: only a new copy makes the table longer. */
  let prunedAt = Number.NEGATIVE_INFINITY;
  function prune(): void {
    if (now() - prunedAt < PRUNE_EVERY_MS) return;
    prunedAt = now();
    database.prepare('DELETE FROM node_questions WHERE created_at < ?').run(now() - KEEP_MS);
    database
      .prepare(
        `DELETE FROM node_questions WHERE outcome IS NOT NULL AND rowid NOT IN
           (SELECT rowid FROM node_questions WHERE outcome IS NOT NULL ORDER BY rowid DESC LIMIT ${KEEP_FINISHED})`,
      )
      .run();
  }

  const ofNode: NodeQuestions['ofNode'] = (node, remoteId) =>
    select('WHERE node = ? AND remote_id = ?', node, remoteId)[0];

  return {
    add: (question) =>
      database.transaction(() => {
        const { node, remoteId, answers, digest, remainingMs, binding, judgement, run } = question;
        prune();
        if (ofNode(node.id, remoteId) !== undefined) return undefined;
        const id = freshId(database, remoteId);
        database
          .prepare(
            `INSERT INTO node_questions (id, slug, node, node_name, node_from, remote_id, answers, state, created_at,
               expires_at, agent, binding, judgement, run, digest, question, rule_key)
             VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(
            id,
            slugOf(id),
            node.id,
            node.name,
            node.from ?? null,
            remoteId,
            answers,
            now(),
            now() + within(remainingMs),
            asText(binding.agent),
            asText(binding),
            asText(judgement),
            asText(run),
            digest ?? null,
            questionHere(question),
            ruleKey(binding),
          );
        return ofNode(node.id, remoteId);
      }),
    get: (id) => select('WHERE id = ?', id)[0],
    ofNode,
    named: (id) => rows.named(id).map(read),
    list(state, limit) {
      const newest = 'ORDER BY created_at DESC, rowid DESC LIMIT ?';
      if (state === 'all') return select(newest, limit);
      return select(`WHERE ${isOpen}${state === 'pending' ? ` AND ${isQuestion}` : ''} ${newest}`, now(), limit);
    },
    history: async (terms, before, limit, signal) =>
      (await searchHistory(database, 'node_questions', terms, before, limit, signal)).map(read),
    count: (state) => (state === 'pending' ? rows.count(`WHERE ${isOpen} AND ${isQuestion}`, now()) : rows.count('')),
    open: (agent) => rows.open(agent, isOpen, now()),
    openQuestions: (agent) => rows.count(`WHERE ${isOpen} AND ${isQuestion} AND agent = ?`, now(), asText(agent)),
    unfinished: (node) =>
      node === undefined
        ? select('WHERE outcome IS NULL ORDER BY rowid')
        : select('WHERE outcome IS NULL AND node = ? ORDER BY rowid', node),
    stillPending: (id, remainingMs, answers) =>
      database.soon(
        () =>
          void change(
            `SET expires_at = MIN(?, created_at + ${LONGEST_MS}), answers = ? WHERE id = ? AND state = 'pending'`,
            now() + within(remainingMs),
            answers,
            id,
          ),
      ),
    resolve: (id, { state, decision, resolvedBy }) =>
      change(
        `SET state = ?, decision = ?, resolved_by = ?, resolved_at = ? WHERE id = ?
         AND (state = 'pending' OR (state = 'allowed' AND decision IS NULL AND ? IS NOT NULL))`,
        state,
        decision ?? null,
        resolvedBy === undefined ? null : asText(resolvedBy),
        now(),
        id,
        decision ?? null,
      ),
    setSession: (id, sessionId) => database.soon(() => void change('SET session_id = ? WHERE id = ?', sessionId, id)),
    finish(id, outcome) {
      const isFirst = change('SET outcome = ? WHERE id = ? AND outcome IS NULL', asText(outcome), id);
      if (isFirst) rows.reduceToHistory(id);
      return isFirst;
    },
    remove: (id) => database.soon(() => void database.prepare('DELETE FROM node_questions WHERE id = ?').run(id)),
    noticeRunning: (id) =>
      change('SET running_noticed = 1 WHERE id = ? AND running_noticed = 0 AND outcome IS NULL', id),
    cursor: (node) => Number(database.prepare('SELECT seq FROM node_cursors WHERE node = ?').get(node)?.['seq'] ?? 0),
    setCursor: (node, seq) =>
      void database
        .prepare(
          'INSERT INTO node_cursors (node, seq) VALUES (?, ?) ON CONFLICT (node) DO UPDATE SET seq = excluded.seq',
        )
        .run(node, seq),
  };
}

function within(remainingMs: number): number {
  return Math.trunc(Math.min(Math.max(0, remainingMs), LONGEST_MS));
}

function questionOf(row: Row, nameOf: (node: string) => string | undefined): NodeQuestion {
  const approval = approvalOf(row);
  const node = String(row['node']);
  const from = row['node_from'] === null ? undefined : (String(row['node_from']) as ChosenNode['from']);
  const answers = String(row['answers']) as NodeAnswers;
  return {
    remoteId: String(row['remote_id']),
    run: JSON.parse(String(row['run'])) as unknown,
    isRunningNoticed: row['running_noticed'] === 1,
    approval: withDigest({
      ...approval,
      wouldStore: answers === 'always' ? approval.wouldStore : [],
      node: {
        id: node,
        name: nameOf(node) ?? String(row['node_name']),
        ...(from === undefined ? {} : { from }),
        answers,
        ...(row['remote_id'] === row['id'] ? {} : { approvalId: String(row['remote_id']) }),
        ...(row['digest'] === null ? {} : { digest: String(row['digest']) }),
      },
    }),
  };
}
