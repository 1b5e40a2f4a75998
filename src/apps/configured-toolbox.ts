/** The toolbox options of an agent, merged from configuration files, environment and entry point. */
import { Fault } from '../base/fault.ts';
import { commandLineClient, isOperator } from '../config/agent.ts';
import { hasConfig } from '../config/config-files.ts';
import type { ToolsConfig } from '../config/schema/schema.ts';
import { homeFolder } from '../config/state.ts';
import type { ToolPolicy } from '../config/tool-policy.ts';
import type { ToolboxOptions } from './assemble.ts';
import type { ApplyPatchGate } from './apply-patch-gate.ts';

/** Options of an entry point; they override the configuration files. */
export type EntryOptions = Pick<ToolboxOptions, 'workspace'> &
  Partial<ToolboxOptions> & {
    readonly agent: string;
    /** The operator calls tools by name; an agent chooses among the tools that its model is offered. */
    readonly asks: 'operator' | 'agent';
  };

type AgentOfEntry = Pick<EntryOptions, 'workspace' | 'agent' | 'conversation'>;

export async function configuredToolbox({ asks, ...given }: EntryOptions): Promise<ToolboxOptions> {
  // Only `asks` decides whether the caller is the operator.
  const { operator: _, ...entry } = given;
  const { tools, fs, node, applyPatch, disabled, sandboxed, restrictions } = await configuredTools(entry);
  const { workspaceOnly = true, staleCheck, secrets } = fs;
  const isUnconfined = entry.workspaceOnly === false;
  // An operator who names a model asks for the tools of an agent on that model.
  const byName = asks === 'operator' && entry.model === undefined ? { byName: true as const } : {};
  return {
    ...(staleCheck === undefined ? {} : { staleCheck }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(node === undefined ? {} : { node }),
    ...entry,
    ...(asks === 'operator' ? atCommandLine() : {}),
    workspaceOnly: !isUnconfined && workspaceOnly,
    tools,
    disabled,
    sandboxed,
    ...(restrictions === undefined ? {} : { restrictions }),
    applyPatch: { ...applyPatch, ...byName, workspaceOnly: !isUnconfined && (applyPatch.workspaceOnly ?? true) },
  };
}

/** The node that the settings choose for the file tools. No file tool works if the configuration cannot be read. */
export async function configuredNode(entry: EntryOptions): Promise<string | undefined> {
  try {
    return (await configuredToolbox(entry)).node;
  } catch (error) {
    if (error instanceof Fault && isOfConfiguration(error)) return undefined;
    throw error;
  }
}

/** The gateway refuses every command with such a fault, and so do the tools. */
export function isOfConfiguration({ code }: Fault): boolean {
  return code.startsWith('CONFIG_');
}

/** The operator, or the client whose command runs this program. */
function atCommandLine(): Pick<ToolboxOptions, 'operator' | 'client'> {
  return isOperator() ? { operator: true } : { client: commandLineClient() };
}

interface ConfiguredTools {
  readonly tools: ToolPolicy;
  readonly fs: NonNullable<ToolsConfig['fs']>;
  readonly applyPatch: ApplyPatchGate;
  readonly disabled: NonNullable<ToolboxOptions['disabled']>;
  readonly sandboxed: boolean;
  /** The node of the file tools. */
  readonly node?: string;
  readonly restrictions?: NonNullable<ToolboxOptions['restrictions']>;
}

/** The settings of the configuration files for an agent's tools. */
async function configuredTools({ workspace: folder, agent, conversation }: AgentOfEntry): Promise<ConfiguredTools> {
  if (!hasConfig(folder)) return { tools: {}, fs: {}, applyPatch: {}, disabled: {}, sandboxed: false };
  const [
    { loadConfig, applyRestrictions },
    { toolsConfigOf },
    { isPluginEnabled },
    { environmentRestrictions },
    { sandboxSettings },
    { isSandboxed },
  ] = await Promise.all([
    import('../config/load/load.ts'),
    import('../config/exec-settings.ts'),
    import('../config/plugins.ts'),
    import('../config/load/environment.ts'),
    import('../config/sandbox-settings.ts'),
    import('../hosts/sandbox/owner.ts'),
  ]);
  const loaded = await loadConfig({ folder, includeEnvironment: true });
  const { allow, deny, fs, exec } = toolsConfigOf(loaded, agent);
  const caller = { agent, ...(conversation === undefined ? {} : { conversation }) };
  const tools = { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) };
  const restrictions = await environmentRestrictions(process.env);
  // The daemon decides the same way: the caller's environment cannot disable the sandbox or choose another machine.
  const effective = restrictions === undefined ? loaded : applyRestrictions(await loadConfig({ folder }), restrictions);
  const { node } = toolsConfigOf(effective, agent).fs ?? {};
  return {
    tools,
    ...(node === undefined ? {} : { node }),
    ...(restrictions === undefined ? {} : { restrictions }),
    fs: fs ?? {},
    applyPatch: exec?.applyPatch ?? {},
    sandboxed: isSandboxed(sandboxSettings(effective.config, agent, homeFolder()), caller),
    disabled: isPluginEnabled(loaded, 'oc-path') ? {} : { path: 'oc-path' },
  };
}
