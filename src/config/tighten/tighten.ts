/**
 * The settings of a project's file that take effect. A cloned repository is not the operator, so its file may only make rules
 * stricter. This file defines "stricter" for each member; a member that is not named here has no effect.
 */
import { isDeepStrictEqual } from 'node:util';
import { APPROVAL_DEFAULTS, DEFAULT_SAFE_BINS, EXEC_DEFAULTS, SANDBOX_DEFAULTS } from '../schema/defaults.ts';
import { merge } from '../schema/merge.ts';
import type { SandboxConfig } from '../schema/sandbox-schema.ts';
import { isToolAllowed } from '../tool-policy.ts';
import type { ConfigFile, ExecConfig, ToolsConfig } from '../schema/schema.ts';
import { below } from '../schema/setting-path.ts';
import { asks, securities, staleChecks, starters } from './strictness.ts';
import { tightenSandbox } from './tighten-sandbox.ts';

/** Called for each setting that has no effect. */
type Refuse = (at: string) => void;

/** Returns the settings of the project's file that take effect. */
export function tighten(operator: ConfigFile, project: ConfigFile, refuse: Refuse): ConfigFile {
  const { tools, agents, commands, approvals, mcp, serve, plugins, sandbox, $schema: _, ...rest } = project;
  for (const name of Object.keys(rest)) refuse(name);
  if (agents?.defaults !== undefined) refuse('agents.defaults');
  if (serve !== undefined) refuse('serve');
  if (commands?.allowFrom !== undefined) refuse('commands.allowFrom');
  if (commands?.useAccessGroups === false) refuse('commands.useAccessGroups');
  const own = (agents?.list ?? []).map((entry, i) => tightenAgent(operator, entry, `agents.list[${i}]`, refuse));
  const list = addDenyRules(operator.agents?.list ?? [], own, tools?.exec?.denyRules ?? []);
  return {
    ...(tools === undefined
      ? {}
      : { tools: tightenTools(operator.tools ?? {}, tools, 'tools', refuse, isSandboxing(operator.sandbox)) }),
    ...(sandbox === undefined ? {} : { sandbox: tightenSandbox(operator.sandbox ?? {}, sandbox, 'sandbox', refuse) }),
    ...(list.length === 0 ? {} : { agents: { list } }),
    ...(commands?.useAccessGroups === true ? { commands: { useAccessGroups: true } } : {}),
    ...(approvals === undefined ? {} : { approvals: tightenApprovals(operator.approvals ?? {}, approvals, refuse) }),
    ...(mcp === undefined ? {} : { mcp: tightenMcp(operator.mcp ?? {}, mcp, refuse) }),
    ...(plugins === undefined ? {} : { plugins: tightenPlugins(operator.plugins ?? {}, plugins, refuse) }),
  };
}

type Part<K extends keyof ConfigFile> = NonNullable<ConfigFile[K]>;
type AgentEntry = NonNullable<Part<'agents'>['list']>[number];

/** `name` and `model` decide which tools the agent is offered, so only the operator sets them. */
function tightenAgent(operator: ConfigFile, entry: AgentEntry, at: string, refuse: Refuse): AgentEntry {
  const { id, tools, sandbox, ...others } = entry;
  for (const name of Object.keys(others)) refuse(`${at}.${name}`);
  const own = operator.agents?.list?.find((one) => one.id === id);
  const known = own?.tools;
  const inherited = {
    ...operator.tools,
    ...known,
    exec: { ...operator.tools?.exec, ...known?.exec },
    fs: { ...operator.tools?.fs, ...known?.fs },
  };
  const operatorSandbox = merge(operator.sandbox ?? {}, own?.sandbox ?? {}) as SandboxConfig;
  return {
    ...(id === undefined ? {} : { id }),
    ...(tools === undefined
      ? {}
      : { tools: tightenTools(inherited, tools, `${at}.tools`, refuse, isSandboxing(operatorSandbox)) }),
    ...(sandbox === undefined ? {} : { sandbox: tightenSandbox(operatorSandbox, sandbox, `${at}.sandbox`, refuse) }),
  };
}

type DenyRules = NonNullable<ExecConfig['denyRules']>;

