/** Door `pincer/anthropic`: runnable tools for the tool runner of Anthropic's SDK, and its own bash and text editor. */
import { inputSchema, type ToolSchema } from '../../tools/tool.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { textOf, unlessFailed } from '../library/agent-tool.ts';
import { type HandsOptions, handsOf } from '../library/hands.ts';
import { editorCalls } from './anthropic/text-editor.ts';

type Params = Readonly<Record<string, unknown>>;

/** What the runner passes along with a call. */
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
  /** A failure is thrown; the runner gives its message to the model, marked as an error. */
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

/** Tools whose schemas the model knows. */
export interface AnthropicBash extends Runnable {
  readonly type: 'bash_20250124';
  readonly name: 'bash';
}
export interface AnthropicTextEditor extends Runnable {
  readonly type: 'text_editor_20250728';
  readonly name: 'str_replace_based_edit_tool';
  readonly max_characters?: number;
}

export interface AnthropicOptions extends HandsOptions {
  /** How much of a file the text editor shows at most. */
  readonly maxCharacters?: number;
}

export interface AnthropicTools {
  /** For `tools` of `toolRunner`, as they are. */
  readonly tools: AnthropicTool[];
  /** Instead of `exec`. Every command starts in the workspace: nothing that one sets is there for the next. */
  readonly bash: AnthropicBash;
  /** Instead of `read`, `write` and `edit`. */
  readonly textEditor: AnthropicTextEditor;
}

/** The tools of one agent. The runner knows no approvals: `approve` of the options puts commands to a person. */
export function anthropicTools({ maxCharacters, ...options }: AnthropicOptions): AnthropicTools {
  const hands = handsOf(options);
  const runnable = (work: (args: Params, options: ReturnType<typeof callOf>) => Promise<ToolResult>): Runnable => ({
    parse: (content) => (typeof content === 'object' && content !== null ? (content as Params) : {}),
    run: async (args, context) => answerOf(unlessFailed(await work(args, callOf(context)))),
  });
  return {
    tools: hands.tools.map((tool) => ({
      type: 'custom',
      name: tool.name,
      description: tool.description,
      input_schema: { ...inputSchema(tool) },
      ...runnable((args, call) => hands.call(tool.name, args, call)),
    })),
    bash: {
      type: 'bash_20250124',
      name: 'bash',
      ...runnable(async ({ command, restart }, call) =>
        restart === true ? restarted() : hands.call('exec', { command }, { ...call, toEnd: true }),
      ),
    },
    textEditor: {
      type: 'text_editor_20250728',
      name: 'str_replace_based_edit_tool',
      ...(maxCharacters === undefined ? {} : { max_characters: maxCharacters }),
      ...runnable((args, call) => editorCalls(hands, args, call, maxCharacters)),
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
  const text = 'There is nothing to restart: every command starts in a fresh shell in the workspace.';
  return { content: [{ type: 'text', text }], details: {} };
}

/** Pictures in types that the model does not take were made into ones that it does when they were read. */
function answerOf(result: ToolResult): Answer {
  if (result.content.every(({ type }) => type === 'text')) return textOf(result);
  return result.content.map((piece) =>
    piece.type === 'text'
      ? { type: 'text', text: piece.text }
      : { type: 'image', source: { type: 'base64', data: piece.data, media_type: piece.mimeType as ImageType } },
  );
}
