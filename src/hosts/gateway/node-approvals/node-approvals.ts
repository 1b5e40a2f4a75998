/**
 * Approval requests on nodes, at the gateway. The node decides: an answer here is sent to it, an answer there is reported by it, and
 * the first one counts. The notices of a node are read with a cursor on disk, so that each is reported once.
 */
import { Fault } from '../../../base/fault.ts';
import { guarded } from '../../../base/guarded.ts';
import { messageOf } from '../../../base/message-of.ts';
import { maskSecrets } from '../../../text/secrets/mask.ts';
import type { ApprovalInfo, ResolveAnswer } from '../../../wire/approval.ts';
import type { ChosenNode } from '../../../wire/chosen-node.ts';
import type { ExecContext, ExecRequest } from '../../../wire/exec.ts';
import type { NodeMethods, NodeRefusal } from '../../../wire/nodes/methods.ts';
import type { NodeNotice, NodeQuestion as ReportedQuestion } from '../../../wire/nodes/questions.ts';
import type { SessionInfo } from '../../../wire/session.ts';
import { tooMuchOpen } from '../../approvals/approval-rows.ts';
import { neverRan } from '../../approvals/never-ran.ts';
import type { ApprovalStore } from '../../approvals/shape.ts';
import { inTime } from '../../nodes/in-time.ts';
import { NodeLinks } from '../../nodes/node-links.ts';
import type { NodeRequests } from '../../nodes/node-requests.ts';
import type { RequestOwnership } from '../../nodes/fleet/shared-requests.ts';
import type { Nodes } from '../../nodes/shape.ts';
import type { Session } from '../../sessions/shape.ts';
import { type NodeQuestion, nodeQuestionsIn, type NodeQuestions } from '../../approvals/node-questions.ts';
import { copiedBinding, copiedJudgement, copiedVariables, otherCommand, type SentRequest } from './question-copy.ts';
import { OpenOnNodes } from './open-on-nodes.ts';
import { createQuestionReports, isAwaitingStart } from './question-reports.ts';
import { type NodeExtensions, nodeExtensions } from './node-extensions.ts';
import { RunningTimers } from './running-timers.ts';
import {
  type Answer,
  ANSWER_MS,
  answerOther,
  type AnswerWaits,
  givenAnswer,
  concludedSoon,
  refusalOf,
  resolveAnswerOf,
  sendAnswer,
  isUnknown,
} from './send-answer.ts';

export interface NodeApprovalsParts {
  readonly store: ApprovalStore;
  /** The requests that were sent. An approval request of a node belongs to one of them. */
  readonly requests: Pick<NodeRequests, 'get' | 'asked' | 'ofApproval' | 'isShared'>;
  readonly ownership: Pick<RequestOwnership, 'claim'>;
  readonly nodes: Nodes;
  readonly now: () => number;
  readonly gatewayId: () => string;
  readonly waits?: AnswerWaits & { readonly retryMs?: number };
  /** Whether a caller waits for the answer to a request, which then copies its approval request. */
  isAwaited(key: string): boolean;
  /** Makes the session of an allowed request one of this gateway. */
  answered(node: string, approval: string): Promise<void>;
  /** Called after new notices were stored. */
  readonly onNotice: () => void;
  readonly onTrouble: (error: unknown) => void;
}

export interface AskedOnNode {
  readonly node: ChosenNode;
  readonly sent: SentRequest;
  /** How long the call would have waited for its command. */
  readonly run: {
    readonly request: Pick<ExecRequest, 'yieldMs' | 'background'>;
    readonly context: Pick<ExecContext, 'caller' | 'folder' | 'synchronous'>;
  };
  readonly outcome: Extract<NodeRefusal, { readonly status: 'approval-pending' }>;
}

