/** The tools of an agent as the files of configuration, the environment and the way in say them together. */
import { hasConfig } from '../config/places.ts';
import type { ToolPolicy } from '../config/tool-policy.ts';
import type { ToolboxOptions } from './assemble.ts';
import type { ApplyPatchGate } from './offer.ts';

/** What a way in says itself; it wins over the files. */
export type SaidHere = Pick<ToolboxOptions, 'workspace'> &
  Partial<ToolboxOptions> & {
    readonly agent: string;
    /** The operator at the command line is offered `apply_patch` unless it is switched off; an agent only where it is switched on. */
    readonly asks: 'operator' | 'agent';
  };

/** The options of a toolbox. */
export async function configuredToolbox({ asks, ...said }: SaidHere): Promise<ToolboxOptions> {
  const { tools, workspaceOnly, applyPatch, disabled, tighter } = await configuredTools(said.workspace, said.agent);
  const free = said.workspaceOnly === false;
  const gate = asks === 'operator' ? forModel(applyPatch, said.model) : { ...applyPatch, family: 'openai' as const };
  return {
    ...said,
    workspaceOnly: !free && workspaceOnly,
    tools,
    disabled,
    ...(tighter === undefined ? {} : { tighter }),
    applyPatch: { ...gate, workspaceOnly: !free && (applyPatch.workspaceOnly ?? true) },
  };
}

interface ConfiguredTools {
  readonly tools: ToolPolicy;
  readonly workspaceOnly: boolean;
  readonly applyPatch: ApplyPatchGate;
  readonly disabled: NonNullable<ToolboxOptions['disabled']>;
  readonly tighter?: NonNullable<ToolboxOptions['tighter']>;
}

/** What the files of configuration say about the tools of an agent. */
async function configuredTools(folder: string, agent: string): Promise<ConfiguredTools> {
  if (!hasConfig(folder)) return { tools: {}, workspaceOnly: true, applyPatch: {}, disabled: {} };
  const [{ loadConfig }, { toolsConfigOf }, { isPluginEnabled }, { execInEnvironment }] = await Promise.all([
    import('../config/load.ts'),
    import('../config/exec.ts'),
    import('../config/plugins.ts'),
    import('../config/environment.ts'),
  ]);
  const loaded = await loadConfig({ folder, heedEnvironment: true });
  const { allow, deny, fs, exec } = toolsConfigOf(loaded, agent);
  const tools = { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) };
  const tighter = await execInEnvironment(process.env);
  return {
    tools,
    ...(tighter === undefined ? {} : { tighter }),
    workspaceOnly: fs?.workspaceOnly ?? true,
    applyPatch: exec?.applyPatch ?? {},
    disabled: isPluginEnabled(loaded, 'oc-path') ? {} : { path: 'oc-path' },
  };
}

/** A list of models says nothing about an operator who calls without one. */
function forModel({ allowModels, ...gate }: ApplyPatchGate, model: string | undefined): ApplyPatchGate {
  return model === undefined || allowModels === undefined ? gate : { ...gate, allowModels };
}
