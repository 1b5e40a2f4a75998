/** How the tools that run commands fail. */
import { Fault } from '../../base/fault.ts';
import type { ToolResult } from '../../wire/tool.ts';

/** Whoever reads `details.status` finds one also where the question could not be answered. */
export async function failingWithStatus(work: () => Promise<ToolResult>): Promise<ToolResult> {
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

/** Commands cannot be run where nobody gave the tools a gateway. */
export function noGateway(): Fault {
  return new Fault('EXEC_UNAVAILABLE', 'no commands can be run from here', {
    hint: 'the library runs commands when assembleTools is given a gateway',
  });
}
