/** Lets approval requests on nodes wait longer: the node decides, as about an answer. */
import type { ApprovalInfo, ExtendAnswer } from '../../../wire/approval.ts';
import type { NodeExtension, NodeQuestion as ReportedQuestion } from '../../../wire/nodes/questions.ts';
import { alreadyResolved, expired } from '../../approvals/answer-refusals.ts';
import { inTime } from '../../nodes/in-time.ts';
import type { NodeLinks } from '../../nodes/node-links.ts';
import type { NodeQuestion, NodeQuestions } from '../../approvals/node-questions.ts';
import type { QuestionReports } from './question-reports.ts';
import {
  ANSWER_MS,
  type AnsweredQuestion,
  type AnswerWaits,
  concludedSoon,
  isUnknown,
  LONGEST_NAME,
  offline,
  otherQuestion,
  refusedByNode,
  withNodeName,
} from './send-answer.ts';

interface Extension {
  readonly byMs: number;
  readonly by: string;
}

export interface NodeExtensions {
  /** Lets a pending request wait longer, where its node allows that. */
  extend(question: NodeQuestion, extension: Extension): Promise<ExtendAnswer>;
  /** As `extend`, for a request of another gateway. Undefined where the node is not connected. */
  extendOther(approval: ApprovalInfo, extension: Extension): Promise<ExtendAnswer | undefined>;
}

interface NodeExtensionsParts {
  readonly links: Pick<NodeLinks, 'current'>;
  readonly waits: AnswerWaits;
  readonly questions: Pick<NodeQuestions, 'get'>;
  readonly reports: Pick<QuestionReports, 'cancelled' | 'extended'>;
  readonly now: () => number;
  /** Takes over what the node reports. */
  conclude(node: string, reported: ReportedQuestion): Promise<unknown>;
}

export function nodeExtensions(parts: NodeExtensionsParts): NodeExtensions {
  const { links, waits, questions, reports, now } = parts;
  return {
    async extend(question, extension) {
      const { id, node, state } = question.approval;
      if (state === 'expired') return expired(question.approval);
      if (state !== 'pending') return alreadyResolved(question.approval);
      const answered = await sendExtension(links, question, extension, waits).catch((error: unknown) => {
        if (isUnknown(error)) reports.cancelled(question);
        throw error;
      });
      if (answered.question !== undefined) await concludedSoon(parts.conclude(node.id, answered.question));
      const current = questions.get(id) ?? question;
      if (answered.ok) reports.extended(current, extension.by);
      return extendAnswerOf(answered, current.approval, node);
    },
    async extendOther(approval, extension) {
      const question = otherQuestion(links, approval);
      if (question === undefined) return undefined;
      const answered = await sendExtension(links, question, extension, waits);
      const { remainingMs } = answered.question ?? {};
      const expiresAt = remainingMs === undefined ? approval.expiresAt : Math.trunc(now()) + remainingMs;
      return extendAnswerOf(answered, { ...approval, expiresAt }, question.approval.node);
    },
  };
}

/** Sent once: a repetition after a broken link could extend it twice. */
async function sendExtension(
  links: Pick<NodeLinks, 'current'>,
  question: AnsweredQuestion,
  { byMs, by }: Extension,
  { answerMs = ANSWER_MS }: AnswerWaits,
): Promise<NodeExtension> {
  const link = links.current(question.approval.node.id);
  if (link === undefined) throw offline(question);
  const params = { id: question.remoteId, byMs, by: by.slice(0, LONGEST_NAME) };
  try {
    return (await inTime(link, link.channel.call('approval.extend', params), answerMs)) as NodeExtension;
  } catch (error) {
    throw link.channel.lost === undefined ? withNodeName(error, question) : offline(question);
  }
}

/** For the person: `copy` is the request of this gateway after the extension. */
function extendAnswerOf(answered: NodeExtension, copy: ApprovalInfo, node: { readonly name: string }): ExtendAnswer {
  if (answered.ok) return { ok: true, approval: copy };
  return refusedByNode(answered, copy, node);
}
