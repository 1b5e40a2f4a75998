/**
 * A tool's answer as MCP carries it. Some clients show a model only the text, others only the data: each is complete on its
 * own.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Content, ToolResult } from '../../wire/tool.ts';

/** What the text says already. */
const REPEATED: ReadonlySet<string> = new Set(['aggregated']);

/** The result of a call of this tool. */
export function callResult(tool: string, result: ToolResult): CallToolResult {
  const content = [...result.content, ...untold(result)];
  const failed = result.isError === true ? { isError: true } : {};
  const blocks = content.map((block) => ({ ...block }));
  // A client that shows only data would drop the picture.
  if (content.some(({ type }) => type === 'image')) return { content: blocks, ...failed };
  return { content: blocks, structuredContent: dataOf(tool, result, textOf(content)), ...failed };
}

/** All text of an answer. */
export function textOf(content: readonly Content[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** The answers of `path` are JSON, which the data are already. */
function dataOf(tool: string, { details }: ToolResult, text: string): Record<string, unknown> {
  if (tool === 'path' && text.startsWith('{')) return { ...details };
  const kept = Object.entries(details).filter(([name, value]) => !REPEATED.has(name) && value !== undefined);
  return { ...Object.fromEntries(kept), text };
}

/** What the data say and the text does not: the output so far of a command that goes on. */
function untold({ details: { status, tail } }: ToolResult): readonly Content[] {
  if (status !== 'running' || typeof tail !== 'string' || tail.trim() === '') return [];
  return [{ type: 'text', text: `Output so far:\n${tail.replace(/\n+$/u, '')}` }];
}
