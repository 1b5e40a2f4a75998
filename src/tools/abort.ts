import { Fault } from '../base/fault.ts';

/** Call it only where nothing has been written yet. */
export function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted();
}

/** Callers recognise it by its name. */
export function aborted(): Fault {
  const fault = new Fault('TOOL_ABORTED', 'Aborted', {
    hint: 'nothing was changed',
    details: { name: 'AbortError' },
  });
  fault.name = 'AbortError';
  return fault;
}
