/** Sends the answer of a person to the node that asks. Nothing is queued: a late answer would run an unwatched command. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../../base/fault.ts';
import type { ApprovalInfo, Decision, Narrowing, ResolveAnswer } from '../../../wire/approval.ts';
import type { GivenAnswer, NodeAnswer } from '../../../wire/nodes/questions.ts';
import { alreadyResolved, changed, expired, refusedNarrowing } from '../../approvals/answer-refusals.ts';
import { inTime } from '../../nodes/in-time.ts';
import type { NodeLinks } from '../../nodes/node-links.ts';
import type { NodeQuestion } from '../../approvals/node-questions.ts';
import { copiedEntries, plain } from './question-copy.ts';

/** What a node asks, as far as an answer needs it. */
export type AnsweredQuestion = Pick<NodeQuestion, 'approval' | 'remoteId'>;

export interface Answer {
  readonly decision: Decision;
  readonly by: string;
  readonly reason?: string | undefined;
  /** Of the approval as it was shown at a gateway. */
  readonly digest?: string | undefined;
  readonly narrow?: Narrowing | undefined;
}

export interface AnswerWaits {
  /** How long an answer waits for its node after a broken link (default: 30 s). */
  readonly reconnectMs?: number;
  /** How long a connected node may take before its link is closed (default: 30 s). */
  readonly answerMs?: number;
}

const RECONNECT_MS = 30_000;
export const ANSWER_MS = 30_000;
const CONCLUDE_MS = 1000;
export const LONGEST_NAME = 200;
const LONGEST_REASON = 4000;

/** After a broken link, the same answer is repeated with its id: the node carries it out once. */
export async function sendAnswer(
  links: Pick<NodeLinks, 'current' | 'within'>,
  question: AnsweredQuestion,
  given: GivenAnswer,
  {
    reconnectMs = RECONNECT_MS,
    answerMs = ANSWER_MS,
    signal,
  }: AnswerWaits & { readonly signal?: AbortSignal | undefined },
): Promise<NodeAnswer> {
  const { node } = question.approval;
  const until = performance.now() + reconnectMs;
  let link = links.current(node.id);
  if (link === undefined) throw offline(question);
  for (; ; link = await links.within(node.id, until - performance.now(), signal)) {
    if (link === undefined) throw outcomeUnknown(question);
    try {
      return (await inTime(link, link.channel.call('approval.resolve', given), answerMs)) as NodeAnswer;
    } catch (error) {
      if (link.channel.lost === undefined) throw withNodeName(error, question);
    }
  }
}

/** Answers a request of another gateway. Undefined where the node is not connected. */
export async function answerOther(
  links: Pick<NodeLinks, 'current' | 'within'>,
  approval: ApprovalInfo,
  answer: Answer,
  waits: AnswerWaits & { readonly signal?: AbortSignal | undefined },
): Promise<ResolveAnswer | undefined> {
  const question = otherQuestion(links, approval);
  if (question === undefined) return undefined;
  const refusal = refusalOf(approval, answer);
  if (refusal !== undefined) return refusal;
  const { node } = question.approval;
  const answered = await sendAnswer(links, question, givenAnswer(question, answer), waits);
  const { state = approval.state, decision } = answered.question?.approval ?? {};
  const by = answered.question?.approval.resolvedBy;
  const current = {
    ...approval,
    state,
    ...(decision === undefined ? {} : { decision }),
    ...(by === undefined ? {} : { resolvedBy: answered.ok ? answer.by : plain(by) }),
  };
  return resolveAnswerOf(answered, current, node);
}

/** A request of another gateway on a node; undefined where the node is not connected. */
export function otherQuestion(links: Pick<NodeLinks, 'current'>, approval: ApprovalInfo): AnsweredQuestion | undefined {
  const { id, node } = approval;
  if (node === undefined || links.current(node.id) === undefined) return undefined;
  return { approval: { ...approval, node }, remoteId: node.approvalId ?? id };
}

/** Why an answer need not be sent: the request is closed, or the person was shown something else. */
export function refusalOf(
  approval: ApprovalInfo,
  { decision, digest, narrow }: Pick<Answer, 'decision' | 'digest' | 'narrow'>,
): ResolveAnswer | undefined {
  if (approval.state === 'expired') return expired(approval);
  if (approval.state !== 'pending') return alreadyResolved(approval);
  if (digest !== undefined && digest !== approval.digest) return changed(approval);
  return refusedNarrowing(decision, narrow, Date.now());
}

