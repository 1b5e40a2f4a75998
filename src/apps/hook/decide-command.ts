/**
 * Judges a command of the client's own shell as `exec` on host=gateway would be judged. That shell parses the text again:
 * its functions, aliases and PATH, and programs that are replaced between the answer and the run, are not visible here.
 * Only `exec` runs exactly what was judged.
 */
import { isAbsolute, resolve } from 'node:path';
import { execSettings } from '../../config/exec-settings.ts';
import { homeFolder, stateFolder } from '../../config/state.ts';
import { approvalsFileIn } from '../../hosts/gateway/approvals/approvals-file.ts';
import type { PolicyInputs } from '../../hosts/host.ts';
import { rulesOf } from '../../hosts/gateway/rules.ts';
import { createLookup, type LookupOptions } from '../../hosts/process/programs/which.ts';
import { allowedWithoutAnswer, decide } from '../../policy/decide.ts';
import { effectivePolicy } from '../../policy/effective.ts';
import { withVariables } from '../../policy/environment.ts';
import { shownText } from '../../policy/explain.ts';
import { withTerminal } from '../../policy/terminal.ts';
import type { ExecRequest } from '../../wire/exec.ts';
import type { Judgement, Lookup } from '../../wire/policy.ts';
import { askOrDeny, type DecisionContext, type Environment, type HookAnswer } from './client.ts';
import { judgeText } from './judge-text.ts';
import type { Subject } from './subject.ts';
import { forAgent, forOperator } from '../../policy/hint.ts';

/** A command with the parameters of its call. */
export interface JudgedCommand {
  readonly command: string;
  /** The folder of the command; undefined if the event does not contain it. */
  readonly cwd: string | undefined;
  /** Restrictions of the call. */
  readonly call?: Pick<ExecRequest, 'security' | 'ask'>;
  /** Variables of the call that are not known as harmless. */
  readonly unlisted?: readonly string[];
  readonly pty?: boolean;
}

export function decideCommand(
  { command, workdir, pty, asks }: Subject & { readonly does: 'run' },
  context: DecisionContext,
): HookAnswer {
  const { question } = context;
  const answer = answerFor({ command, cwd: resolve(question.cwd, workdir), pty }, policyOf(context), context);
  return asks === undefined || answer.decision !== 'allow' ? answer : askOrDeny(`pincer: ${asks}`, question);
}

/** The policy inputs for the agent: configuration and approvals file. */
export function policyOf({ agent, env, loaded }: DecisionContext): PolicyInputs {
  const home = homeFolder(env);
  const settings = execSettings(loaded, agent, home);
  return { settings, approvals: approvalsFileIn(stateFolder(env), { home }).rulesFor(agent), conversation: {} };
}

/** The answer for a command that would run on this machine, without a sandbox of pincer. */
export function answerFor(judged: JudgedCommand, inputs: PolicyInputs, { question, env }: DecisionContext): HookAnswer {
  const { settings, approvals } = inputs;
  if (!settings.execAllowed)
    return { decision: 'deny', reason: 'pincer: the configuration does not let this agent run commands' };
  if (approvals.broken !== undefined)
    return {
      decision: 'deny',
      reason: `pincer: exec-approvals.json is not used, so everything is denied: ${shownText(approvals.broken)}`,
    };
  const call = { ...judged.call, host: 'gateway' as const };
  const effective = effectivePolicy({ config: settings, conversation: {}, call, approvals });
  const judgement = decide(effective, judge(judged, inputs, env, question.project));
  const reason = reasonOf(judgement);
  if (judgement.verdict !== 'ask') return { decision: judgement.verdict, reason };
  const { unattended } = question;
  if (unattended === undefined) return { decision: 'ask', reason };
  const isAllowed = allowedWithoutAnswer(effective.askFallback, judgement);
  return {
    decision: isAllowed ? 'allow' : 'deny',
    reason: `${reason}; ${unattended}, and askFallback is ${effective.askFallback}`,
  };
}

function judge(
  { command, cwd, unlisted = [], pty = false }: JudgedCommand,
  inputs: PolicyInputs,
  env: Environment,
  workspace: string,
): Judgement {
  const rules = rulesOf(inputs);
  const { PATH: path = '' } = env;
  const text = judgeText(command, rules, lookupIn({ path, env, workspace, cwd: cwd ?? NO_FOLDER }), cwd ?? NO_FOLDER);
  const judgement = withVariables(text, unlisted, rules.deny.length > 0);
  if (judgement.verdict !== 'allow') return judgement;
  if (hasRelativeFolder(path)) return refused(judgement, RELATIVE_PATH);
  if (!pty) return judgement;
  return judgement.plan === undefined
    ? refused(judgement, CHAIN_IN_TERMINAL)
    : withTerminal(judgement, rules, cwd ?? NO_FOLDER, true);
}

/** A folder that cannot exist: lookups in it find nothing, and no rule for a folder matches it. */
const NO_FOLDER = '/dev/null/unknown';

function lookupIn(options: LookupOptions): Lookup {
  const lookup = createLookup(options);
  if (options.cwd !== NO_FOLDER) return lookup;
  const facts = { settings: [], hooks: [], unreadable: 'the folder is unknown without an absolute workdir' };
  return { ...lookup, repositoryAt: () => facts };
}

/** Relative folders in PATH start at the current directory, where the agent can write. */
function hasRelativeFolder(path: string): boolean {
  return path.split(':').some((folder) => !isAbsolute(folder));
}

type Refusal = Required<Pick<Judgement, 'code' | 'reason' | 'hint' | 'hintFor'>>;

const RELATIVE_PATH: Refusal = {
  code: 'relative-path',
  reason: 'PATH contains a relative folder, so a name may resolve to a program in the current directory',
  ...forOperator('remove relative folders from PATH'),
};
const CHAIN_IN_TERMINAL: Refusal = {
  code: 'interactive',
  reason: 'a chain of commands with a terminal accepts any typed input',
  ...forAgent('run it without pty, or one command at a time'),
};

function refused(judgement: Judgement, refusal: Refusal): Judgement {
  const { plan: _, ...rest } = judgement;
  return { ...rest, ...refusal, verdict: 'deny', explicit: true };
}

/** The text of `pincer policy explain`, on one line. */
function reasonOf({ code, reason, hint }: Judgement): string {
  const advice = hint === undefined ? '' : `; to pass: ${shownText(hint)}`;
  return `pincer: ${code}: ${shownText(reason)}${advice}`;
}
