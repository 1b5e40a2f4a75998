/** Requests that are denied without asking: what a person has just denied, and what one agent would ask too often. */
import { maskSecrets } from '../../../text/secrets/mask.ts';
import { actorOf } from '../../../wire/actor.ts';
import type { ApprovalBinding } from '../../../wire/approval.ts';
import type { DenialReason, ExecOutcome } from '../../../wire/exec.ts';
import { tooMuchOpen } from '../../approvals/approval-rows.ts';
import type { ApprovalStore } from '../../approvals/shape.ts';
import type { Prepared } from '../prepare.ts';
import { askedAs } from '../start-session.ts';
import { deniedOutcome } from './approval-outcome.ts';

/** How long a denial holds in its conversation, and the period of `approvals.maxNew`. */
export const LATELY_MS = 600_000;

export interface QuestionLimitsParts {
  readonly store: Pick<ApprovalStore, 'open' | 'joins' | 'asked' | 'deniedSince' | 'audit' | 'notice' | 'noticedSince'>;
  readonly now: () => number;
  /** Open questions of the agent on nodes. */
  readonly openOnNodes: (agent: string) => number;
  /** Called after new notices were stored. */
  readonly onNotice: () => void;
}

export interface QuestionLimits {
  /** The outcome of a request that no person is asked about; undefined where one is. */
  refused(prepared: Prepared, binding: ApprovalBinding): ExecOutcome | undefined;
}

interface Refusal {
  readonly reason: DenialReason;
  readonly message: string;
  readonly hint: string;
  readonly details?: Readonly<Record<string, number>>;
}

const WAIT = 'wait until a person has answered some of them (pincer approvals list), or until they expire';

export function questionLimits({ store, now, openOnNodes, onNotice }: QuestionLimitsParts): QuestionLimits {
  /** A person has denied it, and asking again would only tire them. */
  function deniedLately(binding: ApprovalBinding): Refusal | undefined {
    const denied = store.deniedSince(binding, now() - LATELY_MS);
    if (denied === undefined) return undefined;
    const until = new Date(denied.at + LATELY_MS).toISOString();
    return {
      reason: 'denied-lately',
      message: `the command was not run: a person denied it at ${new Date(denied.at).toISOString()}${saidText(denied.said)}`,
      hint: `do it another way, or leave it; no person is asked about it again before ${until}`,
    };
  }

  function tooManyCalls(agent: string): Refusal | undefined {
    const open = store.open(agent);
    const much = tooMuchOpen(open);
    if (much === undefined) return undefined;
    return {
      reason: 'approval-unavailable',
      message: `the command was not run: it needs an approval, and agent ${agent} already has ${much} pending approval requests`,
      hint: WAIT,
      details: { openQuestions: open.number },
    };
  }

  function tooManyQuestions({ context, settings: { questions } }: Prepared): Refusal | undefined {
    const { agent } = context.caller;
    const { open: here, recent } = store.asked(agent, now() - LATELY_MS);
    const open = here + openOnNodes(agent);
    const isFull = open >= questions.maxOpen;
    if (!isFull && recent < questions.maxNew) return undefined;
    const what = isFull
      ? `${counted(open, 'open approval request')} (approvals.maxOpen is ${questions.maxOpen})`
      : `asked ${counted(recent, 'time')} in 10 minutes (approvals.maxNew is ${questions.maxNew})`;
    return {
      reason: 'question-budget',
      message: `the command was not run: it needs an approval, and agent ${agent} has ${what}`,
      hint: isFull ? WAIT : 'use commands that the rules allow, or try again later; ask the operator for a rule',
      details: { openQuestions: open, newQuestions: recent },
    };
  }

  /** One notice in 10 minutes, also across a restart: an agent must not fill the list of notices instead. */
  function tellOperator({ context, request }: Prepared, { message }: Refusal): void {
    const { agent } = context.caller;
    const contextKey = `question-budget:${agent}`;
    if (store.noticedSince(contextKey, now() - LATELY_MS)) return;
    store.notice({
      kind: 'question-budget',
      ...actorOf(context.caller),
      text: `${message}; further commands that need approval are denied. First of them: ${maskSecrets(request.command).text}`,
      wake: false,
      contextKey,
    });
    onNotice();
  }

  return {
    refused(prepared, binding) {
      const { request, context, judgement, warnings } = prepared;
      if (judgement === undefined) return undefined;
      const { agent } = context.caller;
      const joins = (): boolean => store.joins({ binding, judgement });
      const refusal =
        deniedLately(binding) ?? tooManyCalls(agent) ?? (joins() ? undefined : tooManyQuestions(prepared));
      if (refusal === undefined) return undefined;
      const { reason, message, hint, details = {} } = refusal;
      store.audit({
        event: 'denied',
        ...actorOf(context.caller),
        command: request.command,
        details: { reason, ...details, ...askedAs(prepared) },
      });
      if (reason === 'question-budget') tellOperator(prepared, refusal);
      return { status: 'denied', reason, message, hint, judgement, warnings };
    },
  };
}

function saidText(said: string | undefined): string {
  return said === undefined ? '' : ` (${deniedOutcome(said)})`;
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
