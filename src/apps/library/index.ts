/** Entry point `pincer/tools`: the tools of an agent, as a toolbox or as an array. */
export * from '../assemble.ts';
export { configuredToolbox } from '../configured-toolbox.ts';
export { type AgentTool, type AgentToolResult, ToolFailure } from './agent-tool.ts';
export type { ApprovalQuestion, ApprovalReply, AskPerson } from './ask-person.ts';
export { createTools, type CreateToolsOptions } from './create.ts';
export {
  type ApplyPatchToolOptions,
  createApplyPatchTool,
  createHostWorkspaceEditTool,
  createHostWorkspaceWriteTool,
  type HostToolOptions,
} from './factories.ts';
export type { BridgeStat, SandboxBridge } from './bridge-files.ts';
export { createSandboxedReadTool, type SandboxedReadOptions } from './sandboxed-read.ts';
