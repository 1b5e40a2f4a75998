/** Single tools by the names and with the parameters that OpenClaw's own factories have. */
import { Fault } from '../../base/fault.ts';
import type { ToolboxOptions } from '../assemble.ts';
import type { AgentTool } from './agent-tool.ts';
import { agentTool } from './create.ts';
import { handsOf } from './hands.ts';

/** What the factories take beside the boundary. */
type Others = Omit<ToolboxOptions, 'workspace' | 'workspaceOnly' | 'applyPatch' | 'tools'>;

export interface HostToolOptions extends Others {
  /** Whether nothing outside of the root can be reached (**default: false**, as in OpenClaw). */
  readonly workspaceOnly?: boolean;
}

export interface ApplyPatchToolOptions extends Others {
  /** The folder that paths start from (default: the working folder of the process). */
  readonly cwd?: string;
  /** Default: true. */
  readonly workspaceOnly?: boolean;
}

/** The tool `host_workspace_write`: gives a file below the root its whole content. */
export function createHostWorkspaceWriteTool(root: string, options: HostToolOptions = {}): AgentTool {
  return hostTool('write', root, options);
}

/** The tool `host_workspace_edit`: replaces text that stands in a file below the root. */
export function createHostWorkspaceEditTool(root: string, options: HostToolOptions = {}): AgentTool {
  return hostTool('edit', root, options);
}

/** The tool `apply_patch`, whatever the model is. */
export function createApplyPatchTool({ cwd, workspaceOnly, ...others }: ApplyPatchToolOptions = {}): AgentTool {
  refuseSandbox(others);
  const confined = workspaceOnly !== false;
  const hands = handsOf({
    ...others,
    workspace: cwd ?? process.cwd(),
    workspaceOnly: confined,
    applyPatch: { byName: true, workspaceOnly: confined },
    tools: { allow: ['apply_patch'] },
  });
  return agentTool(hands, hands.tools[0]!);
}

function hostTool(name: 'write' | 'edit', root: string, { workspaceOnly = false, ...others }: HostToolOptions) {
  refuseSandbox(others);
  const hands = handsOf({ ...others, workspace: root, workspaceOnly, tools: { allow: [name] } });
  return agentTool(hands, hands.tools[0]!, { name: `host_workspace_${name}` });
}

/** What is meant for a sandbox must not be done to this machine. */
function refuseSandbox(others: object): void {
  const { sandbox } = others as { readonly sandbox?: unknown };
  if (sandbox === undefined || sandbox === null) return;
  throw new Fault('USAGE_SANDBOX', 'these tools work on the files of this machine and not in a sandbox', {
    hint: 'leave sandbox out',
  });
}
