/** Factories of single tools, with the names and parameters of OpenClaw's own factories. */
import { Fault } from '../../base/fault.ts';
import type { ToolboxOptions } from '../assemble.ts';
import type { AgentTool } from './agent-tool.ts';
import { agentTool } from './create.ts';
import { agentToolbox } from './agent-toolbox.ts';

type CommonOptions = Omit<ToolboxOptions, 'workspace' | 'workspaceOnly' | 'applyPatch' | 'tools'>;

export interface HostToolOptions extends CommonOptions {
  /** Whether the tool is confined to the root (**default: false**, as in OpenClaw). */
  readonly workspaceOnly?: boolean;
}

export interface ApplyPatchToolOptions extends CommonOptions {
  /** The folder of relative paths (default: the current directory). */
  readonly cwd?: string;
  /** Default: true. */
  readonly workspaceOnly?: boolean;
}

/** The tool `host_workspace_write`: writes a whole file below the root. */
export function createHostWorkspaceWriteTool(root: string, options: HostToolOptions = {}): AgentTool {
  return hostTool('write', root, options);
}

/** The tool `host_workspace_edit`: replaces text in a file below the root. */
export function createHostWorkspaceEditTool(root: string, options: HostToolOptions = {}): AgentTool {
  return hostTool('edit', root, options);
}

/** The tool `apply_patch`, for every model. */
export function createApplyPatchTool({ cwd, workspaceOnly, ...others }: ApplyPatchToolOptions = {}): AgentTool {
  refuseSandbox(others);
  const confined = workspaceOnly !== false;
  const agentTools = agentToolbox({
    ...others,
    workspace: cwd ?? process.cwd(),
    workspaceOnly: confined,
    applyPatch: { byName: true, workspaceOnly: confined },
    tools: { allow: ['apply_patch'] },
  });
  return agentTool(agentTools, agentTools.tools[0]!);
}

function hostTool(name: 'write' | 'edit', root: string, { workspaceOnly = false, ...others }: HostToolOptions) {
  refuseSandbox(others);
  const agentTools = agentToolbox({ ...others, workspace: root, workspaceOnly, tools: { allow: [name] } });
  return agentTool(agentTools, agentTools.tools[0]!, { name: `host_workspace_${name}` });
}

/** A call that is meant for a sandbox must not change files of this machine. */
function refuseSandbox(others: object): void {
  const { sandbox } = others as { readonly sandbox?: unknown };
  if (sandbox === undefined || sandbox === null) return;
  throw new Fault('USAGE_SANDBOX', 'these tools work on files of this machine, not in a sandbox', {
    hint: 'remove the option sandbox',
  });
}
