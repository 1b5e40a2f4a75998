/**
 * What a project's file may say: a cloned repository is not the operator, so its file may only make rules stricter. Every
 * member is named here with what "stricter" means for it; a member that is not named has no effect.
 */
import { DEFAULT_SAFE_BINS, SANDBOX_DEFAULTS } from '../schema/defaults.ts';
import { merge } from '../schema/merge.ts';
import type { SandboxConfig } from '../schema/sandbox-schema.ts';
import { isToolAllowed } from '../tool-policy.ts';
import type { ConfigFile, ExecConfig, ToolsConfig } from '../schema/schema.ts';
import { below } from '../schema/setting-path.ts';
import { asks, securities, staleChecks } from './strictness.ts';
import { tightSandbox } from './tighten-sandbox.ts';

/** Hears what a project's file says and may not. */
type Refuse = (at: string) => void;

/** The part of a project's file that has effect, laid over what the operator said already. */
export function tightenedOnly(operator: ConfigFile, project: ConfigFile, refuse: Refuse): ConfigFile {
  const { tools, agents, commands, approvals, mcp, serve, plugins, sandbox, $schema: _, ...rest } = project;
  for (const name of Object.keys(rest)) refuse(name);
  if (agents?.defaults !== undefined) refuse('agents.defaults');
  if (approvals !== undefined) refuse('approvals');
  if (serve !== undefined) refuse('serve');
  if (commands?.allowFrom !== undefined) refuse('commands.allowFrom');
  if (commands?.useAccessGroups === false) refuse('commands.useAccessGroups');
  const list = (agents?.list ?? []).map((entry, i) => tightAgent(operator, entry, `agents.list[${i}]`, refuse));
  return {
    ...(tools === undefined
      ? {}
      : { tools: tightTools(operator.tools ?? {}, tools, 'tools', refuse, isBoxing(operator.sandbox)) }),
    ...(sandbox === undefined ? {} : { sandbox: tightSandbox(operator.sandbox ?? {}, sandbox, 'sandbox', refuse) }),
    ...(list.length === 0 ? {} : { agents: { list } }),
    ...(commands?.useAccessGroups === true ? { commands: { useAccessGroups: true } } : {}),
    ...(mcp === undefined ? {} : { mcp: tightMcp(operator.mcp ?? {}, mcp, refuse) }),
    ...(plugins === undefined ? {} : { plugins: tightPlugins(operator.plugins ?? {}, plugins, refuse) }),
  };
}

type Part<K extends keyof ConfigFile> = NonNullable<ConfigFile[K]>;
type AgentEntry = NonNullable<Part<'agents'>['list']>[number];

/** How people call an agent and which model it runs on decides what it is offered: both are the operator's to say. */
function tightAgent(operator: ConfigFile, entry: AgentEntry, at: string, refuse: Refuse): AgentEntry {
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
  const boxed = inheritedSandbox(operator, own);
  return {
    ...(id === undefined ? {} : { id }),
    ...(tools === undefined ? {} : { tools: tightTools(inherited, tools, `${at}.tools`, refuse, isBoxing(boxed)) }),
    ...(sandbox === undefined ? {} : { sandbox: tightSandbox(boxed, sandbox, `${at}.sandbox`, refuse) }),
  };
}

/** Whether the operator has some agents kept in a sandbox. */
function isBoxing({ mode = SANDBOX_DEFAULTS.mode }: SandboxConfig = {}): boolean {
  return mode !== 'off';
}

function inheritedSandbox(operator: ConfigFile, own: AgentEntry | undefined): SandboxConfig {
  return merge(operator.sandbox ?? {}, own?.sandbox ?? {}) as SandboxConfig;
}

/** Names of parameters loosen nothing; sessions that nobody looks after may be ended. */
function tightMcp(operator: Part<'mcp'>, { preset, sessionsOnClose }: Part<'mcp'>, refuse: Refuse): Part<'mcp'> {
  const keeps = sessionsOnClose === 'keep' && operator.sessionsOnClose === 'end';
  if (keeps) refuse('mcp.sessionsOnClose');
  return {
    ...(preset === undefined ? {} : { preset }),
    ...(sessionsOnClose === undefined || keeps ? {} : { sessionsOnClose }),
  };
}

/** A plugin may be switched off, and on only where it was not switched off. */
function tightPlugins(operator: Part<'plugins'>, { entries = {} }: Part<'plugins'>, refuse: Refuse): Part<'plugins'> {
  const kept = Object.entries(entries).filter(([id, { enabled }]) => {
    const opens = enabled === true && operator.entries?.[id]?.enabled === false;
    if (opens) refuse(below(below('plugins.entries', id), 'enabled'));
    return !opens;
  });
  return { entries: Object.fromEntries(kept) };
}

function tightTools(
  operator: ToolsConfig,
  project: ToolsConfig,
  at: string,
  refuse: Refuse,
  isBoxed: boolean,
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
    ...(fs === undefined ? {} : { fs: tightFs(operator.fs ?? {}, fs, `${at}.fs`, refuse) }),
    ...(exec === undefined ? {} : { exec: tightExec(operator.exec ?? {}, exec, `${at}.exec`, refuse, isBoxed) }),
    ...(elevated?.enabled === false ? { elevated: { enabled: false } } : {}),
  };
}

type FsConfig = NonNullable<ToolsConfig['fs']>;

/** The boundary and the check of stale files may be switched on, and more files hidden; nothing may be shown. */
function tightFs(operator: FsConfig, project: FsConfig, at: string, refuse: Refuse): FsConfig {
  const { workspaceOnly, staleCheck, secrets } = project;
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

/** Numbers and notices that loosen nothing. */
const FREE = [
  'backgroundMs',
  'timeoutSec',
  'notifyOnExit',
  'notifyOnExitEmptySuccess',
  'approvalRunningNoticeMs',
] as const;

function tightExec(
  operator: ExecConfig,
  project: ExecConfig,
  at: string,
  refuse: Refuse,
  isBoxed: boolean,
): ExecConfig {
  const { host, security, ask, strictInlineEval, safeBins, denyRules, applyPatch, ...others } = project;
  const free: ExecConfig = Object.fromEntries(
    FREE.flatMap((name) => (others[name] === undefined ? [] : [[name, others[name]]])),
  );
  for (const name of Object.keys(others)) if (!FREE.some((known) => known === name)) refuse(`${at}.${name}`);
  const tighter: { -readonly [K in keyof ExecConfig]: ExecConfig[K] } = { ...free };
  // Nothing is judged in the sandbox while it is off, so the gateway is the stricter of the two; a real one is not to be left.
  if (host === 'gateway' && (operator.host ?? 'sandbox') === 'sandbox' && !isBoxed) tighter.host = host;
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
