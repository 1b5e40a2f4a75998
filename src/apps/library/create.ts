import { inputSchema, type Tool } from '../../tools/tool.ts';
import { toolDescription } from '../tool-description.ts';
import { type AgentTool, throwIfFailed } from './agent-tool.ts';
import { type AgentToolbox, type AgentToolboxOptions, agentToolbox } from './agent-toolbox.ts';

export interface CreateToolsOptions extends AgentToolboxOptions {
  /** How `execute` reports a failure: it throws a `ToolFailure` (default), or returns a result with `isError`. */
  readonly failures?: 'throw' | 'result';
}

/** The tools of one agent, for agent runtimes. Includes `apply_patch` if `applyPatch.enabled` is true and `model` is one of OpenAI. */
export function createTools(options: CreateToolsOptions): readonly AgentTool[] {
  const agentTools = agentToolbox(options);
  return agentTools.tools.map((tool) => agentTool(agentTools, tool, options));
}

interface AgentToolOptions {
  readonly failures?: 'throw' | 'result';
  /** An alias of the tool. */
  readonly name?: string;
}

export function agentTool(
  agentTools: AgentToolbox,
  tool: Tool,
  { failures, name = tool.name }: AgentToolOptions = {},
): AgentTool {
  return {
    name,
    label: name,
    description: toolDescription(tool, agentTools.toolbox.node),
    parameters: inputSchema(tool),
    prepareArguments: (args) => agentTools.prepare(tool, args),
    async execute(toolCallId, params, signal, onUpdate) {
      const result = await agentTools.call(tool.name, params, {
        toolCallId,
        ...(signal === undefined ? {} : { signal }),
        ...(onUpdate === undefined ? {} : { onUpdate }),
      });
      return failures === 'result' ? result : throwIfFailed(result);
    },
  };
}
