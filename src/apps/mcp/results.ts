/**
 * A tool result in the format of MCP. Some clients show the model only the text, others only the structured data: each is
 * complete on its own.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Content, ToolResult } from '../../wire/tool.ts';

/** Details that the text already contains. */
const REPEATED: ReadonlySet<string> = new Set(['aggregated']);

export function callResult(tool: string, result: ToolResult): CallToolResult {
  const content = [...result.content, ...outputSoFar(result)];
  const failed = result.isError === true ? { isError: true } : {};
  const blocks = content.map((block) => ({ ...block }));
  // A client that shows only structured data would drop the image.
  if (content.some(({ type }) => type === 'image')) return { content: blocks, ...failed };
  return { content: blocks, structuredContent: dataOf(tool, result, contentText(content)), ...failed };
}

export function contentText(content: readonly Content[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** The text of `path` is JSON, which equals the data. */
function dataOf(tool: string, { details }: ToolResult, text: string): Record<string, unknown> {
  if (tool === 'path' && text.startsWith('{')) return { ...details };
  const kept = Object.entries(details).filter(([name, value]) => !REPEATED.has(name) && value !== undefined);
  return { ...Object.fromEntries(kept), text };
}

/** Only the data contain the output so far of a running command: adds it to the text. */
function outputSoFar({ details: { status, tail } }: ToolResult): readonly Content[] {
  if (status !== 'running' || typeof tail !== 'string' || tail.trim() === '') return [];
  return [{ type: 'text', text: `Output so far:\n${tail.replace(/\n+$/u, '')}` }];
}
