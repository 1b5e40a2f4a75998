/** What the operator says about a workspace on the command line, the same for all commands that call tools. */
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { agentName } from '../../config/agent.ts';
import { hasConfig } from '../../config/places.ts';
import type { ToolPolicy } from '../../config/tool-policy.ts';
import type { ApplyPatchGate, ToolboxOptions } from '../assemble.ts';
import { type CommandShape, type CommandWords, usage } from './words.ts';

export const WORKSPACE_FLAGS = ['--json', '--human', '--no-workspace-only', '--show-secrets', '--allow-undo'];
export const WORKSPACE_OPTIONS = [
  '--workspace',
  '--agent',
  '--conversation',
  '--model-context',
  '--hard-links',
  '--protect',
  '--stale-check',
  '--model',
];

/** The options of a toolbox as the command line, the environment and the files of configuration say them. */
export async function toolboxOptions(shape: CommandShape, { flags, options }: CommandWords): Promise<ToolboxOptions> {
  const workspace = workspaceFolder(options['workspace']);
  const agent = options['agent'] ?? agentName();
  const { tools, workspaceOnly, applyPatch } = await configuredTools(workspace, agent);
  const free = flags.has('no-workspace-only');
  const { conversation, model } = options;
  const tokens = options['model-context'];
  return {
    workspace,
    workspaceOnly: !free && workspaceOnly,
    tools,
    applyPatch: { ...forModel(applyPatch, model), workspaceOnly: !free && (applyPatch.workspaceOnly ?? true) },
    agent,
    allowUndo: flags.has('allow-undo'),
    showSecrets: flags.has('show-secrets'),
    hardLinks: oneOf(shape, '--hard-links', options['hard-links'] ?? 'refuse', ['refuse', 'in-place'] as const),
    staleCheck: oneOf(shape, '--stale-check', options['stale-check'] ?? 'off', ['off', 'advise', 'refuse'] as const),
    ...(options['protect'] === undefined
      ? {}
      : { protect: oneOf(shape, '--protect', options['protect'], ['none'] as const) }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(model === undefined ? {} : { model }),
    ...(tokens === undefined ? {} : { modelContextWindowTokens: count(shape, '--model-context', tokens) }),
  };
}

interface ConfiguredTools {
  readonly tools: ToolPolicy;
  readonly workspaceOnly: boolean;
  readonly applyPatch: ApplyPatchGate;
}

/** What the files of configuration say about the tools of an agent. */
async function configuredTools(folder: string, agent: string): Promise<ConfiguredTools> {
  if (!hasConfig(folder)) return { tools: {}, workspaceOnly: true, applyPatch: {} };
  const [{ loadConfig }, { toolsConfigOf }] = await Promise.all([
    import('../../config/load.ts'),
    import('../../config/exec.ts'),
  ]);
  const { allow, deny, fs, exec } = toolsConfigOf(await loadConfig({ folder }), agent);
  const tools = { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) };
  return { tools, workspaceOnly: fs?.workspaceOnly ?? true, applyPatch: exec?.applyPatch ?? {} };
}

/** A list of models says nothing about an operator who calls without one. */
function forModel({ allowModels, ...gate }: ApplyPatchGate, model: string | undefined): ApplyPatchGate {
  return model === undefined || allowModels === undefined ? gate : { ...gate, allowModels };
}

/** A whole number, at least 1. */
export function count(shape: CommandShape, name: string, text: string): number {
  const number = Number(text);
  if (!/^\d+$/u.test(text) || !Number.isSafeInteger(number) || number < 1)
    throw usage(shape, `${name} is a whole number above 0, not ${JSON.stringify(text)}`);
  return number;
}

function oneOf<T extends string>(shape: CommandShape, name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((word) => word === value);
  if (found === undefined) throw usage(shape, `${name} is ${allowed.join(' or ')}, not ${JSON.stringify(value)}`);
  return found;
}

/** Someone may have removed the folder that the shell stands in. */
function workspaceFolder(named: string | undefined): string {
  try {
    return resolve(named ?? '.');
  } catch (error) {
    throw new Fault('FS_NOT_FOUND', 'the working folder does not exist any more', {
      hint: 'choose a folder with --workspace, or go to one that exists',
      cause: error,
    });
  }
}
