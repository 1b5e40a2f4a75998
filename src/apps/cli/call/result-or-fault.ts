import { Fault } from '../../../base/fault.ts';
import { faultResult } from '../../../tools/call.ts';
import type { ToolResult } from '../../../wire/tool.ts';
import { internalFault } from '../failure.ts';

/** Turns a thrown error into a tool result, so that a caller always gets one. Usage errors of the command line are rethrown. */
export async function resultOrFault(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault && error.code === 'USAGE_ARGUMENTS') throw error;
    return faultResult(error instanceof Fault ? error : internalFault(error));
  }
}
