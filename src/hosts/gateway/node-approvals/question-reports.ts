/** What the gateway records and reports about approval requests on nodes: each change once, in one transaction with its cause. */
import { maskSecrets } from '../../../text/secrets/mask.ts';
import { actorOf } from '../../../wire/actor.ts';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import { answeredBy } from '../../../wire/nodes/answered-by.ts';
import type { GivenAnswer, NodeQuestion as ReportedQuestion } from '../../../wire/nodes/questions.ts';
import type { SessionInfo } from '../../../wire/session.ts';
import { neverRan } from '../../approvals/never-ran.ts';
import type { ApprovalStore } from '../../approvals/shape.ts';
import { plain } from './question-copy.ts';
import type { NewQuestion, NodeQuestion, NodeQuestions } from '../../approvals/node-questions.ts';
import { deniedText, finishedText, lostText, runningText } from '../../sessions/notice-texts.ts';

export interface QuestionReportsParts {
  readonly store: ApprovalStore;
  readonly questions: NodeQuestions;
  readonly gatewayId: () => string;
  /** Called after new notices were stored. */
  readonly onNotice: () => void;
}

export interface QuestionReports {
  /** Copies a new approval request. A repeated one returns the first copy. `also` is written in the same transaction. */
  requested(question: NewQuestion, also?: () => void): NodeQuestion;
  /** An answer is about to be sent: only then a node can name this person. */
  answering(question: NodeQuestion, answer: Pick<GivenAnswer, 'by' | 'decision'>): void;
  /** Takes over what a node reports; `seq` is the number of its notice. Undefined if this gateway has no copy. */
  apply(node: string, reported: ReportedQuestion, seq?: number): NodeQuestion | undefined;
  /** A person of this gateway let it wait longer. */
  extended(question: NodeQuestion, by: string): void;
  stillPending(question: NodeQuestion, open: Pick<ReportedQuestion, 'remainingMs' | 'answers'>): void;
  /** Its command takes long. */
  running(question: NodeQuestion, sessionId: string, afterMs: number): void;
  /** The session of its command has ended. */
  finished(question: NodeQuestion, session: SessionInfo): void;
  /** The node does not have the session of its command. */
  lost(question: NodeQuestion): void;
  /** The node will not answer it any more. */
  cancelled(question: NodeQuestion): void;
}

/** Allowed, and its command has neither a session nor an outcome here. */
export function isAwaitingStart({ approval: { state, sessionId, outcome } }: NodeQuestion): boolean {
  return state === 'allowed' && sessionId === undefined && outcome === undefined;
}

