/** The tools of one agent in the shape that agent runtimes take: an array of values with `execute`. */
import { inputSchema, type Tool } from '../../tools/tool.ts';
import { type AgentTool, unlessFailed } from './agent-tool.ts';
import { type Hands, type HandsOptions, handsOf } from './hands.ts';

/** What a program says about the tools of one agent. */
export interface CreateToolsOptions extends HandsOptions {
  /** How `execute` tells of a failure: it throws a `ToolFailure` (default), or answers with `isError`. */
  readonly failures?: 'throw' | 'result';
}

/** The tools that an agent is offered. `apply_patch` is among them where `applyPatch.enabled` is true and `model` is OpenAI's. */
export function createTools(options: CreateToolsOptions): readonly AgentTool[] {
  const hands = handsOf(options);
  return hands.tools.map((tool) => agentTool(hands, tool, options));
}

interface Shown {
  readonly failures?: 'throw' | 'result';
  /** Another of its names. */
  readonly name?: string;
}

/** One tool in that shape. */
export function agentTool(hands: Hands, tool: Tool, { failures, name = tool.name }: Shown = {}): AgentTool {
  return {
    name,
    label: name,
    description: tool.description,
    parameters: inputSchema(tool),
    prepareArguments: (args) => hands.prepare(tool, args),
    async execute(toolCallId, params, signal, onUpdate) {
      const result = await hands.call(tool.name, params, {
        toolCallId,
        ...(signal === undefined ? {} : { signal }),
        ...(onUpdate === undefined ? {} : { onUpdate }),
      });
      return failures === 'result' ? result : unlessFailed(result);
    },
  };
}
