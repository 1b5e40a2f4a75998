/** The methods `approval.*`: the same for the requests of this machine and of its nodes. */
import { Fault } from '../../../base/fault.ts';
import { DEFAULT_AGENT } from '../../../wire/actor.ts';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { Method, Methods } from '../../../wire/methods.ts';
import type { ExecSettings } from '../../../wire/settings.ts';
import { parseApprovalQuery } from '../../../wire/query/approval-query.ts';
import { isProblem } from '../../../wire/query/query-terms.ts';
import { LISTED } from '../../approvals/approval-rows.ts';
import { LONGEST_FOUND } from '../../approvals/history-search.ts';
import { invalidQuery } from '../records/audit-methods.ts';
import { ambiguous, unknown } from '../../approvals/answer-refusals.ts';
import type { ApprovalsFile, ApprovalStore, HistoryPosition } from '../../approvals/shape.ts';
import type { Sessions } from '../../sessions/shape.ts';
import { approvalOutcome } from '../approvals/approval-outcome.ts';
import type { ApprovalRequests } from '../approvals/approval-requests.ts';
import { earlierRequestsIn } from '../../approvals/question-groups.ts';
import { withUnanswered } from '../approvals/unanswered.ts';
import { type AllApprovals, allApprovals, type FoundApproval } from './all-approvals.ts';
import { withEarlier } from './earlier-requests.ts';
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
  readonly file: Pick<ApprovalsFile, 'rulesFor'>;
  readonly approvalRequests: Pick<ApprovalRequests, 'resolve' | 'extend' | 'whenStarted'>;
  readonly nodeApprovals: Pick<NodeApprovals, 'questions' | 'resolve' | 'extend' | 'whenStarted'>;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly now: () => number;
  readonly settingsFor: (folder: string, agent: string) => Promise<ExecSettings>;
}

export interface ApprovalMethods extends Pick<AllApprovals, 'find'> {
  readonly handlers: Handlers;
  count(state: 'pending' | 'all'): number;
}

/** At least one. */
function firstWithin(approvals: readonly ApprovalInfo[], maxBytes: number): readonly ApprovalInfo[] {
  let bytes = 0;
  const end = approvals.findIndex((approval, at) => {
    bytes += Buffer.byteLength(JSON.stringify(approval));
    return bytes > maxBytes && at > 0;
  });
  return end === -1 ? approvals : approvals.slice(0, end);
}

function cursorOf({ createdAt, id }: HistoryPosition): string {
  return `${createdAt}-${id}`;
}

/** The schema has checked its form. */
function positionOf(cursor: string): HistoryPosition {
  const at = cursor.indexOf('-');
  return { createdAt: Number(cursor.slice(0, at)), id: cursor.slice(at + 1) };
}

export function approvalMethods(parts: ApprovalMethodsParts): ApprovalMethods {
  const { store, approvalRequests, nodeApprovals, sessions, settingsFor, now } = parts;
  const approvals = allApprovals(store, nodeApprovals.questions);
  const shownAll = (all: readonly ApprovalInfo[]): Promise<readonly ApprovalInfo[]> => {
    let read: ReturnType<typeof guestSettings> | undefined;
    const guests = (): ReturnType<typeof guestSettings> => (read ??= guestSettings());
    return Promise.all(all.map((approval) => withUnanswered(withPast(approval), parts.file, guests)));
  };
  const shown = (approval: ApprovalInfo): Promise<ApprovalInfo> =>
    withUnanswered(withPast(approval), parts.file, guestSettings);
  const [earlierHere, earlierOnNodes] = [
    earlierRequestsIn(store.database, 'approvals'),
    earlierRequestsIn(store.database, 'node_questions'),
  ] as const;
  const withPast = (approval: ApprovalInfo): ApprovalInfo =>
    withEarlier(approval, approval.node === undefined ? earlierHere : earlierOnNodes);
  const shownIn = async <A extends { readonly approval?: ApprovalInfo }>(answer: A): Promise<A> =>
    answer.approval === undefined ? answer : { ...answer, approval: await shown(answer.approval) };

  /** A configuration that cannot be read stops all commands, and not the list of them. */
  async function guestSettings(): Promise<ExecSettings['guests']> {
    const settings = await settingsFor('/', DEFAULT_AGENT).catch(() => undefined);
    return settings?.guests ?? { exec: 'off', sandbox: false };
  }

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
    find: (id) => approvals.find(id),
    handlers: {
      'approval.list': ({ state = 'pending', limit, calls }) =>
        shownAll(approvals.list(state === 'pending' && calls === true ? 'waiting' : state, limit)),
      'approval.count': ({ state }) => approvals.count(state ?? 'pending'),
      'approval.show': ({ id }) => shown(found(id).approval),
      'approval.resolve': async ({ id, ...answer }, signal) => {
        const one = approvals.find(id);
        if (one === 'ambiguous') return ambiguous(id);
        if (one === 'unknown') return unknown(id);
        if (one.question !== undefined) return nodeApprovals.resolve(one.question, answer, signal);
        return shownIn(await approvalRequests.resolve(one.approval.id, answer));
      },
      'approval.extend': ({ id, byMs, by }) => {
        const one = approvals.find(id);
        if (one === 'ambiguous') return ambiguous(id);
        if (one === 'unknown') return unknown(id);
        if (one.question !== undefined) return nodeApprovals.extend(one.question, { byMs, by });
        return shownIn(approvalRequests.extend(one.approval.id, byMs, by));
      },
      'approval.history': async ({ q = '', before, limit = LISTED }, signal) => {
        const terms = parseApprovalQuery(q, now());
        if (isProblem(terms)) throw invalidQuery(terms, q);
        const at = before === undefined ? undefined : positionOf(before);
        const found = await approvals.history(terms, at, limit, signal);
        const part = firstWithin(found, LONGEST_FOUND);
        const last = part.at(-1);
        const isLast = found.length < limit && part.length === found.length;
        return { approvals: part, ...(isLast || last === undefined ? {} : { next: cursorOf(last) }) };
      },
      'approval.outcome': async ({ id, caller, yieldMs }, signal) => {
        // Between the answer and the start of its command there is nothing to report yet.
        const { approval: asked } = found(id);
        const { whenStarted } = asked.node === undefined ? approvalRequests : nodeApprovals;
        await whenStarted(asked.id);
        // The answer may have come just now, when the command had not begun to start.
        if (asked.state === 'pending' && found(asked.id).approval.state !== 'pending') await whenStarted(asked.id);
        const { approval, question } = found(asked.id);
        const run = question === undefined ? store.runOf(approval.id) : question.run;
        return approvalOutcome(approval, { caller, yieldMs, run, sessions, settingsFor }, signal);
      },
    },
  };
}
