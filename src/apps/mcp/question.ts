/** The approval question that a client shows to a person: it contains all effects of an answer, and cannot be spoofed. */
import { shownEntry, shownText, shownWord } from '../../policy/explain.ts';
import { actorText } from '../../wire/actor.ts';
import type { ApprovalInfo, Decision } from '../../wire/approval.ts';
import { isKeepOffered } from '../../wire/questions/keep-offer.ts';
import { namedRisk } from '../../wire/questions/risk-order.ts';

/** A longer command cannot be reviewed in a form; its approval request stays pending. */
const LONGEST_COMMAND = 4_000;
const LONGEST_VALUE = 1_000;
const LONGEST_MESSAGE = 20_000;

export interface Question {
  readonly message: string;
  readonly decisions: readonly Decision[];
  readonly requestedSchema: {
    readonly type: 'object';
    readonly properties: {
      readonly decision: {
        readonly type: 'string';
        readonly title: string;
        readonly description: string;
        readonly enum: Decision[];
      };
      readonly reason: { readonly type: 'string'; readonly title: string; readonly description: string };
    };
    readonly required: string[];
  };
}

/** Undefined if the command cannot be shown completely, or its node accepts no answers from here. */
export function questionAbout(approval: ApprovalInfo): Question | undefined {
  const { command, env } = approval.binding;
  if (approval.node?.answers === 'none') return undefined;
  if (command.length > LONGEST_COMMAND) return undefined;
  if (Object.values(env).some((value) => value.length > LONGEST_VALUE)) return undefined;
  const message = messageAbout(approval);
  if (message.length > LONGEST_MESSAGE) return undefined;
  const isStorable = approval.wouldStore.length > 0;
  const decisions: Decision[] = isStorable ? ['allow-once', 'allow-always', 'deny'] : ['allow-once', 'deny'];
  return {
    message,
    decisions,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          description: isStorable ? 'allow-always also stores the rule above' : 'run the command once, or deny it',
          // No default: a person who only presses Accept has not decided.
          enum: decisions,
        },
        reason: { type: 'string', title: 'Reason', description: 'for a denial: explanation for the agent' },
      },
      required: ['decision'],
    },
  };
}

/** Untrusted texts are on separate lines, with invisible characters shown; the command appears once. */
function messageAbout(approval: ApprovalInfo): string {
  const { slug, binding, judgement, wouldStore, node, waiting, differs } = approval;
  const risk = namedRisk(judgement);
  const { programs, host, pty, pathPrepend = [] } = binding;
  const files = binding.files.filter(({ path }) => programs.every(({ real }) => real !== path));
  return [
    `Run this command? (approval ${slug})`,
    ...(differs === undefined
      ? []
      : [
          '',
          `  only ${shownWord(differs.word)} differs from the command before, which had ${shownWord(differs.before)}`,
        ]),
    '',
    `  ${shownText(binding.command)}`,
    '',
    ...(risk === undefined ? [] : [`  risk     ${risk}`]),
    `  why      ${shownText(judgement.reason)}`,
    `  folder   ${shownText(binding.cwd)}`,
    `  on       ${host}${node === undefined ? '' : ` ${shownText(node.name)}`}${pty ? ', in a terminal' : ''}, for ${shownText(actorText(binding))}`,
    ...[...new Set(programs.map(({ real }) => real))].map((real) => `  program  ${shownText(real)}`),
    ...pathPrepend.map((folder) => `  path     ${shownText(folder)} is before PATH`),
    ...Object.entries(binding.env).map(([name, value]) => `  env      ${shownText(name)}=${shownWord(value)}`),
    ...files.map(({ path }) => `  file     ${shownText(path)}`),
    ...(waiting === undefined ? [] : [`  waiting  ${waiting} calls, each runs once after the answer`]),
    ...wouldStore.map((entry) => `  always   ${shownEntry(entry)}`),
    ...(isKeepOffered(approval)
      ? [`  before   allowed once ${approval.allowedBefore} times; allow-always ends these questions`]
      : []),
  ].join('\n');
}

export interface PersonAnswer {
  readonly decision: Decision;
  /** The person's explanation of a denial. */
  readonly reason?: string;
}

/** Undefined without an answer, or if the answer is not one of the offered decisions. */
export function answerOf(
  answer: { readonly action?: unknown; readonly content?: unknown },
  { decisions }: Pick<Question, 'decisions'>,
): PersonAnswer | undefined {
  const content = typeof answer.content === 'object' && answer.content !== null ? answer.content : {};
  const { decision, reason } = content as { readonly decision?: unknown; readonly reason?: unknown };
  const why = typeof reason === 'string' && reason.trim() !== '' ? { reason } : {};
  if (answer.action === 'decline') return { decision: 'deny', ...why };
  const chosen = answer.action === 'accept' ? decisions.find((offered) => offered === decision) : undefined;
  return chosen === undefined ? undefined : { decision: chosen, ...(chosen === 'deny' ? why : {}) };
}
