/** What the fixtures share: the server that they are registered on, and the plain values that many of them give. */
import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequiredResult,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
  type ServerEventBus,
} from '@modelcontextprotocol/server';

/** One server under test, and what its fixtures know beside it. */
export interface FixtureServer {
  readonly mcp: McpServer;
  readonly era: 'legacy' | 'modern';
  readonly bus: ServerEventBus;
  readonly state: RequestStateCodec;
}

/** What a fixture tool gives: an answer, or the questions that it needs answered first. */
export type Outcome = CallToolResult | InputRequiredResult;

type Arguments = Readonly<Record<string, unknown>>;

/** A tool whose input is the given schema, or an empty object. */
export function tool(
  { mcp }: FixtureServer,
  name: string,
  description: string,
  run: (context: ServerContext, args: Arguments) => Outcome | Promise<Outcome>,
  schema: Record<string, unknown> = { type: 'object', properties: {} },
): void {
  mcp.registerTool(name, { description, inputSchema: fromJsonSchema<Arguments>(schema) }, (args, context) =>
    run(context, args),
  );
}

/** An answer of one text. */
export function said(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** A required string among the arguments. */
export function textOf(args: Arguments, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value : '';
}

/** One red pixel as PNG. */
export const RED_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';

/** A WAV file without samples: only its header. */
export const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
