/** The approval requests of this machine and of its nodes, as one list. */
import type { ApprovalInfo } from '../../../wire/approval.ts';
import { LISTED } from '../../approvals/approval-rows.ts';
import type { ApprovalStore } from '../../approvals/shape.ts';
import type { NodeQuestion, NodeQuestions } from '../../approvals/node-questions.ts';

type State = 'pending' | 'all';

export interface AllApprovals {
  /** The newest ones: pending ones with the oldest first, all of them with the newest first. */
  list(state: State, limit?: number): readonly ApprovalInfo[];
  count(state: State): number;
  /** By id, or by a unique prefix of one. `question` is present for one of a node. */
  find(id: string): FoundApproval | 'unknown' | 'ambiguous';
}

export interface FoundApproval {
  readonly approval: ApprovalInfo;
  readonly question?: NodeQuestion;
}

export function allApprovals(
  store: Pick<ApprovalStore, 'list' | 'count' | 'find'>,
  questions: Pick<NodeQuestions, 'list' | 'count' | 'named'>,
): AllApprovals {
  return {
    list(state, limit = LISTED) {
      const ofNodes = questions.list(state, limit).map(({ approval }) => approval);
      return newestOf(state, limit, store.list(state, limit), ofNodes);
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

/** The newest of all lists: pending requests with the oldest first, as in each list; all requests with the newest first. */
export function newestOf(
  state: State,
  limit: number,
  ...lists: readonly (readonly ApprovalInfo[])[]
): readonly ApprovalInfo[] {
  const direction = state === 'pending' ? 1 : -1;
  const sorted = lists.flat().toSorted((one, other) => direction * (one.createdAt - other.createdAt));
  return state === 'pending' ? sorted.slice(Math.max(0, sorted.length - limit)) : sorted.slice(0, limit);
}

function foundOn(question: NodeQuestion): FoundApproval {
  return { approval: question.approval, question };
}
