/** The shape of what an agent may call. */
import type { Files } from '../hosts/host.ts';

/** The part of JSON Schema that every model provider understands. */
export interface ToolSchema {
  readonly type: 'object';
  readonly properties: Readonly<
    Record<string, { readonly type: string; readonly description: string; readonly enum?: readonly string[] }>
  >;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

export interface ToolContext {
  readonly files: Files;
}

/** What a tool answers: text for the model, the same as data for machines. */
export interface ToolResult {
  readonly content: string;
  readonly details: unknown;
  readonly isError: boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: ToolSchema;
  readonly effects: 'reads' | 'writes' | 'runs';
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}
