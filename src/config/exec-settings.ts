/** The settings for running commands, for one agent in one folder, with all defaults. */
import { Fault } from '../base/fault.ts';
import type { Rule, Starter } from '../wire/policy.ts';
import type { ExecSettings, SettingPlace } from '../wire/settings.ts';
import { APPROVAL_DEFAULTS, DEFAULT_SAFE_BINS, EXEC_DEFAULTS, NODE_DEFAULTS } from './schema/defaults.ts';
import { variableOf } from './load/environment.ts';
import type { LoadedConfig } from './load/load.ts';
import { merge } from './schema/merge.ts';
import type { ConfigFile, ToolsConfig } from './schema/schema.ts';
import { sandboxSettings } from './sandbox-settings.ts';
import { expandHome } from './state.ts';
import { isToolAllowed } from './tool-policy.ts';

/** The effective `tools` of an agent: its entry in `agents.list` merged over the top-level settings. */
export function toolsConfigOf({ config }: Pick<LoadedConfig, 'config'>, agent: string): ToolsConfig {
  const own = config.agents?.list?.find(({ id }) => id === agent)?.tools;
  const merged = merge(config.tools ?? {}, own ?? {}) as ToolsConfig;
  // An agent's entry cannot undo what is denied or hidden for all agents.
  const deny = [...(config.tools?.deny ?? []), ...(own?.deny ?? [])];
  const hide = [...(config.tools?.fs?.secrets?.hide ?? []), ...(own?.fs?.secrets?.hide ?? [])];
  return {
    ...merged,
    ...(deny.length === 0 ? {} : { deny }),
    ...(hide.length === 0 ? {} : { fs: { ...merged.fs, secrets: { ...merged.fs?.secrets, hide } } }),
  };
}

export function execSettings(loaded: LoadedConfig, agent: string, home: string): ExecSettings {
  const { config, sources, warnings } = loaded;
  const tools = toolsConfigOf(loaded, agent);
  const exec = tools.exec ?? {};
  return {
    host: exec.host,
    security: exec.security,
    ask: exec.ask,
    node: exec.node,
    nodes: exec.nodes,
    files: { node: tools.fs?.node, nodes: tools.fs?.nodes },
    pathPrepend: (exec.pathPrepend ?? []).map((path) => expandHome(path, home)),
    pathPrependInside: exec.pathPrepend ?? [],
    safeBins: exec.safeBins ?? DEFAULT_SAFE_BINS,
    safeBinProfiles: exec.safeBinProfiles ?? {},
    safeBinTrustedDirs: (exec.safeBinTrustedDirs ?? []).map((path) => expandHome(path, home)),
    strictInlineEval: exec.strictInlineEval ?? EXEC_DEFAULTS.strictInlineEval,
    starter: starterOf(exec.starter ?? EXEC_DEFAULTS.starter, isToolAllowed(tools, 'write')),
    compound: exec.compound ?? EXEC_DEFAULTS.compound,
    unprofiled: exec.unprofiled ?? EXEC_DEFAULTS.unprofiled,
    onMiss: exec.onMiss ?? EXEC_DEFAULTS.onMiss,
    profiles: exec.profiles ?? {},
    env: exec.env ?? [],
    denyRules: (exec.denyRules ?? []).map(checkRule),
    backgroundMs: exec.backgroundMs ?? EXEC_DEFAULTS.backgroundMs,
    timeoutSec: exec.timeoutSec ?? EXEC_DEFAULTS.timeoutSec,
    cleanupMs: exec.cleanupMs ?? EXEC_DEFAULTS.cleanupMs,
    maxLogBytes: exec.maxLogBytes ?? EXEC_DEFAULTS.maxLogBytes,
    notifyOnExit: exec.notifyOnExit ?? EXEC_DEFAULTS.notifyOnExit,
    notifyOnExitEmptySuccess: exec.notifyOnExitEmptySuccess ?? EXEC_DEFAULTS.notifyOnExitEmptySuccess,
    approvalRunningNoticeMs: exec.approvalRunningNoticeMs ?? EXEC_DEFAULTS.approvalRunningNoticeMs,
    approvalTimeoutMs: config.approvals?.timeoutMs ?? APPROVAL_DEFAULTS.timeoutMs,
    questions: {
      maxOpen: config.approvals?.maxOpen ?? APPROVAL_DEFAULTS.maxOpen,
      maxNew: config.approvals?.maxNew ?? APPROVAL_DEFAULTS.maxNew,
    },
    headless: config.approvals?.headless ?? APPROVAL_DEFAULTS.headless,
    execAllowed: isToolAllowed(tools, 'exec'),
    processAllowed: isToolAllowed(tools, 'process'),
    elevated: {
      enabled: tools.elevated?.enabled ?? false,
      allowFrom: Object.values(tools.elevated?.allowFrom ?? {}).flat(),
      default: config.agents?.defaults?.elevatedDefault ?? 'off',
    },
    sandbox: sandboxSettings(config, agent, home),
    guests: {
      exec: config.node?.exec ?? NODE_DEFAULTS.exec,
      sandbox: config.node?.sandbox ?? NODE_DEFAULTS.sandbox,
    },
    places: {
      host: placeOf(loaded, agent, 'host'),
      security: placeOf(loaded, agent, 'security'),
      ask: placeOf(loaded, agent, 'ask'),
      node: placeOf(loaded, agent, 'node'),
      headless: placeOf(loaded, agent, 'headless'),
      elevated: placeOf(loaded, agent, 'elevated'),
    },
    authorisedSenders: config.commands?.useAccessGroups === false ? undefined : (config.commands?.allowFrom ?? []),
    sources: sources.map(({ path }) => path),
    warnings,
  };
}

