import { Fault } from '../../../base/fault.ts';

/** Undefined where the daemon no longer has it. */
export async function ifKnown<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Fault && (error.code === 'APPROVAL_UNKNOWN' || error.code === 'EXEC_SESSION_UNKNOWN'))
      return undefined;
    throw error;
  }
}
