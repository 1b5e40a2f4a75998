/** The tools of an agent as the files of configuration, the environment and the way in say them together. */
import { commandLineClient, isOperator } from '../config/agent.ts';
import { hasConfig } from '../config/config-files.ts';
import type { ToolsConfig } from '../config/schema/schema.ts';
import { homeFolder } from '../config/state.ts';
import type { ToolPolicy } from '../config/tool-policy.ts';
import type { ToolboxOptions } from './assemble.ts';
import type { ApplyPatchGate } from './offer.ts';

/** What a way in says itself; it wins over the files. */
export type EntryOptions = Pick<ToolboxOptions, 'workspace'> &
  Partial<ToolboxOptions> & {
    readonly agent: string;
    /** The operator at the command line names tools; an agent chooses among those that its model is offered. */
    readonly asks: 'operator' | 'agent';
  };

type AgentOfEntry = Pick<EntryOptions, 'workspace' | 'agent' | 'conversation'>;

/** The options of a toolbox. */
export async function configuredToolbox({ asks, ...given }: EntryOptions): Promise<ToolboxOptions> {
  // Only `asks` makes somebody the operator.
  const { operator: _, ...said } = given;
  const { tools, fs, applyPatch, disabled, sandboxed, restrictions } = await configuredTools(said);
  const { workspaceOnly = true, staleCheck, secrets } = fs;
  const free = said.workspaceOnly === false;
  // Whoever names a model asks what an agent on it is offered.
  const byName = asks === 'operator' && said.model === undefined ? { byName: true as const } : {};
  return {
    ...(staleCheck === undefined ? {} : { staleCheck }),
    ...(secrets === undefined ? {} : { secrets }),
    ...said,
    ...(asks === 'operator' ? atCommandLine() : {}),
    workspaceOnly: !free && workspaceOnly,
    tools,
    disabled,
    sandboxed,
    ...(restrictions === undefined ? {} : { restrictions }),
    applyPatch: { ...applyPatch, ...byName, workspaceOnly: !free && (applyPatch.workspaceOnly ?? true) },
  };
}

/** Whoever sits at the command line, or the client whose command runs the program. */
function atCommandLine(): Pick<ToolboxOptions, 'operator' | 'client'> {
  return isOperator() ? { operator: true } : { client: commandLineClient() };
}

interface ConfiguredTools {
  readonly tools: ToolPolicy;
  readonly fs: NonNullable<ToolsConfig['fs']>;
  readonly applyPatch: ApplyPatchGate;
  readonly disabled: NonNullable<ToolboxOptions['disabled']>;
  readonly sandboxed: boolean;
  readonly restrictions?: NonNullable<ToolboxOptions['restrictions']>;
}

/** What the files of configuration say about the tools of an agent. */
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
  // As the daemon sees it: the environment of whoever calls cannot let anybody out.
  const held = restrictions === undefined ? loaded : applyRestrictions(await loadConfig({ folder }), restrictions);
  return {
    tools,
    ...(restrictions === undefined ? {} : { restrictions }),
    fs: fs ?? {},
    applyPatch: exec?.applyPatch ?? {},
    sandboxed: isSandboxed(sandboxSettings(held.config, agent, homeFolder()), caller),
    disabled: isPluginEnabled(loaded, 'oc-path') ? {} : { path: 'oc-path' },
  };
}
