/** From a call of Claude Code's Bash to allow, ask or deny: the files of configuration and of rules, read in this process. */
import { isAbsolute, join } from 'node:path';
import { execSettings } from '../../config/exec.ts';
import { loadConfig } from '../../config/load.ts';
import { homeFolder, stateFolder } from '../../config/state.ts';
import { openApprovalsFile } from '../../hosts/approvals/file.ts';
import { createLookup } from '../../hosts/process/which.ts';
import { allowedWithoutAnswer, decide } from '../../policy/decide.ts';
import { effectivePolicy } from '../../policy/effective.ts';
import { shownText } from '../../policy/explain.ts';
import { checkRules } from '../../policy/rules-check.ts';
import type { Judgement } from '../../wire/policy.ts';
import type { BashCall, HookAnswer } from './claude-code.ts';
import { judgeText } from './judge-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Judges a call for an agent. */
export async function decideBash(call: BashCall, agent: string, env: Environment = process.env): Promise<HookAnswer> {
  const { command, cwd, mode } = call;
  const home = homeFolder(env);
  const settings = execSettings(await loadConfig({ folder: projectOf(call, env), env }), agent, home);
  if (!settings.execAllowed)
    return { decision: 'deny', reason: 'pincer: the configuration does not let this agent run commands' };
  const file = openApprovalsFile({ path: join(stateFolder(env), 'exec-approvals.json'), checkRules, home });
  const approvals = file.rulesFor(agent);
  if (approvals.broken !== undefined)
    return {
      decision: 'deny',
      reason: `pincer: the file exec-approvals.json is not used, and everything is denied: ${shownText(approvals.broken)}`,
    };
  // The command will run on this machine, without a sandbox of ours around it.
  const effective = effectivePolicy({ config: settings, conversation: {}, call: { host: 'gateway' }, approvals });
  const path = env['PATH'] ?? '';
  const rules = {
    allowlist: approvals.allowlist,
    deny: [...approvals.deny, ...settings.denyRules],
    safeBins: settings.safeBins,
    safeBinProfiles: settings.safeBinProfiles,
    safeBinTrustedDirs: settings.safeBinTrustedDirs,
    strictInlineEval: settings.strictInlineEval,
  };
  const judged = judgeText(command, rules, createLookup({ path, cwd }), cwd);
  const judgement = decide(effective, hijackable(path) ? doubted(judged) : judged);
  const reason = reasonOf(judgement);
  if (judgement.verdict !== 'ask') return { decision: judgement.verdict, reason };
  const nobody = whyNobodyIsAsked(mode, settings.headless);
  if (nobody === undefined) return { decision: 'ask', reason };
  const isAllowed = allowedWithoutAnswer(effective.askFallback, judgement);
  return {
    decision: isAllowed ? 'allow' : 'deny',
    reason: `${reason}; ${nobody}, and askFallback is ${effective.askFallback}`,
  };
}

/**
 * The folder whose configuration holds: that of the project, as Claude Code says it, because the agent chooses the working
 * folder and could leave a project whose file tightens the rules.
 */
function projectOf({ cwd }: BashCall, env: Environment): string {
  const project = env['CLAUDE_PROJECT_DIR'];
  return project !== undefined && isAbsolute(project) ? project : cwd;
}

/** Relative folders in PATH are searched from the working folder, where the agent writes. */
function hijackable(path: string): boolean {
  return path.split(':').some((folder) => !isAbsolute(folder));
}

function doubted(judgement: Judgement): Judgement {
  if (judgement.verdict !== 'allow') return judgement;
  const { plan: _, ...rest } = judgement;
  return {
    ...rest,
    verdict: 'deny',
    code: 'relative-path',
    reason: 'PATH holds a relative folder, so names may mean programs of the working folder',
    hint: 'leave such folders out of PATH',
    explicit: true,
  };
}

/** Modes in which a question of a hook reaches a person. In others Claude Code has been seen to answer it with yes. */
const ASKING = new Set(['default', 'acceptEdits', 'plan']);

function whyNobodyIsAsked(mode: string | undefined, headless: boolean): string | undefined {
  if (headless) return 'approvals.headless says that nobody is asked';
  if (mode === undefined || ASKING.has(mode)) return undefined;
  return `nobody is asked in the permission mode ${shownText(mode)}`;
}

/** The words of `pincer policy explain`, on one line. */
function reasonOf({ code, reason, hint }: Judgement): string {
  const advice = hint === undefined ? '' : `; to pass: ${shownText(hint)}`;
  return `pincer: ${code}: ${shownText(reason)}${advice}`;
}
