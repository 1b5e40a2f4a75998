/** Computes the rule for a command, proves by a judgement that it would have an effect, and stores it. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { homeFolder, stateFolder } from '../../../config/state.ts';
import { approvalsFileIn } from '../../../hosts/gateway/approvals/approvals-file.ts';
import { createLookup } from '../../../hosts/process/programs/which.ts';
import { workspaceFor } from '../../../hosts/process/programs/workspace.ts';
import { chooseShell, isBash } from '../../../hosts/process/programs/shell.ts';
import { judge } from '../../../policy/judge.ts';
import { type CommandRule, type NoRule, ruleForCommand } from '../../../policy/rules/rule-for-command.ts';
import type { AllowlistEntry, Judgement, RuleHost } from '../../../wire/policy.ts';
import { CALL_CLASSES } from '../../../wire/profile.ts';
import { explanationOf } from '../policy/explanation.ts';
import { type RulesInForce, rulesInForce } from '../policy/rules.ts';
import { type Described, pathText } from './describe.ts';

export interface RulePlan {
  readonly entry: AllowlistEntry;
  /** Absent for a rule about a folder. */
  readonly rule?: CommandRule;
  readonly described: Described;
  readonly folder: string;
  readonly inForce: RulesInForce;
  /** Why the command needs no rule. */
  readonly isAllowed?: string;
}

interface PlanOptions {
  readonly folder: string;
  readonly below: string;
  readonly agent: string;
  readonly isUnbound: boolean;
}

export async function planRule(said: string, options: PlanOptions): Promise<RulePlan | NoRule> {
  const { folder, below, agent, isUnbound } = options;
  const home = homeFolder();
  const inForce = await rulesInForce(folder, agent);
  const shared = { described: { agent, home, workspace: folder }, folder, inForce };
  if (inForce.broken !== undefined)
    return {
      refused: `exec-approvals.json is not used: ${inForce.broken}`,
      hint: 'fix the file first; pincer approvals get shows it',
    };
  const access = accessRule(said, home);
  if (access !== undefined) return 'refused' in access ? access : { ...shared, entry: access };
  const lookup = lookupFor(inForce, folder);
  const root = lookup.realPath(below);
  if (root === undefined)
    return { refused: `there is no folder ${below}`, hint: 'name an existing folder with --below' };
  const rule = ruleForCommand(said, { cwd: folder, below: root, lookup, isUnbound });
  if ('refused' in rule) return rule;
  const missing = missingScript(rule, home);
  if (missing !== undefined) return missing;
  const plain = judged(rule.example, inForce, folder);
  const plan = { ...shared, ...withClass(rule, plain) };
  if (plain.verdict === 'allow') return { ...plan, isAllowed: plain.reason };
  const next = judged(rule.example, withEntry(inForce, plan.entry), folder);
  if (next.verdict === 'allow' || asksForShapes(rule, next)) return plan;
  return {
    refused: `a rule for ${rule.example} would have no effect: ${next.reason}`,
    hint: next.hint ?? 'see pincer policy explain',
  };
}

/** `read DIR` and `write DIR`. */
function accessRule(said: string, home: string): AllowlistEntry | NoRule | undefined {
  const [, access, name = ''] = /^\s*(read|write)\s+([~/.]\S*)\s*$/u.exec(said) ?? [];
  if (access !== 'read' && access !== 'write') return undefined;
  const path = resolve(name === '~' || name.startsWith('~/') ? home + name.slice(1) : name);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    return { refused: `${path} is not a folder`, hint: 'name an existing folder' };
  if (/[*?]/u.test(path)) return { refused: `the path ${path} has wildcards`, hint: 'name a folder without * and ?' };
  if (access === 'write')
    return {
      refused:
        'commands write only files of the workspace without asking, so a rule for another folder would have no effect',
      hint: "keep the command itself: pincer allow 'cp report.txt /srv/out/'",
    };
  return { pattern: path, access, said: said.trim() };
}