/** The rules of an agent's entry replace the top-level ones, so what is denied for all agents is added to them. */
function addDenyRules(
  operator: readonly AgentEntry[],
  project: readonly AgentEntry[],
  denied: DenyRules,
): readonly AgentEntry[] {
  if (denied.length === 0) return project;
  const ids = new Set([...project, ...operator].map(({ id }) => id));
  return [...ids].flatMap((id) => {
    const entry = project.find((one) => one.id === id);
    const known = operator.find((one) => one.id === id)?.tools?.exec?.denyRules;
    const rules = entry?.tools?.exec?.denyRules ?? known;
    if (rules === undefined) return entry === undefined ? [] : [entry];
    const denyRules = union(rules, denied);
    return [merge(entry ?? { id }, { tools: { exec: { denyRules } } }) as AgentEntry];
  });
}

function union(rules: DenyRules, added: DenyRules): DenyRules {
  return [...rules, ...added.filter((rule) => !rules.some((known) => isDeepStrictEqual(known, rule)))];
}

function isSandboxing({ mode = SANDBOX_DEFAULTS.mode }: SandboxConfig = {}): boolean {
  return mode !== 'off';
}

/** Any `preset` is allowed: it only renames parameters. For `sessionsOnClose`, `end` is stricter than `keep`. */
/** A project may ask less of the person. */
function tightenApprovals(operator: Part<'approvals'>, own: Part<'approvals'>, refuse: Refuse): Part<'approvals'> {
  const { maxOpen, maxNew, ...rest } = own;
  for (const name of Object.keys(rest)) refuse(`approvals.${name}`);
  const lower = (name: 'maxOpen' | 'maxNew', value: number | undefined): Part<'approvals'> => {
    if (value === undefined) return {};
    if (value <= (operator[name] ?? APPROVAL_DEFAULTS[name])) return { [name]: value };
    refuse(`approvals.${name}`);
    return {};
  };
  return { ...lower('maxOpen', maxOpen), ...lower('maxNew', maxNew) };
}

function tightenMcp(operator: Part<'mcp'>, { preset, sessionsOnClose }: Part<'mcp'>, refuse: Refuse): Part<'mcp'> {
  const keeps = sessionsOnClose === 'keep' && operator.sessionsOnClose === 'end';
  if (keeps) refuse('mcp.sessionsOnClose');
  return {
    ...(preset === undefined ? {} : { preset }),
    ...(sessionsOnClose === undefined || keeps ? {} : { sessionsOnClose }),
  };
}

/** A project may disable a plugin, but not enable one that the operator disabled. */
function tightenPlugins(operator: Part<'plugins'>, { entries = {} }: Part<'plugins'>, refuse: Refuse): Part<'plugins'> {
  const kept = Object.entries(entries).filter(([id, { enabled }]) => {
    const opens = enabled === true && operator.entries?.[id]?.enabled === false;
    if (opens) refuse(below(below('plugins.entries', id), 'enabled'));
    return !opens;
  });
  return { entries: Object.fromEntries(kept) };
}

function tightenTools(
  operator: ToolsConfig,
  project: ToolsConfig,
  at: string,
  refuse: Refuse,
  isSandboxed: boolean,
): ToolsConfig {
  const { allow, deny, fs, exec, elevated } = project;
  if (elevated?.allowFrom !== undefined || elevated?.enabled === true) refuse(`${at}.elevated`);
  return {
    ...(allow === undefined
      ? {}
      : {
          allow:
            operator.allow === undefined || allow.includes('*')
              ? (operator.allow ?? allow)
              : allow.filter((name) => isToolAllowed({ allow: operator.allow ?? [] }, name)),
        }),
    ...(deny === undefined ? {} : { deny: [...new Set([...(operator.deny ?? []), ...deny])] }),
    ...(fs === undefined ? {} : { fs: tightenFs(operator.fs ?? {}, fs, `${at}.fs`, refuse) }),
    ...(exec === undefined ? {} : { exec: tightenExec(operator.exec ?? {}, exec, `${at}.exec`, refuse, isSandboxed) }),
    ...(elevated?.enabled === false ? { elevated: { enabled: false } } : {}),
  };
}

type FsConfig = NonNullable<ToolsConfig['fs']>;

