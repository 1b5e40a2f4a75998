import { Fault } from '../../../base/fault.ts';
import { faultResult } from '../../../tools/call.ts';
import type { ToolResult } from '../../../wire/tool.ts';
import { internalFault } from '../failure.ts';

/**
 * What the work gives, or what it throws, as one result: a caller that waits for an answer always gets one. Only
 * arguments that the command itself cannot take are no business of the caller's.
 */
export async function resultOrFault(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault && error.code === 'USAGE_ARGUMENTS') throw error;
    return faultResult(error instanceof Fault ? error : internalFault(error));
  }
}
