import type { ApprovalInfo } from '../wire/approval.ts';
import type { ToolResult } from '../wire/tool.ts';

/** Whether a person has to approve a command. A status in the result of any other tool may come from a file or a sandbox. */
export function isApprovalPending(tool: string, { details }: Pick<ToolResult, 'details'>): boolean {
  const isCommand = tool === 'exec' || tool === 'process';
  return isCommand && details['status'] === 'approval-pending';
}

/** The node that asks for a pending request. */
export function askingNode({ details }: Pick<ToolResult, 'details'>): ApprovalInfo['node'] {
  return details['node'] as ApprovalInfo['node'];
}

/** The node whose own people have to answer a pending request; undefined where it can be answered at this gateway. */
export function onlyAnsweredOn(result: Pick<ToolResult, 'details'>): ApprovalInfo['node'] {
  const node = askingNode(result);
  return node?.answers === 'none' ? node : undefined;
}
