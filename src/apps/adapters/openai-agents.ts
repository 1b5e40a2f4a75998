/** Entry point `pincer/openai-agents`: function tools, a shell and an editor for the OpenAI Agents SDK. */
import { inputSchema, type PropertySchema, type Tool, type ToolSchema } from '../../tools/tool.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { resultText } from '../library/agent-tool.ts';
import { type AgentToolbox, type AgentToolboxOptions, agentToolbox } from '../library/agent-toolbox.ts';
import { approvalAnswers } from './approval-answers.ts';
import { type OpenAiEditor, openAiEditor } from './openai/editor.ts';
import { type OpenAiShell, openAiShell } from './openai/shell.ts';

export type { OpenAiEditor, OpenAiShell };

export interface OpenAiAgentsOptions extends AgentToolboxOptions {
  /** The person who answers approval requests, for the audit log. */
  readonly by?: string;
}

interface RunContext {
  isToolApproved?(call: { toolName: string; callId: string }): boolean | undefined;
}

interface CallDetails {
  readonly toolCall?: { readonly callId?: string } | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Output =
  | string
  | ({ type: 'text'; text: string } | { type: 'image'; image: { data: string; mediaType: string } })[];

/** The schema of a tool in the SDK's type, which is mutable. */
interface Parameters extends Omit<ToolSchema, 'properties' | 'required'> {
  properties: Record<string, PropertySchema>;
  required: string[];
}

/** A function tool of the SDK. */
export interface OpenAiFunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: Parameters;
  readonly strict: false;
  invoke(context: RunContext, input: string, details?: CallDetails): Promise<Output>;
  needsApproval(context: unknown, input: unknown, callId?: string): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

export interface OpenAiAgentsTools {
  /** For `tools` of an agent. */
  readonly functionTools: OpenAiFunctionTool[];
  /** For `shellTool`, instead of the function `exec`. */
  readonly shell: OpenAiShell;
  /** For `applyPatchTool`, instead of the function `apply_patch`. */
  readonly editor: OpenAiEditor;
}

/** The tools of one agent. A command that needs approval interrupts the run. */
export function openAiAgentsTools({
  by = 'the user of the OpenAI Agents SDK',
  ...options
}: OpenAiAgentsOptions): OpenAiAgentsTools {
  const agentTools = agentToolbox(options);
  // A program that passes the editor to `applyPatchTool` asks for this tool by name.
  const patches = agentToolbox({ ...options, applyPatch: { ...options.applyPatch, byName: true } });
  return {
    functionTools: agentTools.tools.map((tool) => functionTool(agentTools, tool, by)),
    shell: openAiShell(agentTools, by),
    editor: openAiEditor(patches),
  };
}

function functionTool(agentTools: AgentToolbox, tool: Tool, by: string): OpenAiFunctionTool {
  const { name, description } = tool;
  const answers = approvalAnswers();
  return {
    type: 'function',
    name,
    description,
    parameters: structuredClone(inputSchema(tool)) as Parameters,
    // Strict schemas have no optional parameters.
    strict: false,
    isEnabled: async () => true,
    async needsApproval(_, args, callId = '') {
      if (name !== 'exec') return false;
      answers.judged(callId, args);
      return (await agentTools.judge(args))?.verdict === 'ask';
    },
    async invoke(context, text, { toolCall, signal } = {}) {
      const callId = toolCall?.callId ?? '';
      const params = parsed(text);
      const saidYes = name === 'exec' && context.isToolApproved?.({ toolName: name, callId }) === true;
      const approved = saidYes && answers.take(callId, params);
      const result = await agentTools.call(name, params, {
        toolCallId: callId,
        ...(signal === undefined ? {} : { signal }),
        ...(approved ? { approve: () => ({ decision: 'allow-once' as const, by }) } : {}),
      });
      return outputOf(result);
    },
  };
}

/** The parameters. The tool refuses text that is not JSON, as it refuses any value that is not an object. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text) as unknown;
  } catch {
    return text;
  }
}

function outputOf(result: ToolResult): Output {
  if (result.content.every(({ type }) => type === 'text')) return resultText(result);
  return result.content.map((piece) =>
    piece.type === 'text'
      ? { type: 'text', text: piece.text }
      : { type: 'image', image: { data: piece.data, mediaType: piece.mimeType } },
  );
}
