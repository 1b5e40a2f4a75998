/**
 * A command that the client runs itself, judged as `exec` on host=gateway would be. The client's shell reads the text again:
 * functions and aliases of that shell, another PATH in it, and programs that are exchanged between the answer and the run are
 * out of sight. Only `exec` runs what it judged.
 */
import { isAbsolute, resolve } from 'node:path';
import { execSettings } from '../../config/exec.ts';
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
import { asked, type HookAnswer } from './client.ts';
import { judgeText } from './judge-text.ts';
import type { Environment, Setting } from './setting.ts';
import type { Subject } from './subject.ts';

/** A command with what its call brings along. */
export interface JudgedCommand {
  readonly command: string;
  /** The folder that it runs in; undefined where the hook is not told. */
  readonly cwd: string | undefined;
  /** What the call itself asks for. */
  readonly call?: Pick<ExecRequest, 'security' | 'ask'>;
  /** Variables of the call that are not known to be harmless. */
  readonly unlisted?: readonly string[];
  readonly pty?: boolean;
}

/** The answer for a command of the client's own shell. */
export function decideCommand(
  { command, workdir, pty, asks }: Subject & { readonly does: 'run' },
  setting: Setting,
): HookAnswer {
  const { question } = setting;
  const answer = answerFor({ command, cwd: resolve(question.cwd, workdir), pty }, policyOf(setting), setting);
  return asks === undefined || answer.decision !== 'allow' ? answer : asked(`pincer: ${asks}`, question);
}

/** What the operator and the approvals file say about the agent. */
export function policyOf({ agent, env, loaded }: Setting): PolicyInputs {
  const home = homeFolder(env);
  const settings = execSettings(loaded, agent, home);
  return { settings, approvals: approvalsFileIn(stateFolder(env), { home }).rulesFor(agent), conversation: {} };
}

/** The answer for a command that would run on this machine, without a sandbox of ours around it. */
export function answerFor(judged: JudgedCommand, said: PolicyInputs, { question, env }: Setting): HookAnswer {
  const { settings, approvals } = said;
  if (!settings.execAllowed)
    return { decision: 'deny', reason: 'pincer: the configuration does not let this agent run commands' };
  if (approvals.broken !== undefined)
    return {
      decision: 'deny',
      reason: `pincer: exec-approvals.json is invalid, so everything is denied: ${shownText(approvals.broken)}`,
    };
  const call = { ...judged.call, host: 'gateway' as const };
  const effective = effectivePolicy({ config: settings, conversation: {}, call, approvals });
  const judgement = decide(effective, judge(judged, said, env, question.project));
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
  said: PolicyInputs,
  env: Environment,
  workspace: string,
): Judgement {
  const rules = rulesOf(said);
  const { PATH: path = '' } = env;
  const text = judgeText(command, rules, lookupIn({ path, env, workspace, cwd: cwd ?? NO_FOLDER }), cwd ?? NO_FOLDER);
  const judgement = withVariables(text, unlisted, rules.deny.length > 0);
  if (judgement.verdict !== 'allow') return judgement;
  if (hijackable(path)) return doubted(judgement, IN_PATH);
  if (!pty) return judgement;
  return judgement.plan === undefined ? doubted(judgement, IN_TERMINAL) : withTerminal(judgement, rules);
}

/** No file can be in it: what depends on the folder is not found, and no rule for a folder is about it. */
const NO_FOLDER = '/dev/null/unknown';

function lookupIn(options: LookupOptions): Lookup {
  const lookup = createLookup(options);
  if (options.cwd !== NO_FOLDER) return lookup;
  const facts = { settings: [], hooks: [], unreadable: 'the folder is not known without an absolute workdir' };
  return { ...lookup, repositoryAt: () => facts };
}

/** Relative folders in PATH are searched from the working folder, where the agent writes. */
function hijackable(path: string): boolean {
  return path.split(':').some((folder) => !isAbsolute(folder));
}

type Doubt = Required<Pick<Judgement, 'code' | 'reason' | 'hint'>>;

const IN_PATH: Doubt = {
  code: 'relative-path',
  reason: 'PATH holds a relative folder, so names may mean programs of the working folder',
  hint: 'leave such folders out of PATH',
};
const IN_TERMINAL: Doubt = {
  code: 'interactive',
  reason: 'a chain of commands with a terminal takes whatever is typed into it',
  hint: 'run it without pty, or one command at a time',
};

function doubted(judgement: Judgement, doubt: Doubt): Judgement {
  const { plan: _, ...rest } = judgement;
  return { ...rest, ...doubt, verdict: 'deny', explicit: true };
}

/** The words of `pincer policy explain`, on one line. */
function reasonOf({ code, reason, hint }: Judgement): string {
  const advice = hint === undefined ? '' : `; to pass: ${shownText(hint)}`;
  return `pincer: ${code}: ${shownText(reason)}${advice}`;
}
