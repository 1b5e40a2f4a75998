/** The tool type of agent runtimes such as pi and OpenClaw, and its failures. */
import type { ToolSchema } from '../../tools/tool.ts';
import type { Content, ToolResult } from '../../wire/tool.ts';

export interface AgentToolResult {
  readonly content: readonly Content[];
  readonly details: Readonly<Record<string, unknown>>;
  /** Only if failures are returned as results. */
  readonly isError?: true;
}

export interface AgentTool {
  readonly name: string;
  /** The name for people. */
  readonly label: string;
  readonly description: string;
  readonly parameters: ToolSchema;
  /** Resolves aliases of parameters and checks them against the schema; for runtimes that validate parameters themselves. */
  prepareArguments(args: unknown): Readonly<Record<string, unknown>>;
  /**
   * Calls the tool. Throws a `ToolFailure` (with the name `AbortError` if the signal aborted it), unless
   * the options request failures as results.
   */
  execute(
    toolCallId: string,
    params: unknown,
    signal?: AbortSignal,
    onUpdate?: (partial: AgentToolResult) => void,
  ): Promise<AgentToolResult>;
}

/** The failure of a tool. The model should see only its message. */
export class ToolFailure extends Error {
  /** A fault code of docs/errors.md. */
  readonly code: string;
  readonly result: ToolResult;

  constructor(result: ToolResult) {
    const stopped = result.details['name'] === 'AbortError';
    super(stopped ? 'Aborted' : resultText(result));
    this.name = stopped ? 'AbortError' : 'ToolFailure';
    this.code = result.details['code'] as string;
    this.result = result;
  }
}

export function resultText({ content }: Pick<ToolResult, 'content'>): string {
  return content.flatMap((piece) => (piece.type === 'text' ? [piece.text] : [])).join('\n');
}

export function throwIfFailed(result: ToolResult): ToolResult {
  if (result.isError === true) throw new ToolFailure(result);
  return result;
}