/** The node compares its own digest: that of the request from which the shown copy was made. */
export function givenAnswer({ approval, remoteId }: AnsweredQuestion, answer: Answer): GivenAnswer {
  const { decision, by, reason, digest, narrow } = answer;
  const onNode = digest === undefined ? undefined : approval.node.digest;
  return {
    id: remoteId,
    decision,
    by: by.slice(0, LONGEST_NAME),
    answerId: randomUUID(),
    ...(reason === undefined ? {} : { reason: reason.slice(0, LONGEST_REASON) }),
    ...(onNode === undefined ? {} : { digest: onNode }),
    ...(narrow === undefined ? {} : { narrow: narrowedOnNode(narrow) }),
  };
}

function narrowedOnNode({ expiresAt, reason }: Narrowing): NonNullable<GivenAnswer['narrow']> {
  return {
    ...(expiresAt === undefined ? {} : { remainingMs: Math.max(0, Math.round(expiresAt - Date.now())) }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** The report of a denial waits for the servers that gateways share. The person who denied it does not. */
export function concludedSoon<T>(concluding: Promise<T>): Promise<T | undefined> {
  return Promise.race([concluding, pause(CONCLUDE_MS, undefined, { ref: false })]);
}

/** For the person: `copy` is the request of this gateway after the answer. It may not be up to date. */
export function resolveAnswerOf(
  answered: NodeAnswer,
  copy: ApprovalInfo,
  node: { readonly name: string },
): ResolveAnswer {
  const { state } = copy.state === 'pending' ? (answered.question?.approval ?? copy) : copy;
  const current = { ...copy, state };
  if (answered.ok) {
    const { stored, notStored, notRun } = answered;
    return {
      ok: true,
      approval: current,
      stored: copiedEntries(stored),
      ...(notStored === undefined ? {} : { notStored }),
      ...(notRun === undefined ? {} : { notRun }),
    };
  }
  return refusedByNode(answered, current, node);
}

/** For the person: why the node did not carry out an answer or an extension. */
export function refusedByNode<R extends string>(
  { reason, message, hint }: { readonly reason: R; readonly message: string; readonly hint?: string | undefined },
  approval: ApprovalInfo,
  node: { readonly name: string },
) {
  if (reason === 'already-resolved') return alreadyResolved(approval);
  if (reason === 'expired') return expired(approval);
  return {
    ok: false as const,
    reason,
    message: `node ${node.name}: ${plain(message)}`,
    ...(hint === undefined ? {} : { hint: plain(hint) }),
    approval,
  };
}

export function offline({ approval: { slug, node } }: AnsweredQuestion): Fault {
  return new Fault('NODE_OFFLINE', `node ${node.name} is not connected; the question stays open on ${node.name}`, {
    hint: `answer it there with pincer approvals allow ${node.approvalId ?? slug}, or here when pincer nodes list shows the node as connected`,
    details: { node: { id: node.id, name: node.name } },
  });
}

function outcomeUnknown({ approval: { slug, node } }: AnsweredQuestion): Fault {
  return new Fault(
    'NODE_OUTCOME_UNKNOWN',
    `the connection to node ${node.name} broke, and it is not known whether the answer arrived`,
    {
      hint: `pincer approvals show ${slug} shows the answer when the node is connected again`,
      details: { node: { id: node.id, name: node.name } },
    },
  );
}

export function withNodeName(error: unknown, { approval: { slug, node } }: AnsweredQuestion): unknown {
  if (!(error instanceof Fault)) return error;
  const isOld = error.code === 'NODE_METHOD_REFUSED';
  const hint = isOld ? `answer it on the node: pincer approvals allow ${node.approvalId ?? slug}` : error.hint;
  return new Fault(error.code, `node ${node.name}: ${error.message}`, {
    ...(hint === undefined ? {} : { hint }),
    details: { node: { id: node.id, name: node.name } },
    cause: error,
  });
}

/** The node does not have the approval request any more. */
export function isUnknown(error: unknown): boolean {
  return error instanceof Fault && error.code === 'APPROVAL_UNKNOWN';
}
