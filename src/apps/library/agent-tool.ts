/** The shape in which agent runtimes such as pi and OpenClaw take tools, and how a failure looks in it. */
import type { ToolSchema } from '../../tools/tool.ts';
import type { Content, ToolResult } from '../../wire/tool.ts';

/** What a tool answers. */
export interface AgentToolResult {
  readonly content: readonly Content[];
  readonly details: Readonly<Record<string, unknown>>;
  /** Only where failures are asked for as results. */
  readonly isError?: true;
}

/** A tool as an agent runtime takes it. */
export interface AgentTool {
  readonly name: string;
  /** How it is called where people read it. */
  readonly label: string;
  readonly description: string;
  readonly parameters: ToolSchema;
  /** Parameters under other names, made canonical and held against the schema; for runtimes that check parameters themselves. */
  prepareArguments(args: unknown): Readonly<Record<string, unknown>>;
  /**
   * Does it. A failure is thrown as a `ToolFailure` (its name is `AbortError` where the signal stopped it), unless failures
   * were asked for as results.
   */
  execute(
    toolCallId: string,
    params: unknown,
    signal?: AbortSignal,
    onUpdate?: (partial: AgentToolResult) => void,
  ): Promise<AgentToolResult>;
}

/** What a tool could not do. The message is all that the model should read of it. */
export class ToolFailure extends Error {
  /** From the table of errors. */
  readonly code: string;
  /** The whole answer. */
  readonly result: ToolResult;

  constructor(result: ToolResult) {
    const stopped = result.details['name'] === 'AbortError';
    super(stopped ? 'Aborted' : textOf(result));
    this.name = stopped ? 'AbortError' : 'ToolFailure';
    this.code = result.details['code'] as string;
    this.result = result;
  }
}

/** The text of an answer, as a model reads it. */
export function textOf({ content }: Pick<ToolResult, 'content'>): string {
  return content.flatMap((piece) => (piece.type === 'text' ? [piece.text] : [])).join('\n');
}

/** An answer that is none is thrown. */
export function unlessFailed(result: ToolResult): ToolResult {
  if (result.isError === true) throw new ToolFailure(result);
  return result;
}