/** A script of package.json that does not exist. */
function missingScript({ obeyed, example }: CommandRule, home: string): NoRule | undefined {
  const [text] = obeyed?.kind === 'package-scripts' ? obeyed.texts : [];
  if (text?.sha256 !== 'absent') return undefined;
  const name = text.at?.split('/').at(-1) ?? '';
  return {
    refused: `${pathText(text.file, home)} has no script ${name}, which ${example} would run`,
    hint: 'add the script first',
  };
}

/** The judgement about a command in a folder, as the gateway makes it. */
export function judged(command: string, inForce: RulesInForce, folder: string): Judgement {
  const lookup = lookupFor(inForce, folder);
  const shell = chooseShell(process.env['SHELL'], lookup, inForce.deny.length > 0);
  return judge(command, inForce, lookup, folder, undefined, isBash(shell));
}

/** What the profile of the program says about the command, where no text that it runs says more. */
function withClass(
  rule: CommandRule,
  { risk }: Judgement,
): { readonly rule: CommandRule; readonly entry: AllowlistEntry } {
  const known = CALL_CLASSES.find((one) => one === risk);
  // A path alone stands for all classes that its profile allows by path.
  if (known === undefined || rule.entry.class !== undefined || rule.entry.words === undefined)
    return { rule, entry: rule.entry };
  const entry = { ...rule.entry, class: known };
  return { rule: { ...rule, entry }, entry };
}

/** A rule for a program without a profile, which asks once for each form of its arguments. */
function asksForShapes({ entry }: CommandRule, { code }: Judgement): boolean {
  return entry.words === undefined && code === 'unprofiled';
}

function lookupFor({ path }: RulesInForce, folder: string): ReturnType<typeof createLookup> {
  return createLookup({ path, cwd: folder, workspace: workspaceFor(folder, folder) });
}

function withEntry(inForce: RulesInForce, entry: AllowlistEntry): RulesInForce {
  return { ...inForce, allowlist: [...inForce.allowlist, entry] };
}

interface StoreOptions {
  readonly where: RuleHost;
  readonly by: string;
  readonly at: number;
  readonly expiresAt?: number;
}

export interface Stored {
  readonly agent: string;
  readonly stored: AllowlistEntry;
  /** What the rules now say about the command; absent for a rule about a folder. */
  readonly judgement?: Judgement;
  /** Why the rule has no effect yet. */
  readonly remark?: string;
}

export async function storeRule(plan: RulePlan, { where, by, at, expiresAt }: StoreOptions): Promise<Stored | NoRule> {
  const { entry, described, rule, folder } = plan;
  const { agent } = described;
  const complete = {
    ...entry,
    ...(entry.access === undefined ? { where } : {}),
    at,
    by,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  const file = approvalsFileIn(stateFolder(), { home: homeFolder() });
  const [stored = complete] = file.add(agent, [complete]);
  if (rule === undefined) return { agent, stored };
  // Judged again with what is stored now.
  const inForce = await rulesInForce(folder, agent === '*' ? undefined : agent);
  const judgement = judged(rule.example, inForce, folder);
  const isInEffect =
    asksForShapes(rule, judgement) ||
    (where === 'sandbox' ? judgement.allowedIn === 'sandbox' : judgement.verdict === 'allow');
  if (!isInEffect) {
    if (stored.id !== undefined) file.remove(agent, stored.id);
    return {
      refused: `the rule had no effect and was removed: ${judgement.reason}`,
      hint: judgement.hint ?? 'see pincer policy explain',
    };
  }
  const { answer, onGateway } = explanationOf(inForce, judgement);
  const remark =
    onGateway !== undefined
      ? 'commands are not judged now, so the rule has no effect yet: pincer init --posture judged'
      : answer.verdict === 'allow' || judgement.allowedIn !== undefined
        ? undefined
        : answer.reason;
  return { agent, stored, judgement, ...(remark === undefined ? {} : { remark }) };
}
