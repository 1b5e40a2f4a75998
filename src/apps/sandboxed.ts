/** The file tools of an agent whose work is kept in a sandbox: they run there, and only calls and results cross. */
import type { RunningContext } from '../tools/tool.ts';
import type { ToolCallSettings, ToolResult } from '../wire/tool.ts';

/** One call, by the tool's own name. */
interface SandboxedCall {
  readonly tool: string;
  readonly args: unknown;
  readonly workspace: string;
  readonly context: ToolCallSettings;
}

/** Runs a file tool where the agent's files are. */
export async function callSandboxed(
  { tool, args, workspace, context }: SandboxedCall,
  running: RunningContext,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  const gateway = await running.gateway();
  const { caller, tighter } = running;
  const brought = tighter === undefined ? {} : { tighter };
  return gateway.call('sandbox.tool', { caller, folder: workspace, tool, args, context, ...brought }, signal);
}

/** A tool that was called by its name for a sandbox says where it ran. */
export function saysWhere(name: string, result: ToolResult): ToolResult {
  return name.startsWith('sandboxed_') ? { ...result, details: { ...result.details, sandbox: false } } : result;
}
