/** Door `pincer/openai-agents`: function tools, a shell and an editor for the OpenAI Agents SDK. */
import { inputSchema, type PropertySchema, type Tool, type ToolSchema } from '../../tools/tool.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { textOf } from '../library/agent-tool.ts';
import { type Hands, type HandsOptions, handsOf } from '../library/hands.ts';
import { answersOf } from './answers.ts';
import { type OpenAiEditor, openAiEditor } from './openai/editor.ts';
import { type OpenAiShell, openAiShell } from './openai/shell.ts';

export type { OpenAiEditor, OpenAiShell };

export interface OpenAiAgentsOptions extends HandsOptions {
  /** Who answers approvals, for the audit log. */
  readonly by?: string;
}

/** What the SDK knows of a run. */
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

/** The schema of a tool as the SDK types it: it may be written to. */
interface Parameters extends Omit<ToolSchema, 'properties' | 'required'> {
  properties: Record<string, PropertySchema>;
  required: string[];
}

/** A function tool as the SDK makes them. */
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
  /** For `tools` of an agent, as they are. */
  readonly functionTools: OpenAiFunctionTool[];
  /** For `shellTool`, instead of the function `exec`. */
  readonly shell: OpenAiShell;
  /** For `applyPatchTool`, instead of the function `apply_patch`. */
  readonly editor: OpenAiEditor;
}

/** The tools of one agent. A command that policy wants to be asked for becomes an interruption of the run. */
export function openAiAgentsTools({
  by = 'the user of the OpenAI Agents SDK',
  ...options
}: OpenAiAgentsOptions): OpenAiAgentsTools {
  const hands = handsOf(options);
  // Whoever hands the editor to `applyPatchTool` asks for this one tool.
  const patches = handsOf({ ...options, applyPatch: { ...options.applyPatch, byName: true } });
  return {
    functionTools: hands.tools.map((tool) => functionTool(hands, tool, by)),
    shell: openAiShell(hands, by),
    editor: openAiEditor(patches),
  };
}

function functionTool(hands: Hands, tool: Tool, by: string): OpenAiFunctionTool {
  const { name, description } = tool;
  const answers = answersOf();
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
      return (await hands.judge(args))?.verdict === 'ask';
    },
    async invoke(context, text, { toolCall, signal } = {}) {
      const callId = toolCall?.callId ?? '';
      const params = parsed(text);
      const saidYes = name === 'exec' && context.isToolApproved?.({ toolName: name, callId }) === true;
      const approved = saidYes && answers.take(callId, params);
      const result = await hands.call(name, params, {
        toolCallId: callId,
        ...(signal === undefined ? {} : { signal }),
        ...(approved ? { approve: () => ({ decision: 'allow-once' as const, by }) } : {}),
      });
      return outputOf(result);
    },
  };
}

/** The parameters; what is no JSON is refused by the tool, as anything else that is no object. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text) as unknown;
  } catch {
    return text;
  }
}

function outputOf(result: ToolResult): Output {
  if (result.content.every(({ type }) => type === 'text')) return textOf(result);
  return result.content.map((piece) =>
    piece.type === 'text'
      ? { type: 'text', text: piece.text }
      : { type: 'image', image: { data: piece.data, mediaType: piece.mimeType } },
  );
}
