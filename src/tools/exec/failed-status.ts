import { Fault } from '../../base/fault.ts';
import type { ToolResult } from '../../wire/tool.ts';

/** Adds `status: 'failed'` to the details of faults: results of these tools always have a status. */
export async function withFailedStatus(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, hint, details, cause } = error;
    throw new Fault(code, message, {
      ...(hint === undefined ? {} : { hint }),
      details: { status: 'failed', ...details },
      cause,
    });
  }
}

export function noGateway(): Fault {
  return new Fault('EXEC_UNAVAILABLE', 'these tools have no gateway to run commands', {
    hint: 'pass a gateway to assembleTools',
  });
}