function tightenFs(operator: FsConfig, project: FsConfig, at: string, refuse: Refuse): FsConfig {
  const { workspaceOnly, staleCheck, secrets, node, nodes } = project;
  // Which machine is written to is the choice of the operator.
  if (node !== undefined) refuse(`${at}.node`);
  if (nodes !== undefined) refuse(`${at}.nodes`);
  if (workspaceOnly === false) refuse(`${at}.workspaceOnly`);
  const isStricter =
    staleCheck === undefined || staleChecks.isTighterOrEqual(staleCheck, operator.staleCheck ?? 'advise');
  if (!isStricter) refuse(`${at}.staleCheck`);
  if (secrets?.show !== undefined) refuse(`${at}.secrets.show`);
  return {
    ...(workspaceOnly === true ? { workspaceOnly } : {}),
    ...(staleCheck === undefined || !isStricter ? {} : { staleCheck }),
    ...(secrets?.hide === undefined
      ? {}
      : { secrets: { hide: [...new Set([...(operator.secrets?.hide ?? []), ...secrets.hide])] } }),
  };
}

/** Times and notices, which loosen nothing. */
const FREE = [
  'backgroundMs',
  'timeoutSec',
  'notifyOnExit',
  'notifyOnExitEmptySuccess',
  'approvalRunningNoticeMs',
] as const;

function tightenExec(
  operator: ExecConfig,
  project: ExecConfig,
  at: string,
  refuse: Refuse,
  isSandboxed: boolean,
): ExecConfig {
  const { host, security, ask, strictInlineEval, safeBins, denyRules, applyPatch, starter, ...rest } = project;
  const { compound, unprofiled, onMiss, ...others } = rest;
  const free: ExecConfig = Object.fromEntries(
    FREE.flatMap((name) => (others[name] === undefined ? [] : [[name, others[name]]])),
  );
  for (const name of Object.keys(others)) if (!FREE.some((known) => known === name)) refuse(`${at}.${name}`);
  const tighter: { -readonly [K in keyof ExecConfig]: ExecConfig[K] } = { ...free };
  // With sandboxing off, host sandbox judges nothing, so gateway is stricter. A project must not leave a real sandbox.
  if (host === 'gateway' && (operator.host ?? 'sandbox') === 'sandbox' && !isSandboxed) tighter.host = host;
  else if (host !== undefined && host !== operator.host) refuse(`${at}.host`);
  if (security !== undefined) {
    // The default is at most allowlist on a host, so "full" would loosen it.
    if (securities.isTighterOrEqual(security, operator.security ?? 'allowlist')) tighter.security = security;
    else refuse(`${at}.security`);
  }
  if (ask !== undefined) {
    if (asks.isTighterOrEqual(ask, operator.ask ?? 'on-miss')) tighter.ask = ask;
    else refuse(`${at}.ask`);
  }
  if (strictInlineEval === true) tighter.strictInlineEval = true;
  else if (strictInlineEval === false && operator.strictInlineEval === true) refuse(`${at}.strictInlineEval`);
  if (starter !== undefined) {
    if (starters.isTighterOrEqual(starter, operator.starter ?? EXEC_DEFAULTS.starter)) tighter.starter = starter;
    else refuse(`${at}.starter`);
  }
  if (compound === 'ask') tighter.compound = compound;
  else if (compound !== undefined && compound !== operator.compound) refuse(`${at}.compound`);
  if (unprofiled === 'shapes') tighter.unprofiled = unprofiled;
  else if (unprofiled !== undefined && operator.unprofiled === 'shapes') refuse(`${at}.unprofiled`);
  if (onMiss === 'ask') tighter.onMiss = onMiss;
  else if (onMiss !== undefined && onMiss !== operator.onMiss) refuse(`${at}.onMiss`);
  if (safeBins !== undefined) {
    const known = operator.safeBins ?? DEFAULT_SAFE_BINS;
    tighter.safeBins = safeBins.filter((name) => known.includes(name));
    if (tighter.safeBins.length < safeBins.length) refuse(`${at}.safeBins`);
  }
  if (denyRules !== undefined) tighter.denyRules = union(operator.denyRules ?? [], denyRules);
  if (applyPatch?.enabled === false) tighter.applyPatch = { enabled: false };
  else if (applyPatch !== undefined) refuse(`${at}.applyPatch`);
  return tighter;
}
