import type { ToolResult } from '../wire/tool.ts';

/** Whether this gateway can take the answer: an approval request on a node is answered there. Only commands need approval. A status in the result of any other tool may come from a file or a sandbox: it is ignored. */
export function isApprovalPending(tool: string, { details }: Pick<ToolResult, 'details'>): boolean {
  const isCommand = tool === 'exec' || tool === 'process';
  return isCommand && details['status'] === 'approval-pending' && details['node'] === undefined;
}
