/** The approval requests that a gateway caused on this node. Others do not exist for it. */
import { Fault } from '../../base/fault.ts';
import type { ApprovalInfo, ResolveAnswer } from '../../wire/approval.ts';
import type { Caller } from '../../wire/exec.ts';
import type { Gateway, Methods } from '../../wire/methods.ts';
import { answeredBy } from '../../wire/nodes/answered-by.ts';
import type { GivenAnswer, NodeAnswer, NodeQuestion, OpenQuestion } from '../../wire/nodes/questions.ts';
import { isGuestOf, type NodeTerms } from './guest.ts';
import type { NodeStore } from './node-store.ts';

export interface GuestQuestionsOptions {
  /** The gateway of this machine, which has the approval requests. */
  readonly local: Gateway;
  readonly store: NodeStore;
  readonly terms: () => Promise<NodeTerms>;
}

export interface GuestQuestions {
  pending(gateway: string): Promise<readonly (OpenQuestion & { readonly id: string })[]>;
  show(id: string, gateway: string): Promise<NodeQuestion>;
  /** As `show`; waits until the command of an allowed request has started, or will not start. */
  afterStart(id: string, gateway: string): Promise<NodeQuestion>;
  /** `at`: the gateway of the fleet where the person answered. */
  resolve(answer: GivenAnswer, gateway: string, at: string): Promise<NodeAnswer>;
  /** The gateway has removed this node: its commands are not awaited any more. */
  denyAll(gateway: string): Promise<void>;
}

/** The caller that sees all approval requests of this machine. */
const OPERATOR: Caller = { agent: '', operator: true };
const MOST_LISTED = 10_000;

export function createGuestQuestions({ local, store, terms }: GuestQuestionsOptions): GuestQuestions {
  /** Answers that are being carried out, by gateway and answer id. */
  const resolving = new Map<string, Promise<NodeAnswer>>();

  async function own(id: string, gateway: string): Promise<ApprovalInfo> {
    const approval = await local.call('approval.show', { id }).catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'APPROVAL_UNKNOWN') return undefined;
      throw error;
    });
    if (approval?.id === id && isGuestOf(approval.binding.agent, gateway)) return approval;
    throw new Fault('APPROVAL_UNKNOWN', `the node has no approval request ${id} of this gateway`, {
      hint: 'it is older than the node remembers, or the node has a new state folder',
    });
  }

  async function questionOf(approval: ApprovalInfo, gateway: string): Promise<NodeQuestion> {
    const key = store.keyOf(gateway, approval.id);
    return { approval, ...openQuestion(approval, await terms()), ...(key === undefined ? {} : { key }) };
  }

  /** An answer is recorded before it takes effect, so that its repetition is recognised, also after a crash of this process. */
  async function carryOut(answer: GivenAnswer, gateway: string, at: string): Promise<NodeAnswer> {
    const { id, decision, answerId } = answer;
    const approval = await own(id, gateway);
    const { answers, confirmed } = await terms();
    if (answers === 'none') return refusedAnswer(approval, confirmed);
    const earlier = store.beginAnswer(gateway, answerId, id);
    if (earlier !== undefined && earlier.approval !== id)
      throw new Fault('GATEWAY_BAD_REQUEST', 'the answer id belongs to another approval request', {
        hint: 'use a new answer id for each answer',
      });
    if (earlier?.result !== undefined) return JSON.parse(earlier.result) as NodeAnswer;
    const isOnce = decision === 'allow-always' && answers !== 'always';
    const given = localAnswer(answer, at, isOnce);
    const resolved = await local.call('approval.resolve', given);
    const first = earlier === undefined ? resolved : asFirst(resolved, given);
    const result = await nodeAnswer(first, gateway, isOnce);
    store.endAnswer(gateway, answerId, JSON.stringify(result));
    return result;
  }

  async function nodeAnswer(answer: ResolveAnswer, gateway: string, isOnce: boolean): Promise<NodeAnswer> {
    const { approval, ...rest } = answer;
    const question = approval === undefined ? {} : { question: await questionOf(approval, gateway) };
    return { ...rest, ...question, ...(answer.ok && isOnce ? { notStored: NOT_STORED } : {}) } as NodeAnswer;
  }

  return {
    async denyAll(gateway) {
      const all = await local.call('approval.list', { state: 'pending', limit: Number.MAX_SAFE_INTEGER });
      const own = all.filter(({ binding }) => isGuestOf(binding.agent, gateway));
      const answer = { decision: 'deny', by: 'pincer', reason: 'the gateway has removed this node' } as const;
      await Promise.allSettled(own.map(({ id }) => local.call('approval.resolve', { id, ...answer })));
    },
    async pending(gateway) {
      const all = await local.call('approval.list', { state: 'pending', limit: Number.MAX_SAFE_INTEGER });
      const current = await terms();
      return all
        .filter(({ binding }) => isGuestOf(binding.agent, gateway))
        .slice(-MOST_LISTED)
        .map((approval) => ({ id: approval.id, ...openQuestion(approval, current) }));
    },
    show: async (id, gateway) => questionOf(await own(id, gateway), gateway),
    async afterStart(id, gateway) {
      await own(id, gateway);
      await local.call('approval.outcome', { id, caller: OPERATOR, yieldMs: 0 });
      return questionOf(await own(id, gateway), gateway);
    },
    resolve(answer, gateway, at) {
      const name = `${gateway} ${answer.answerId}`;
      const running = resolving.get(name);
      if (running !== undefined) return running;
      const result = carryOut(answer, gateway, at).finally(() => resolving.delete(name));
      resolving.set(name, result);
      return result;
    },
  };
}

export function openQuestion({ expiresAt }: ApprovalInfo, { answers }: Pick<NodeTerms, 'answers'>): OpenQuestion {
  return { remainingMs: Math.max(0, Math.ceil(expiresAt - Date.now())), answers };
}

/** People on this node see which answers came from the gateway. */
function localAnswer({ id, decision, by, reason }: GivenAnswer, gateway: string, isOnce: boolean): Given {
  return {
    id,
    decision: isOnce ? 'allow-once' : decision,
    by: answeredBy(by, gateway),
    ...(reason === undefined ? {} : { reason }),
  };
}

type Given = Methods['approval.resolve']['params'];

/** The node died after the answer took effect: the repetition finds its own answer. */
function asFirst(answer: ResolveAnswer, { by, decision }: Given): ResolveAnswer {
  if (answer.ok || answer.reason !== 'already-resolved') return answer;
  const { approval } = answer;
  return approval?.resolvedBy === by && approval.decision === decision ? { ok: true, approval, stored: [] } : answer;
}

const NOT_STORED = 'this node stores no rules for its gateway (node.answers is not always)';

function refusedAnswer({ slug }: ApprovalInfo, confirmed: boolean): NodeAnswer {
  const why = confirmed ? 'node.answers is none' : 'pincer node confirm was not run on it';
  return {
    ok: false,
    reason: 'not-authorised',
    message: `this node accepts no answers from its gateway (${why})`,
    hint: `answer it on the node: pincer approvals allow ${slug}, or pincer approvals deny ${slug}`,
  };
}
