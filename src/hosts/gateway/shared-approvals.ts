/** The methods `approval.*` where several gateways share their inbox: requests of the others are listed, and can be answered. */
import { Fault } from '../../base/fault.ts';
import type { ApprovalInfo, ExtendAnswer, ResolveAnswer } from '../../wire/approval.ts';
import type { Method, Methods } from '../../wire/methods.ts';
import { ambiguous, unknown } from '../approvals/answer-refusals.ts';
import { LISTED, SHORTEST_PREFIX } from '../approvals/approval-rows.ts';
import { requestName } from '../../wire/nodes/request-name.ts';
import type { SharedInbox } from '../nodes/fleet/inbox.ts';
import { type AllApprovals, newestOf } from './node-approvals/all-approvals.ts';
import type { NodeApprovals } from './node-approvals/node-approvals.ts';

type Shared = Extract<
  Method,
  'approval.list' | 'approval.count' | 'approval.show' | 'approval.resolve' | 'approval.extend'
>;
export type ApprovalHandlers = {
  readonly [M in Shared]: (
    params: Methods[M]['params'],
    signal?: AbortSignal,
  ) => Promise<Methods[M]['result']> | Methods[M]['result'];
};

/**
 * `inbox` is undefined where the gateway is alone. A request on a node that this gateway is connected to, too, is listed as long as
 * the node says, and answered there.
 */
export function sharedApprovals(
  own: Pick<AllApprovals, 'find'> & { readonly handlers: ApprovalHandlers },
  inbox: () => Pick<SharedInbox, 'remote' | 'answer'> | undefined,
  onNodes: Pick<NodeApprovals, 'isListed' | 'resolveOther' | 'extendOther'>,
): ApprovalHandlers {
  const { handlers } = own;
  const shared = (): readonly ApprovalInfo[] => inbox()?.remote() ?? [];
  const remote = (): readonly ApprovalInfo[] => onceEach(shared().filter((each) => onNodes.isListed(each)));

  /**
   * Where the request is that a text means, or why it means none. Each gateway keeps its own ids apart, but a node chooses the ids of
   * its requests, and could give one the id of a request at another gateway: the person would answer that one.
   */
  function located(id: string): Located {
    const mine = own.find(id);
    const others = named(id, remote());
    const [first] = others;
    if (first === undefined) {
      const [over] = mine === 'unknown' ? named(id, shared()) : [];
      return over === undefined ? { here: true } : { refused: closed(over) };
    }
    const ids = new Set([...others.map((each) => each.id), ...(typeof mine === 'string' ? [] : [mine.approval.id])]);
    if (mine === 'ambiguous' || ids.size > 1) return { refused: ambiguous(id) };
    return mine === 'unknown' && others.length === 1 ? { elsewhere: first } : { refused: sameIds(id) };
  }

  /** The answer of this gateway; about a request that only others have, that of its node or gateway. */
  async function orElsewhere<A extends ResolveAnswer | ExtendAnswer>(
    id: string,
    here: () => A | Promise<A>,
    elsewhere: (found: ApprovalInfo) => Promise<A>,
  ): Promise<A | Refused> {
    const place = located(id);
    if ('refused' in place) return place.refused;
    return 'elsewhere' in place ? elsewhere(place.elsewhere) : here();
  }

  return {
    'approval.list': async (params) => {
      const { state = 'pending', limit = LISTED, maxBytes = Number.POSITIVE_INFINITY } = params;
      return newestWithin(newestOf(state, limit, await handlers['approval.list'](params), remote()), maxBytes);
    },
    'approval.count': async (params) => (await handlers['approval.count'](params)) + remote().length,
    'approval.show': async (params, signal) => {
      const place = located(params.id);
      if ('elsewhere' in place) return place.elsewhere;
      if ('here' in place) return handlers['approval.show'](params, signal);
      const { message, hint = LIST } = place.refused;
      throw new Fault('APPROVAL_UNKNOWN', message, { hint });
    },
    'approval.resolve': async (params, signal) => {
      const { id, ...given } = params;
      return orElsewhere<ResolveAnswer>(
        id,
        () => handlers['approval.resolve'](params, signal),
        async (found) =>
          (await onNodes.resolveOther(found, given, signal)) ??
          (await inbox()?.answer(found, given, signal)) ??
          unknown(id),
      );
    },
    'approval.extend': async (params, signal) => {
      const { id, ...extension } = params;
      return orElsewhere<ExtendAnswer>(
        id,
        () => handlers['approval.extend'](params, signal),
        async (found) => (await onNodes.extendOther(found, extension)) ?? ofAnotherGateway(found),
      );
    },
  };
}

/** Two gateways share a request where one of them continues for the other. */
function onceEach(approvals: readonly ApprovalInfo[]): readonly ApprovalInfo[] {
  return [...new Map(approvals.map((each) => [requestName(each), each])).values()];
}

/** As the requests of this gateway are named: by the whole id, or else by its start. */
function named(text: string, approvals: readonly ApprovalInfo[]): readonly ApprovalInfo[] {
  const start = text.toLowerCase();
  const exact = approvals.filter(({ id }) => id === start);
  if (exact.length > 0 || start.length < SHORTEST_PREFIX) return exact;
  return approvals.filter(({ id }) => id.startsWith(start));
}

type Refused = ReturnType<typeof ambiguous>;
type Located = { readonly here: true } | { readonly elsewhere: ApprovalInfo } | { readonly refused: Refused };

function sameIds(id: string): Refused {
  return {
    ...ambiguous(id),
    message: `several approvals have the id ${JSON.stringify(id)}`,
    hint: 'the node of one of them does not work correctly: remove that node with pincer nodes remove',
  };
}

/** The gateway that has the request may be off, so the inbox still has it. */
function closed({ slug, node }: ApprovalInfo): Refused {
  const message = `approval ${slug} is no longer open on node ${node?.name}`;
  return { ok: false, reason: 'already-resolved', message, hint: 'only the first answer counts' };
}

/** Its time is that of the gateway that has it, and only answers are shared. */
function ofAnotherGateway(approval: ApprovalInfo): ExtendAnswer {
  const message = `approval ${approval.slug} waits at another gateway, and only that gateway can extend it`;
  return { ok: false, reason: 'not-authorised', message, hint: 'answer it here, or extend it there', approval };
}

const LIST = 'pincer approvals list shows them';

/** In the same order; at least one. Agents take turns, so that one with long commands does not hide the requests of others. */
export function newestWithin(approvals: readonly ApprovalInfo[], maxBytes: number): readonly ApprovalInfo[] {
  if (maxBytes === Number.POSITIVE_INFINITY) return approvals;
  const newestFirst = approvals.toSorted((one, other) => other.createdAt - one.createdAt);
  const byAgent = new Map<string, ApprovalInfo[]>();
  for (const approval of newestFirst) {
    const requests = byAgent.get(approval.binding.agent) ?? [];
    byAgent.set(approval.binding.agent, requests);
    requests.push(approval);
  }
  let waiting = [...byAgent.values()];
  const kept = new Set<ApprovalInfo>();
  let bytes = 0;
  for (let turn = 0; waiting.length > 0; turn++) {
    // An agent whose next request has no room is left out from then on: its list has no gaps.
    waiting = waiting.filter((requests) => {
      const next = requests[turn];
      const size = next === undefined ? 0 : Buffer.byteLength(JSON.stringify(next));
      if (next === undefined || (bytes + size > maxBytes && kept.size > 0)) return false;
      bytes += size;
      kept.add(next);
      return true;
    });
  }
  return approvals.filter((approval) => kept.has(approval));
}