export function createQuestionReports(parts: QuestionReportsParts): QuestionReports {
  const { store, questions, onNotice } = parts;
  const { database } = store;

  function changing<T>(work: () => T): T {
    const result = database.transaction(work);
    onNotice();
    return result;
  }

  function notify(
    { approval }: NodeQuestion,
    kind:
      | 'approval-requested'
      | 'approval-resolved'
      | 'approval-extended'
      | 'exec-denied'
      | 'exec-running'
      | 'exec-finished',
    text: string,
    sessionId?: string,
  ): void {
    store.notice({
      kind,
      ...actorOf(approval.binding),
      text,
      wake: kind === 'exec-denied' || kind === 'exec-finished',
      contextKey: `exec:${approval.id}`,
      approvalId: approval.id,
      ...(sessionId === undefined ? {} : { sessionId }),
    });
  }

  function audit(
    { approval, remoteId }: NodeQuestion,
    event: 'asked' | 'answered' | 'extended' | 'denied',
    more: AuditDetails,
  ): void {
    const { by, ...details } = more;
    const { id, name } = approval.node;
    store.audit({
      event,
      ...actorOf(approval.binding),
      approvalId: approval.id,
      command: approval.binding.command,
      ...(by === undefined ? {} : { by }),
      details: { host: 'node', node: { id, name }, nodeApprovalId: remoteId, ...details },
    });
  }

  /** Answers of this process, by the id of their question: a node may name only people who gave one. */
  const sent = new Map<string, Pick<GivenAnswer, 'by' | 'decision'>[]>();

  /** A person at this gateway, whose answer the node repeats, or one on the node. */
  function personOf(
    { id, node }: NodeQuestion['approval'],
    { resolvedBy, decision }: ApprovalInfo,
  ): string | undefined {
    if (resolvedBy === undefined) return undefined;
    const name = plain(resolvedBy);
    const own = sent.get(id)?.find(({ by, decision: given }) => {
      const isSameAnswer = (given === 'deny') === (decision === 'deny');
      return isSameAnswer && plain(answeredBy(by, parts.gatewayId())) === name;
    });
    return own === undefined ? `${name} on node ${node.name}` : plain(own.by);
  }

  /** False if nothing changed. */
  function resolve(question: NodeQuestion, reported: ApprovalInfo): boolean {
    const { approval } = question;
    const { state, decision } = reported;
    if (state === 'pending') return false;
    const by = personOf(approval, reported);
    if (!questions.resolve(approval.id, { state, decision, resolvedBy: by })) return false;
    sent.delete(approval.id);
    if (decision === undefined) return true;
    audit(question, 'answered', { decision, by: by ?? '' });
    notify(question, 'approval-resolved', `Approval ${approval.slug}: ${decision} by ${by ?? 'no person'}`);
    return true;
  }

  /** False if its outcome is known already. */
  function deny(question: NodeQuestion, outcome: string): boolean {
    const { id, binding, node } = question.approval;
    if (!questions.finish(id, outcome)) return false;
    audit(question, 'denied', { reason: outcome });
    const text = deniedText({ host: 'node', node, approvalId: id, reason: outcome, command: binding.command });
    notify(question, 'exec-denied', text);
    return true;
  }

  return {
    requested: (added, also) =>
      changing(() => {
        also?.();
        const question = questions.add(added);
        if (question === undefined) return questions.ofNode(added.node.id, added.remoteId)!;
        const { approval } = question;
        audit(question, 'asked', { code: approval.judgement.code, reason: approval.judgement.reason });
        notify(question, 'approval-requested', requestedText(approval));
        return question;
      }),
    answering: ({ approval: { id } }, { by, decision }) => {
      const earlier = (sent.get(id) ?? []).filter((one) => one.by !== by || one.decision !== decision);
      sent.set(id, [...earlier, { by, decision }]);
    },
    apply(node, reported, seq) {
      let hasChanged = false;
      // A notice that changes nothing causes no separate write to disk: a node can send many.
      const current = database.soon(() => {
        if (seq !== undefined) questions.setCursor(node, seq);
        const { approval, remainingMs, answers } = reported;
        const question = questions.ofNode(node, approval.id);
        if (question === undefined) return undefined;
        const { id, state } = question.approval;
        const { outcome } = approval;
        if (state === 'pending' && isOpen(approval)) questions.stillPending(id, remainingMs, answers);
        else if (question.approval.decision === undefined) hasChanged = resolve(question, approval);
        if (outcome !== undefined && neverRan(approval)) hasChanged = deny(question, plain(outcome)) || hasChanged;
        return questions.get(id);
      });
      if (hasChanged) {
        database.flush();
        onNotice();
      }
      return current;
    },
    extended: (question, by) =>
      changing(() => {
        const { slug, expiresAt, node } = question.approval;
        const until = new Date(expiresAt).toISOString();
        audit(question, 'extended', { by, expiresAt: until });
        notify(question, 'approval-extended', `Approval ${slug} waits on node ${node.name} until ${until} (${by})`);
      }),
    stillPending: ({ approval: { id } }, { remainingMs, answers }) => questions.stillPending(id, remainingMs, answers),
    running: (question, sessionId, afterMs) =>
      changing(() => {
        const { id, binding, node } = question.approval;
        if (!questions.noticeRunning(id)) return;
        const { command } = binding;
        const text = runningText({ host: 'node', node, approvalId: id, sessionId, afterMs, command });
        notify(question, 'exec-running', text, sessionId);
      }),
    finished: (question, session) =>
      changing(() => {
        questions.setSession(question.approval.id, session.id);
        const text = finishedText(session);
        if (questions.finish(question.approval.id, text.split('\n', 1)[0] ?? ''))
          notify(question, 'exec-finished', text, session.id);
      }),
    lost: (question) =>
      changing(() => {
        const { id, binding, node, sessionId } = question.approval;
        const text = lostText({ host: 'node', node, approvalId: id, sessionId, command: binding.command });
        if (questions.finish(id, text.split('\n', 1)[0] ?? '')) notify(question, 'exec-finished', text, sessionId);
      }),
    cancelled: (question) =>
      changing(() => {
        questions.resolve(question.approval.id, { state: 'cancelled' });
        deny(question, 'approval-unavailable');
      }),
  };
}

type AuditDetails = Readonly<Record<string, string>> & { readonly by?: string };

/** `askFallback` of the node may still allow an expired request. */
function isOpen({ state, outcome }: ApprovalInfo): boolean {
  return state === 'pending' || (state === 'expired' && outcome === undefined);
}

function requestedText({ slug, binding, node }: NodeQuestion['approval']): string {
  const where =
    node.answers === 'none' ? `; answer it on the node with pincer approvals allow ${onNode(slug, node)}` : '';
  return `Approval required (${slug}, node=${node.name}${where}): ${maskSecrets(binding.command).text}`;
}

function onNode(slug: string, { approvalId }: NodeQuestion['approval']['node']): string {
  return approvalId ?? slug;
}
