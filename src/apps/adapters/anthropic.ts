/** Entry point `pincer/anthropic`: runnable tools for Anthropic's tool runner, and its `bash` and text editor tools. */
import { inputSchema, type ToolSchema } from '../../tools/tool.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { resultText, throwIfFailed } from '../library/agent-tool.ts';
import { type AgentToolboxOptions, agentToolbox } from '../library/agent-toolbox.ts';
import { editorCalls } from './anthropic/text-editor.ts';

type Params = Readonly<Record<string, unknown>>;

/** The call options of the runner. */
interface RunContext {
  readonly toolUse?: { readonly id: string };
  readonly signal?: AbortSignal | null | undefined;
}

type Answer =
  | string
  | (
      | { type: 'text'; text: string }
      | { type: 'image'; source: { type: 'base64'; data: string; media_type: ImageType } }
    )[];

type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

interface Runnable {
  /** Throws on failure; the runner sends the message to the model as an error. */
  run(args: Params, context?: RunContext): Promise<Answer>;
  parse(content: unknown): Params;
}

/** A tool with a schema, as `betaTool` makes them. */
export interface AnthropicTool extends Runnable {
  readonly type: 'custom';
  readonly name: string;
  readonly description: string;
  readonly input_schema: ToolSchema & { [key: string]: unknown };
}

/** A tool whose schema the model already knows, as the text editor below. */
export interface AnthropicBash extends Runnable {
  readonly type: 'bash_20250124';
  readonly name: 'bash';
}
export interface AnthropicTextEditor extends Runnable {
  readonly type: 'text_editor_20250728';
  readonly name: 'str_replace_based_edit_tool';
  readonly max_characters?: number;
}

export interface AnthropicOptions extends AgentToolboxOptions {
  /** The text editor shows at most this much of a file. */
  readonly maxCharacters?: number;
}

export interface AnthropicTools {
  /** For `tools` of `toolRunner`. */
  readonly tools: AnthropicTool[];
  /** Instead of `exec`. Each command runs in a new shell in the workspace: no state carries over. */
  readonly bash: AnthropicBash;
  /** Instead of `read`, `write` and `edit`. */
  readonly textEditor: AnthropicTextEditor;
}

/** The tools of one agent. The runner has no approvals: the option `approve` asks a person. */
export function anthropicTools({ maxCharacters, ...options }: AnthropicOptions): AnthropicTools {
  const agentTools = agentToolbox(options);
  const runnable = (work: (args: Params, options: ReturnType<typeof callOf>) => Promise<ToolResult>): Runnable => ({
    parse: (content) => (typeof content === 'object' && content !== null ? (content as Params) : {}),
    run: async (args, context) => answerOf(throwIfFailed(await work(args, callOf(context)))),
  });
  return {
    tools: agentTools.tools.map((tool) => ({
      type: 'custom',
      name: tool.name,
      description: tool.description,
      input_schema: { ...inputSchema(tool) },
      ...runnable((args, call) => agentTools.call(tool.name, args, call)),
    })),
    bash: {
      type: 'bash_20250124',
      name: 'bash',
      ...runnable(async ({ command, restart }, call) =>
        restart === true ? restarted() : agentTools.call('exec', { command }, { ...call, toEnd: true }),
      ),
    },
    textEditor: {
      type: 'text_editor_20250728',
      name: 'str_replace_based_edit_tool',
      ...(maxCharacters === undefined ? {} : { max_characters: maxCharacters }),
      ...runnable((args, call) => editorCalls(agentTools, args, call, maxCharacters)),
    },
  };
}

function callOf({ toolUse, signal }: RunContext = {}) {
  return {
    ...(toolUse === undefined ? {} : { toolCallId: toolUse.id }),
    ...(signal === undefined || signal === null ? {} : { signal }),
  };
}

function restarted(): ToolResult {
  const text = 'There is nothing to restart: every command runs in a new shell in the workspace.';
  return { content: [{ type: 'text', text }], details: {} };
}

/** `read` has already converted images of unsupported types. */
function answerOf(result: ToolResult): Answer {
  if (result.content.every(({ type }) => type === 'text')) return resultText(result);
  return result.content.map((piece) =>
    piece.type === 'text'
      ? { type: 'text', text: piece.text }
      : { type: 'image', source: { type: 'base64', data: piece.data, media_type: piece.mimeType as ImageType } },
  );
}
