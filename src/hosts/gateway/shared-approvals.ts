/** The methods `approval.*` where several gateways share their inbox: requests of the others are listed, and can be answered. */
import { Fault } from '../../base/fault.ts';
import type { ApprovalInfo } from '../../wire/approval.ts';
import type { Method, Methods } from '../../wire/methods.ts';
import { LISTED } from '../approvals/approval-rows.ts';
import type { SharedInbox } from '../nodes/fleet/inbox.ts';
import { newestOf } from './node-approvals/all-approvals.ts';

type Shared = Extract<Method, 'approval.list' | 'approval.count' | 'approval.show' | 'approval.resolve'>;
export type ApprovalHandlers = {
  readonly [M in Shared]: (
    params: Methods[M]['params'],
    signal?: AbortSignal,
  ) => Promise<Methods[M]['result']> | Methods[M]['result'];
};

/** `inbox` is undefined where the gateway is alone. */
export function sharedApprovals(
  own: ApprovalHandlers,
  inbox: () => Pick<SharedInbox, 'remote' | 'answer'> | undefined,
): ApprovalHandlers {
  const remote = (): readonly ApprovalInfo[] => inbox()?.remote() ?? [];
  return {
    'approval.list': async (params) => {
      const { state = 'pending', limit = LISTED, maxBytes = Number.POSITIVE_INFINITY } = params;
      return newestWithin(newestOf(state, limit, await own['approval.list'](params), remote()), maxBytes);
    },
    'approval.count': async (params) => (await own['approval.count'](params)) + remote().length,
    'approval.show': async (params, signal) => {
      try {
        return await own['approval.show'](params, signal);
      } catch (error) {
        // In the order of `approval.resolve`, so that the request that is shown is the one that an answer means.
        const shared = remote().find(({ id, slug }) => id === params.id || slug === params.id);
        if (shared === undefined || !(error instanceof Fault) || error.code !== 'APPROVAL_UNKNOWN') throw error;
        return shared;
      }
    },
    'approval.resolve': async (params, signal) => {
      const answer = await own['approval.resolve'](params, signal);
      if (answer.ok || answer.reason !== 'unknown') return answer;
      const { id, ...given } = params;
      return (await inbox()?.answer(id, given, signal)) ?? answer;
    },
  };
}

/** In the same order; at least one. */
export function newestWithin(approvals: readonly ApprovalInfo[], maxBytes: number): readonly ApprovalInfo[] {
  if (maxBytes === Number.POSITIVE_INFINITY) return approvals;
  const kept = new Set<ApprovalInfo>();
  let bytes = 0;
  for (const approval of approvals.toSorted((one, other) => other.createdAt - one.createdAt)) {
    bytes += Buffer.byteLength(JSON.stringify(approval));
    if (bytes > maxBytes && kept.size > 0) break;
    kept.add(approval);
  }
  return approvals.filter((approval) => kept.has(approval));
}
