/** The door `pincer/tools` of the library: the tools of an agent, as one toolbox or as an array of values. */
export * from '../assemble.ts';
export { configuredToolbox } from '../configured.ts';
export { type AgentTool, type AgentToolResult, ToolFailure } from './agent-tool.ts';
export type { ApprovalQuestion, ApprovalReply, AskPerson } from './asking.ts';
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
