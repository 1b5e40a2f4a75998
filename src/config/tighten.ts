/**
 * What a project's file may say: a cloned repository is not the operator, so its file may only make rules stricter. Every
 * member is named here with what "stricter" means for it; a member that is not named has no effect.
 */
import { DEFAULT_SAFE_BINS } from './defaults.ts';
import { asks, securities } from './strictness.ts';
import type { ConfigFile, ExecConfig, ToolsConfig } from './schema.ts';

/** The part of a project's file that has effect, laid over what the operator said already. */
export function tightenedOnly(operator: ConfigFile, project: ConfigFile, path: string, warnings: string[]): ConfigFile {
  const refuse = (at: string) =>
    warnings.push(`${path} says ${at}, which a project's file may not loosen; it has no effect`);
  const { tools, agents, commands, approvals, $schema: _, ...rest } = project;
  for (const name of Object.keys(rest)) refuse(name);
  if (agents?.defaults !== undefined) refuse('agents.defaults');
  if (approvals !== undefined) refuse('approvals');
  if (commands?.allowFrom !== undefined) refuse('commands.allowFrom');
  if (commands?.useAccessGroups === false) refuse('commands.useAccessGroups');
  const list = (agents?.list ?? []).map((entry) => {
    const known = operator.agents?.list?.find(({ id }) => id === entry.id)?.tools;
    const inherited = { ...operator.tools, ...known, exec: { ...operator.tools?.exec, ...known?.exec } };
    return {
      ...entry,
      ...(entry.tools === undefined
        ? {}
        : { tools: tightTools(inherited, entry.tools, `agents.list.${entry.id}.tools`, refuse) }),
    };
  });
  return {
    ...(tools === undefined ? {} : { tools: tightTools(operator.tools ?? {}, tools, 'tools', refuse) }),
    ...(list.length === 0 ? {} : { agents: { list } }),
    ...(commands?.useAccessGroups === true ? { commands: { useAccessGroups: true } } : {}),
  };
}

type Refuse = (at: string) => void;

function tightTools(operator: ToolsConfig, project: ToolsConfig, at: string, refuse: Refuse): ToolsConfig {
  const { allow, deny, fs, exec, elevated } = project;
  if (elevated?.allowFrom !== undefined || elevated?.enabled === true) refuse(`${at}.elevated`);
  if (fs?.workspaceOnly === false) refuse(`${at}.fs.workspaceOnly`);
  return {
    ...(allow === undefined
      ? {}
      : { allow: operator.allow === undefined ? allow : allow.filter((name) => operator.allow?.includes(name)) }),
    ...(deny === undefined ? {} : { deny: [...new Set([...(operator.deny ?? []), ...deny])] }),
    ...(fs?.workspaceOnly === true ? { fs: { workspaceOnly: true } } : {}),
    ...(exec === undefined ? {} : { exec: tightExec(operator.exec ?? {}, exec, `${at}.exec`, refuse) }),
    ...(elevated?.enabled === false ? { elevated: { enabled: false } } : {}),
  };
}

/** Numbers and notices that loosen nothing. */
const FREE = [
  'backgroundMs',
  'timeoutSec',
  'notifyOnExit',
  'notifyOnExitEmptySuccess',
  'approvalRunningNoticeMs',
] as const;

function tightExec(operator: ExecConfig, project: ExecConfig, at: string, refuse: Refuse): ExecConfig {
  const { host, security, ask, strictInlineEval, safeBins, denyRules, applyPatch, ...others } = project;
  const free: ExecConfig = Object.fromEntries(
    FREE.flatMap((name) => (others[name] === undefined ? [] : [[name, others[name]]])),
  );
  for (const name of Object.keys(others)) if (!FREE.some((known) => known === name)) refuse(`${at}.${name}`);
  const tighter: { -readonly [K in keyof ExecConfig]: ExecConfig[K] } = { ...free };
  // Nothing is judged in the sandbox while it is off, so the gateway is the stricter of the two.
  if (host === 'gateway' && (operator.host ?? 'sandbox') === 'sandbox') tighter.host = host;
  else if (host !== undefined && host !== operator.host) refuse(`${at}.host`);
  if (security !== undefined) {
    // Where the operator said nothing the default is at most allowlist on a host, so "full" loosens it.
    if (securities.isTighterOrEqual(security, operator.security ?? 'allowlist')) tighter.security = security;
    else refuse(`${at}.security`);
  }
  if (ask !== undefined) {
    if (asks.isTighterOrEqual(ask, operator.ask ?? 'on-miss')) tighter.ask = ask;
    else refuse(`${at}.ask`);
  }
  if (strictInlineEval === true) tighter.strictInlineEval = true;
  else if (strictInlineEval === false && operator.strictInlineEval === true) refuse(`${at}.strictInlineEval`);
  if (safeBins !== undefined) {
    const known = operator.safeBins ?? DEFAULT_SAFE_BINS;
    tighter.safeBins = safeBins.filter((name) => known.includes(name));
    if (tighter.safeBins.length < safeBins.length) refuse(`${at}.safeBins`);
  }
  if (denyRules !== undefined) tighter.denyRules = [...(operator.denyRules ?? []), ...denyRules];
  if (applyPatch?.enabled === false) tighter.applyPatch = { enabled: false };
  else if (applyPatch !== undefined) refuse(`${at}.applyPatch`);
  return tighter;
}
