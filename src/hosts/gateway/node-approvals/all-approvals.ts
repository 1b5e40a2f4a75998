/** The approval requests of this machine and of its nodes, as one list. */
import type { ApprovalInfo } from '../../../wire/approval.ts';
import { byRisk } from '../../../wire/questions/risk-order.ts';
import { LISTED } from '../../approvals/approval-rows.ts';
import type { ApprovalTerm } from '../../../wire/query/approval-query.ts';
import type { ApprovalStore, HistoryPosition } from '../../approvals/shape.ts';
import type { NodeQuestion, NodeQuestions } from '../../approvals/node-questions.ts';

/** `waiting`: the pending questions and all calls that wait with them. */
type State = 'pending' | 'waiting' | 'all';

export interface AllApprovals {
  /** The newest ones: pending ones with the highest risk first, all of them with the newest first. */
  list(state: State, limit?: number): readonly ApprovalInfo[];
  count(state: 'pending' | 'all'): number;
  /** What a search finds, with the newest first. */
  history(
    terms: readonly ApprovalTerm[],
    before: HistoryPosition | undefined,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly ApprovalInfo[]>;
  /** By id, or by a unique prefix of one. `question` is present for one of a node. */
  find(id: string): FoundApproval | 'unknown' | 'ambiguous';
}

export interface FoundApproval {
  readonly approval: ApprovalInfo;
  readonly question?: NodeQuestion;
}

export function allApprovals(
  store: Pick<ApprovalStore, 'list' | 'count' | 'find' | 'history'>,
  questions: Pick<NodeQuestions, 'list' | 'count' | 'named' | 'history'>,
): AllApprovals {
  return {
    list(state, limit = LISTED) {
      const ofNodes = questions.list(state, limit).map(({ approval }) => approval);
      return newestOf(state, limit, store.list(state, limit), ofNodes);
    },
    async history(terms, before, limit, signal) {
      const [own, ofNodes] = await Promise.all([
        store.history(terms, before, limit, signal),
        questions.history(terms, before, limit, signal),
      ]);
      const all = [...own, ...ofNodes.map(({ approval }) => approval)];
      return all.toSorted(newestFirst).slice(0, limit);
    },
    count: (state) => store.count(state) + questions.count(state),
    find(id) {
      const start = id.toLowerCase();
      const own = store.find(id);
      if (typeof own !== 'string' && own.id === start) return { approval: own };
      const [first, second] = questions.named(id);
      if (first === undefined) return typeof own === 'string' ? own : { approval: own };
      if (first.approval.id === start) return foundOn(first);
      return second === undefined && own === 'unknown' ? foundOn(first) : 'ambiguous';
    },
  };
}

/** The newest of all lists: pending requests with the highest risk first; all requests with the newest first. */
export function newestOf(
  state: State,
  limit: number,
  ...lists: readonly (readonly ApprovalInfo[])[]
): readonly ApprovalInfo[] {
  const newest = lists
    .flat()
    .toSorted((one, other) => other.createdAt - one.createdAt)
    .slice(0, limit);
  return state === 'all' ? newest : newest.toReversed().toSorted(byRisk);
}

function newestFirst(one: HistoryPosition, other: HistoryPosition): number {
  return other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1);
}

function foundOn(question: NodeQuestion): FoundApproval {
  return { approval: question.approval, question };
}