export interface NodeApprovals extends NodeExtensions {
  readonly questions: Pick<NodeQuestions, 'named' | 'list' | 'count' | 'history' | 'open' | 'openQuestions'>;
  /** The id at this gateway of an approval request on a node. */
  idOf(node: string, approval: string): string | undefined;
  /** The node asks a person about a request of this gateway. */
  asked(asked: AskedOnNode): ApprovalInfo;
  resolve(question: NodeQuestion, answer: Answer, signal?: AbortSignal): Promise<ResolveAnswer>;
  /** Whether a request of another gateway is listed here: it has no copy here, and its node has not said that it is closed. */
  isListed(approval: ApprovalInfo): boolean;
  /**
   * Answers a request of another gateway on a node. That gateway gets it from the node, and reports it. Undefined where the node
   * is not connected.
   */
  resolveOther(approval: ApprovalInfo, answer: Answer, signal?: AbortSignal): Promise<ResolveAnswer | undefined>;
  /** Resolves when the command of an allowed request has a session here, or will not have one now. */
  whenStarted(id: string): Promise<void>;
  /** The command of an allowed request has a session here. */
  started(id: string, sessionId: string): void;
  /** A session of this gateway runs on a node: reports once that it takes long. */
  running(session: Session, afterMs: number): void;
  /** A session has ended. False if it belongs to no approval request on a node. */
  ended(session: SessionInfo): boolean;
  /** A request will not have a session. */
  gone(id: string): void;
  /** This gateway continues with requests of another one to the node: copies what the node asks about them. */
  taken(node: string): void;
  /** Another gateway continues with the request, and reports what becomes of it. */
  left(id: string): void;
  /** After a start of the gateway. */
  resume(): void;
  close(): void;
}

type Copied = Omit<AskedOnNode, 'outcome'> & {
  readonly outcome: Pick<AskedOnNode['outcome'], 'approval' | 'remainingMs' | 'answers'>;
};
type Link = NonNullable<ReturnType<Nodes['link']>>;

/** The pause before the notices of a connected node are read again after an error. */
const RETRY_MS = 5000;

