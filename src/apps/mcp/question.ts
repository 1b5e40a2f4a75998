/** The question about a command, as a client puts it to a person: all that an answer would do, and nothing that fakes it. */
import { explainJudgement, shownText, shownWord } from '../../policy/explain.ts';
import type { ApprovalInfo, Decision } from '../../wire/approval.ts';
import type { AllowlistEntry } from '../../wire/policy.ts';

/** What is longer cannot be taken in at a glance; its question stays in the inbox. */
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
        readonly default: 'deny';
      };
    };
    readonly required: string[];
  };
}

/** Undefined for what cannot be shown whole. */
export function questionAbout(approval: ApprovalInfo): Question | undefined {
  const { command, env } = approval.binding;
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
          description: isStorable
            ? 'allow-once runs it now; allow-always also stores the rule shown above; deny does not run it'
            : 'allow-once runs it now; deny does not run it',
          enum: decisions,
          default: 'deny',
        },
      },
      required: ['decision'],
    },
  };
}

/** Every text that others chose stands on one line of its own, with all that cannot be seen shown. */
function messageAbout({ slug, binding, judgement, wouldStore }: ApprovalInfo): string {
  const { proposal: _, ...judged } = judgement;
  const files = binding.files.filter(({ path }) => binding.programs.every(({ real }) => real !== path));
  return [
    `An agent wants to run a command (approval ${slug}).`,
    '',
    `  command  ${shownText(binding.command)}`,
    `  folder   ${shownText(binding.cwd)}`,
    `  host     ${binding.host}${binding.pty ? ', in a terminal' : ''}`,
    `  agent    ${shownText(binding.agent)}`,
    ...Object.entries(binding.env).map(([name, value]) => `  env      ${shownText(name)}=${shownWord(value)}`),
    ...files.map(({ path }) => `  file     ${shownText(path)}`),
    '',
    explainJudgement(binding.command, judged).trimEnd(),
    '',
    ...(wouldStore.length === 0
      ? ['  allow-always: nothing can be stored for this command']
      : ['  allow-always would store:', ...wouldStore.map((entry) => `    ${ruleText(entry)}`)]),
  ].join('\n');
}

function ruleText(entry: AllowlistEntry): string {
  return shownText(JSON.stringify(entry));
}

/** What a person's answer means: undefined when none was given, or none of those that were offered. */
export function decisionOf(
  answer: { readonly action?: unknown; readonly content?: unknown },
  { decisions }: Pick<Question, 'decisions'>,
): Decision | undefined {
  if (answer.action === 'decline') return 'deny';
  if (answer.action !== 'accept' || typeof answer.content !== 'object' || answer.content === null) return undefined;
  const { decision } = answer.content as { readonly decision?: unknown };
  return decisions.find((offered) => offered === decision);
}
