import type { ToolResult } from '../wire/tool.ts';

/** Only commands need approval. A status in the result of any other tool may come from a file or a sandbox: it is ignored. */
export function isApprovalPending(tool: string, { details }: Pick<ToolResult, 'details'>): boolean {
  return (tool === 'exec' || tool === 'process') && details['status'] === 'approval-pending';
}
