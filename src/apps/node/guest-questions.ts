/** The approval requests that a gateway caused on this node. Others do not exist for it. */
import { Fault } from '../../base/fault.ts';
import type { ApprovalInfo, Narrowing, ResolveAnswer } from '../../wire/approval.ts';
import type { Caller } from '../../wire/exec.ts';
import type { Gateway, Methods } from '../../wire/methods.ts';
import { answeredBy } from '../../wire/nodes/answered-by.ts';
import type {
  GivenAnswer,
  GivenExtension,
  NodeAnswer,
  NodeExtension,
  NodeQuestion,
  OpenQuestion,
} from '../../wire/nodes/questions.ts';
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
  /** As `resolve`: where the gateway may answer, it may also let a request wait longer. */
  extend(extension: GivenExtension, gateway: string, at: string): Promise<NodeExtension>;
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
    const current = await terms();
    const { answers } = current;
    const why = decision === 'deny' ? whyNoAnswer(current) : whyNotAllowed(current);
    // Nothing runs for one that is not pending, and a repeated answer gets its first result again.
    if (why !== undefined && approval.state === 'pending') return refusedAnswer(approval, why);
    const earlier = store.beginAnswer(gateway, answerId, id);
    if (earlier !== undefined && earlier.approval !== id)
      throw new Fault('GATEWAY_BAD_REQUEST', 'the answer id belongs to another approval request', {
        hint: 'use a new answer id for each answer',
      });
    if (earlier?.result !== undefined)
      return withQuestion(JSON.parse(earlier.result) as StoredResult, await questionOf(approval, gateway));
    const isOnce = decision === 'allow-always' && answers !== 'always';
    const given = localAnswer(answer, at, isOnce);
    const resolved = await local.call('approval.resolve', given);
    const first = earlier === undefined ? resolved : asFirst(resolved, given);
    const { approval: answered, ...rest } = first;
    const result: StoredResult = { ...rest, ...(first.ok && isOnce ? { notStored: NOT_STORED } : {}) };
    // Without the question, which this machine has already, and whose size the gateway chooses.
    store.endAnswer(gateway, answerId, JSON.stringify(result));
    return answered === undefined ? (result as NodeAnswer) : withQuestion(result, await questionOf(answered, gateway));
  }

  return {
    denyAll: (gateway) => denyQuestions(local, gateway),
    async pending(gateway) {
      const everything = { state: 'pending', limit: Number.MAX_SAFE_INTEGER, calls: true } as const;
      const all = await local.call('approval.list', everything);
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
    async extend({ id, byMs, by }, gateway, at) {
      const approval = await own(id, gateway);
      const why = whyNotAllowed(await terms());
      if (why !== undefined) return refusedAnswer(approval, why);
      const { approval: current, ...result } = await local.call('approval.extend', {
        id,
        byMs,
        by: answeredBy(by, at),
      });
      return { ...result, question: await questionOf(current ?? approval, gateway) };
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

/** Denies all pending requests of a gateway that this node is not paired with any more: `askFallback` must not run them later. */
export async function denyQuestions(local: Pick<Gateway, 'call'>, gateway: string): Promise<void> {
  const all = await local.call('approval.list', { state: 'pending', limit: Number.MAX_SAFE_INTEGER });
  const own = all.filter(({ binding }) => isGuestOf(binding.agent, gateway));
  const reason = 'this node is not paired with the gateway any more';
  const answer = { decision: 'deny', by: 'pincer', reason } as const;
  await Promise.allSettled(own.map(({ id }) => local.call('approval.resolve', { id, ...answer })));
}

/** What a repeated answer returns, besides the question. */
type StoredResult = Omit<NodeAnswer, 'question'>;

function withQuestion(result: StoredResult, question: NodeQuestion): NodeAnswer {
  return { ...result, question } as NodeAnswer;
}

export function openQuestion({ expiresAt }: ApprovalInfo, { answers }: Pick<NodeTerms, 'answers'>): OpenQuestion {
  return { remainingMs: Math.max(0, Math.ceil(expiresAt - Date.now())), answers };
}

/** People on this node see which answers came from the gateway. */
function localAnswer(answer: GivenAnswer, gateway: string, isOnce: boolean): Given {
  const { id, decision, by, reason, digest, narrow } = answer;
  return {
    id,
    decision: isOnce ? 'allow-once' : decision,
    by: answeredBy(by, gateway),
    ...(reason === undefined ? {} : { reason }),
    ...(digest === undefined ? {} : { digest }),
    ...(narrow === undefined || isOnce ? {} : { narrow: narrowing(narrow) }),
  };
}

function narrowing({ remainingMs, reason }: NonNullable<GivenAnswer['narrow']>): Narrowing {
  return {
    ...(remainingMs === undefined ? {} : { expiresAt: Date.now() + remainingMs }),
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

/** Why the gateway may not even deny. */
function whyNoAnswer({ answers, confirmed }: NodeTerms): string | undefined {
  if (!confirmed) return 'pincer node confirm was not run on it';
  return answers === 'none' ? 'node.answers is none' : undefined;
}

/** The command would run outside of a sandbox, as it was when the question was asked. */
function whyNotAllowed(terms: NodeTerms): string | undefined {
  const why = whyNoAnswer(terms);
  if (why !== undefined) return why;
  if (terms.exec === 'off') return 'the question is older than node.exec=off, and the gateway runs no commands here';
  return terms.sandbox
    ? 'the question is older than node.sandbox, and the command would run outside of the sandbox'
    : undefined;
}

function refusedAnswer({ slug }: ApprovalInfo, why: string): NodeAnswer & NodeExtension {
  return {
    ok: false,
    reason: 'not-authorised',
    message: `this node accepts no answers from its gateway (${why})`,
    hint: `answer it on the node: pincer approvals allow ${slug}, or pincer approvals deny ${slug}`,
  };
}
