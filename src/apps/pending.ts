/** Calls that wait for a person. */
import type { ToolResult } from '../wire/tool.ts';

/** Only commands are asked about; what any other tool says of approvals comes out of a file or a sandbox. */
export function waitsForPerson(tool: string, { details }: Pick<ToolResult, 'details'>): boolean {
  return (tool === 'exec' || tool === 'process') && details['status'] === 'approval-pending';
}
