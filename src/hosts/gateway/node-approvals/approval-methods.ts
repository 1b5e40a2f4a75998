/** The methods `approval.*`: the same for the requests of this machine and of its nodes. */
import { Fault } from '../../../base/fault.ts';
import type { Method, Methods } from '../../../wire/methods.ts';
import type { ExecSettings } from '../../../wire/settings.ts';
import { ambiguous, unknown } from '../../approvals/answer-refusals.ts';
import type { ApprovalStore } from '../../approvals/shape.ts';
import type { Sessions } from '../../sessions/shape.ts';
import { approvalOutcome } from '../approvals/approval-outcome.ts';
import type { ApprovalRequests } from '../approvals/approval-requests.ts';
import { allApprovals, type FoundApproval } from './all-approvals.ts';
import type { NodeApprovals } from './node-approvals.ts';

type ApprovalMethod = Extract<Method, `approval.${string}`>;
type Handlers = {
  readonly [M in ApprovalMethod]: (
    params: Methods[M]['params'],
    signal?: AbortSignal,
  ) => Promise<Methods[M]['result']> | Methods[M]['result'];
};

interface ApprovalMethodsParts {
  readonly store: ApprovalStore;
  readonly approvalRequests: Pick<ApprovalRequests, 'resolve' | 'whenStarted'>;
  readonly nodeApprovals: Pick<NodeApprovals, 'questions' | 'resolve' | 'whenStarted'>;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly settingsFor: (folder: string, agent: string) => Promise<ExecSettings>;
}

export interface ApprovalMethods {
  readonly handlers: Handlers;
  count(state: 'pending' | 'all'): number;
}

export function approvalMethods(parts: ApprovalMethodsParts): ApprovalMethods {
  const { store, approvalRequests, nodeApprovals, sessions, settingsFor } = parts;
  const approvals = allApprovals(store, nodeApprovals.questions);

  function found(id: string): FoundApproval {
    const one = approvals.find(id);
    if (typeof one !== 'string') return one;
    throw new Fault(
      'APPROVAL_UNKNOWN',
      `${JSON.stringify(id)} is ${one === 'unknown' ? 'not an approval' : 'the prefix of several approvals'}`,
      { hint: 'pincer approvals list --all shows them' },
    );
  }

  return {
    count: (state) => approvals.count(state),
    handlers: {
      'approval.list': ({ state, limit }) => approvals.list(state ?? 'pending', limit),
      'approval.count': ({ state }) => approvals.count(state ?? 'pending'),
      'approval.show': ({ id }) => found(id).approval,
      'approval.resolve': ({ id, ...answer }, signal) => {
        const one = approvals.find(id);
        if (one === 'ambiguous') return ambiguous(id);
        if (one === 'unknown') return unknown(id);
        if (one.question !== undefined) return nodeApprovals.resolve(one.question, answer, signal);
        return approvalRequests.resolve(one.approval.id, answer.decision, answer.by, answer.reason);
      },
      'approval.outcome': async ({ id, caller, yieldMs }, signal) => {
        // Between the answer and the start of its command there is nothing to report yet.
        const { approval: asked } = found(id);
        await (asked.node === undefined ? approvalRequests : nodeApprovals).whenStarted(asked.id);
        const { approval, question } = found(asked.id);
        const run = question === undefined ? store.runOf(approval.id) : question.run;
        return approvalOutcome(approval, { caller, yieldMs, run, sessions, settingsFor }, signal);
      },
    },
  };
}
