import { Fault } from '../../src/base/fault.ts';

/** The fault that `work` throws, as plain data; anything else is a failure of the test. */
export function faultOf(work: () => unknown): { code: string; message: string; hint: string | undefined } {
  try {
    work();
  } catch (error) {
    if (error instanceof Fault) return { code: error.code, message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error('expected a fault, but there was none');
}
