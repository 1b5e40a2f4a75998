/** The methods `approval.*` where several gateways share their inbox: requests of the others are listed, and can be answered. */
import { Fault } from '../../base/fault.ts';
import type { ApprovalInfo, ResolveAnswer } from '../../wire/approval.ts';
import type { Method, Methods } from '../../wire/methods.ts';
import type { SharedInbox } from '../nodes/fleet/inbox.ts';
import type { NodeApprovals } from './node-approvals/node-approvals.ts';

type Shared = Extract<Method, 'approval.list' | 'approval.count' | 'approval.show' | 'approval.resolve'>;
export type ApprovalHandlers = {
  readonly [M in Shared]: (
    params: Methods[M]['params'],
    signal?: AbortSignal,
  ) => Promise<Methods[M]['result']> | Methods[M]['result'];
};

/** As `approval.list` without a limit. */
const DEFAULT_LIMIT = 100;

/**
 * `inbox` is undefined where the gateway is alone. A request on a node that this gateway is connected to, too, is listed as long as
 * the node says, and answered there.
 */
export function sharedApprovals(
  own: ApprovalHandlers,
  inbox: () => Pick<SharedInbox, 'remote' | 'answer'> | undefined,
  onNodes: Pick<NodeApprovals, 'isListed' | 'resolveOther'>,
): ApprovalHandlers {
  const shared = (): readonly ApprovalInfo[] => inbox()?.remote() ?? [];
  const remote = (): readonly ApprovalInfo[] => onceEach(shared().filter((each) => onNodes.isListed(each)));
  return {
    'approval.list': async (params) => {
      const { limit = DEFAULT_LIMIT, maxBytes = Number.POSITIVE_INFINITY } = params;
      return newestWithin([...(await own['approval.list'](params)), ...remote()].slice(0, limit), maxBytes);
    },
    'approval.count': async (params) => (await own['approval.count'](params)) + remote().length,
    'approval.show': async (params, signal) => {
      try {
        return await own['approval.show'](params, signal);
      } catch (error) {
        // In the order of `approval.resolve`, so that the request that is shown is the one that an answer means.
        const found = named(params.id, remote());
        if (found === undefined || !(error instanceof Fault) || error.code !== 'APPROVAL_UNKNOWN') throw error;
        return found;
      }
    },
    'approval.resolve': async (params, signal) => {
      const answer = await own['approval.resolve'](params, signal);
      if (answer.ok || answer.reason !== 'unknown') return answer;
      const { id, ...given } = params;
      const found = named(id, shared());
      if (found !== undefined && !onNodes.isListed(found)) return closed(found);
      const onNode = found === undefined ? undefined : await onNodes.resolveOther(found, given, signal);
      if (onNode !== undefined) return onNode;
      return (await inbox()?.answer(id, given, signal)) ?? answer;
    },
  };
}

/** Two gateways share a request where one of them continues for the other. */
function onceEach(approvals: readonly ApprovalInfo[]): readonly ApprovalInfo[] {
  const byRequest = new Map(approvals.map((each) => [`${each.node?.id} ${each.node?.approvalId ?? each.id}`, each]));
  return [...byRequest.values()];
}

function named(wanted: string, approvals: readonly ApprovalInfo[]): ApprovalInfo | undefined {
  return approvals.find(({ id, slug }) => id === wanted || slug === wanted);
}

/** The gateway that has the request may be off, so the inbox still has it. */
function closed({ slug, node }: ApprovalInfo): ResolveAnswer {
  const message = `approval ${slug} is no longer open on node ${node?.name}`;
  return { ok: false, reason: 'already-resolved', message, hint: 'only the first answer counts' };
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