type PostureSetting = keyof ExecSettings['places'];

const POSTURE_SETTINGS: Readonly<
  Record<PostureSetting, { readonly path: string; readonly in: (config: ConfigFile) => unknown }>
> = {
  host: { path: 'tools.exec.host', in: ({ tools }) => tools?.exec?.host },
  node: { path: 'tools.exec.node', in: ({ tools }) => tools?.exec?.node },
  security: { path: 'tools.exec.security', in: ({ tools }) => tools?.exec?.security },
  ask: { path: 'tools.exec.ask', in: ({ tools }) => tools?.exec?.ask },
  headless: { path: 'approvals.headless', in: ({ approvals }) => approvals?.headless },
  elevated: { path: 'agents.defaults.elevatedDefault', in: ({ agents }) => agents?.defaults?.elevatedDefault },
};

/** Where the operator changes a setting. The agent's entry overrides the top-level setting, and the environment the files. */
function placeOf({ config, environment = {} }: LoadedConfig, agent: string, name: PostureSetting): SettingPlace {
  const index = config.agents?.list?.findIndex(({ id }) => id === agent) ?? -1;
  const { path, in: valueIn } = POSTURE_SETTINGS[name];
  const own = valueIn({ tools: config.agents?.list?.[index]?.tools ?? {} });
  if (own !== undefined) return { path: `agents.list[${index}].${path}` };
  return valueIn(environment) === undefined ? { path } : { path, variable: variableOf(path.split('.')) };
}

function checkRule({ pattern, ...rest }: Partial<Rule>, i: number): Rule {
  if (pattern === undefined)
    throw new Fault('CONFIG_INVALID', `tools.exec.denyRules[${i}] has no pattern`, {
      hint: 'set pattern to the absolute path of a program, or to a glob that matches it',
    });
  return { pattern, ...rest };
}

/** Commands write files of the workspace only for agents that have the tool `write`. */
function starterOf(starter: Starter, mayWrite: boolean): Starter {
  return starter === 'workspace' && !mayWrite ? 'read' : starter;
}