export function createNodeApprovals(parts: NodeApprovalsParts): NodeApprovals {
  const { store, requests, nodes, now, onTrouble, waits = {} } = parts;
  const links = new NodeLinks(nodes);
  const nameOf = (id: string): string | undefined =>
    nodes.list().find((node) => node.id === id && node.state === 'paired')?.name;
  const questions = nodeQuestionsIn(store.database, () => Math.trunc(now()), nameOf);
  const reports = createQuestionReports({ ...parts, questions });
  const open = new OpenOnNodes();
  /** Allowed requests whose session is being mirrored. */
  const starting = new Map<string, Promise<void>>();
  const runningTimers = new RunningTimers();
  const timers = new Set<NodeJS.Timeout>();
  let isClosed = false;
  nodes.onLink(({ id }, link) => void follow(id, link));
  nodes.onRemoved(({ id }) => cancelAll(questions.unfinished(id)));

  function cancelAll(unfinished: readonly NodeQuestion[]): void {
    for (const question of unfinished) if (question.approval.sessionId === undefined) end(question);
  }

  /** The node will say nothing more about it. The command of an allowed request may have run. */
  function end(question: NodeQuestion): void {
    if (question.approval.state === 'allowed') reports.lost(question);
    else reports.cancelled(question);
  }

  /** Its request is lost, and the node may not have reported the answer to it yet. */
  async function endGone(question: NodeQuestion, link: Link): Promise<void> {
    await refresh(question, link);
    const current = questions.get(question.approval.id);
    if (current?.approval.state === 'pending') reports.cancelled(current);
  }

  /** Reads the notices of a node as long as its link lasts. */
  async function follow(node: string, link: Link): Promise<void> {
    if (isClosed || link.channel.lost !== undefined) return;
    let stop = (): void => {};
    try {
      const event = (notice: unknown): void => received(node, notice as NodeNotice);
      const canceller = (cancel: () => void): void => void (stop = cancel);
      const stream = link.channel.call('notice.follow', { after: questions.cursor(node) }, { event, canceller });
      await Promise.all([stream, reconcile(node, link)]);
    } catch (error) {
      if (isClosed || link.channel.lost !== undefined) return;
      if (error instanceof Fault && error.code === 'NODE_METHOD_REFUSED') return; // an older version of pincer
      onTrouble(`the notices of node ${nameOf(node) ?? node} were not read: ${messageOf(error)}`);
    } finally {
      stop(); // the next attempt follows again
    }
    later(waits.retryMs ?? RETRY_MS, () => void follow(node, link));
  }

  /** Every answer of a node has a time limit: people and agents wait for it. */
  function ask(
    link: Link,
    method: 'approval.list' | 'approval.show' | 'approval.outcome',
    params: object,
  ): Promise<unknown> {
    return inTime(link, link.channel.call(method, params), waits.answerMs ?? ANSWER_MS);
  }

  function received(node: string, { seq, question: reported }: NodeNotice): void {
    open.reported(node, reported.approval);
    copyUnknown(node, reported);
    if (sharedDenial(node, reported) !== undefined) {
      questions.setCursor(node, seq); // where this process dies now, the next link reads the request again
      void conclude(node, reported).catch(onTrouble);
      return;
    }
    const question = reports.apply(node, reported, seq);
    if (question !== undefined) settle(question);
  }

  /** The request that a denial ends, where other gateways have a copy of it. */
  function sharedDenial(node: string, { approval }: ReportedQuestion): string | undefined {
    const key = neverRan(approval) ? requests.ofApproval(node, approval.id)?.key : undefined;
    return key !== undefined && requests.isShared(key) ? key : undefined;
  }

  /** Takes over what a node reports. Of several gateways, one reports a denial. */
  async function conclude(node: string, reported: ReportedQuestion): Promise<NodeQuestion | undefined> {
    const key = sharedDenial(node, reported);
    const isOurs = key === undefined || (await parts.ownership.claim(key));
    if (isClosed) return undefined;
    const question = isOurs === true ? reports.apply(node, reported) : undefined;
    if (question !== undefined) settle(question);
    return question;
  }

  /** The answer to a request may be lost: its approval request comes with the key. A request has one; others are ignored. */
  function copyUnknown(node: string, { approval, key, ...open }: ReportedQuestion): void {
    const request = key === undefined ? undefined : requests.get(key);
    if (request?.node.id !== node || parts.isAwaited(request.key)) return;
    if (questions.ofNode(node, approval.id) !== undefined) return;
    if (request.state === 'running' || (request.approval ?? approval.id) !== approval.id) return;
    const { caller, command } = request;
    if (tooMuchOpen(questions.open(caller.agent)) !== undefined) return; // the next link brings it again
    const isSame = [approval.binding.command, maskSecrets(approval.binding.command).text].includes(command);
    if (!isSame || approval.state !== 'pending') return;
    const run = { request: {}, context: { caller, folder: '/' } };
    const sent = { command, caller, env: copiedVariables(approval.binding.env) };
    copy({ node: request.node, sent, run, outcome: { approval, ...open } }, () =>
      requests.asked(request.key, approval.id),
    );
  }

  /** The copies that the notices do not bring up to date: those of a store that was replaced, or that were read before a crash. */
  async function reconcile(node: string, link: Link): Promise<void> {
    const unfinished = questions.unfinished(node);
    const { pending } = (await ask(link, 'approval.list', {})) as NodeMethods['approval.list']['result'];
    const listed = new Map(pending.map((one) => [one.id, one]));
    open.listed(node, link, listed.keys());
    for (const question of unfinished) {
      const { state, sessionId } = question.approval;
      const current = state === 'pending' ? listed.get(question.remoteId) : undefined;
      if (current !== undefined) reports.stillPending(question, current);
      else if (sessionId === undefined) await refresh(question, link);
    }
    for (const { id } of pending) {
      if (questions.ofNode(node, id) !== undefined) continue;
      copyUnknown(node, (await ask(link, 'approval.show', { id })) as ReportedQuestion);
    }
  }

  async function refresh(question: NodeQuestion, link: Link): Promise<void> {
    try {
      const reported = await ask(link, 'approval.show', { id: question.remoteId });
      await conclude(question.approval.node.id, reported as ReportedQuestion);
    } catch (error) {
      if (!isUnknown(error)) throw error;
      end(question);
    }
  }

  /** Starts the session of an allowed request, and closes a request whose command will not run. */
  function settle(question: NodeQuestion): void {
    const { node, sessionId, outcome } = question.approval;
    if (isAwaitingStart(question)) start(question).catch(onTrouble);
    else if (outcome !== undefined && sessionId === undefined)
      parts.answered(node.id, question.remoteId).catch(onTrouble);
  }

  function start(question: NodeQuestion): Promise<void> {
    const { id } = question.approval;
    const begun = starting.get(id) ?? startNow(question).finally(() => starting.delete(id));
    starting.set(id, begun);
    return begun;
  }

  /** A broken link ends it; the next one begins again. */
  async function startNow({ approval, remoteId }: NodeQuestion): Promise<void> {
    const link = links.current(approval.node.id);
    if (link === undefined || isClosed) return;
    try {
      const reported = (await ask(link, 'approval.outcome', { id: remoteId })) as ReportedQuestion;
      const { id: node } = approval.node;
      const isDenied = sharedDenial(node, reported) !== undefined;
      const question = isDenied ? await conclude(node, reported) : reports.apply(node, reported);
      if (question === undefined || !isAwaitingStart(question)) return;
      await parts.answered(approval.node.id, remoteId);
      const current = questions.get(approval.id);
      const isClosedRequest = requests.ofApproval(approval.node.id, remoteId) === undefined;
      if (current === undefined || !isAwaitingStart(current) || !isClosedRequest) return;
      const { outcome, sessionId } = reported.approval;
      if (outcome !== undefined || sessionId !== undefined) reports.lost(current);
      else reports.cancelled(current); // the look-up said that nothing ran
    } catch (error) {
      if (link.channel.lost === undefined) throw error;
    }
  }

  /** `also` is written in the same transaction. */
  function copy({ node, sent, run, outcome }: Copied, also?: () => void): NodeQuestion {
    const { approval, remainingMs = approval.expiresAt - approval.createdAt } = outcome;
    const question = {
      node,
      remoteId: approval.id,
      answers: outcome.answers ?? 'none',
      digest: approval.digest,
      question: approval.question,
      remainingMs,
      binding: copiedBinding(sent, approval),
      judgement: copiedJudgement(approval.judgement),
      run,
    };
    return reports.requested(question, also);
  }

  function later(ms: number, work: () => void): void {
    const run = guarded(onTrouble, () => {
      timers.delete(timer);
      if (!isClosed) work();
    });
    const timer = setTimeout(run, ms);
    timers.add(timer.unref());
  }

  return {
    questions,
    ...nodeExtensions({ links, waits, questions, reports, now, conclude }),
    idOf: (node, approval) => questions.ofNode(node, approval)?.approval.id,
    asked(asked) {
      const { node, sent, outcome } = asked;
      if (outcome.approval.binding.command !== sent.command) throw otherCommand(node);
      const question = copy(asked);
      // Its notices may have come before this answer, when the copy did not exist.
      const link = links.current(node.id);
      if (link !== undefined && outcome.answers !== undefined)
        refresh(question, link).catch((error: unknown) => {
          if (link.channel.lost === undefined) onTrouble(error);
        });
      return question.approval;
    },
    async resolve(question, answer, signal) {
      const { approval } = question;
      const { id, node } = approval;
      const refusal = refusalOf(approval, answer);
      if (refusal !== undefined) return refusal;
      const given = givenAnswer(question, answer);
      reports.answering(question, given);
      const answered = await sendAnswer(links, question, given, { ...waits, signal }).catch((error: unknown) => {
        if (isUnknown(error)) reports.cancelled(question);
        throw error;
      });
      const applied = answered.question && (await concludedSoon(conclude(node.id, answered.question)));
      if (applied !== undefined && isAwaitingStart(applied)) await start(applied).catch(onTrouble);
      return resolveAnswerOf(answered, questions.get(id)?.approval ?? approval, node);
    },
    isListed({ id, node }) {
      if (node === undefined) return true;
      const remoteId = node.approvalId ?? id;
      return questions.ofNode(node.id, remoteId) === undefined && open.has(node.id, remoteId) !== false;
    },
    resolveOther: (approval, answer, signal) => answerOther(links, approval, answer, { ...waits, signal }),
    whenStarted: async (id) => starting.get(id),
    ended(session) {
      const question = session.approvalId === undefined ? undefined : questions.get(session.approvalId);
      if (question === undefined) return false;
      runningTimers.stop(session.id);
      reports.finished(question, session);
      return true;
    },
    started(id, sessionId) {
      questions.resolve(id, { state: 'allowed' }); // a node of an older version reports no answers
      questions.setSession(id, sessionId);
    },
    running(session, afterMs) {
      const { approvalId = '', status } = session.info();
      const question = questions.get(approvalId);
      if (question === undefined || question.isRunningNoticed || status !== 'running' || afterMs === 0) return;
      const report = guarded(onTrouble, () => reports.running(question, session.id, afterMs));
      runningTimers.start(session.id, afterMs, report);
    },
    gone(id) {
      const question = questions.get(id);
      if (question === undefined || question.approval.outcome !== undefined) return;
      const link = links.current(question.approval.node.id);
      if (question.approval.state !== 'pending' || link === undefined) return end(question);
      endGone(question, link).catch((error: unknown) => {
        if (link.channel.lost === undefined) onTrouble(error); // the next link asks again
      });
    },
    taken(node) {
      const link = links.current(node);
      if (link === undefined || isClosed) return; // the next link copies it
      reconcile(node, link).catch((error: unknown) => {
        if (link.channel.lost === undefined) onTrouble(error);
      });
    },
    left(id) {
      runningTimers.stop(questions.get(id)?.approval.sessionId ?? '');
      questions.remove(id);
    },
    resume() {
      const paired = new Set(nodes.list().flatMap(({ id, state }) => (state === 'paired' ? [id] : [])));
      cancelAll(questions.unfinished().filter(({ approval }) => !paired.has(approval.node.id)));
      store.flush();
    },
    close() {
      isClosed = true;
      runningTimers.close();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
