import { Fault } from '../base/fault.ts';

/** Stops when the signal has fired; asked where nothing has been written yet. */
export function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted();
}

/** What a stopped call answers, or a stopped function throws: its name is what callers look for. */
export function aborted(): Fault {
  const fault = new Fault('TOOL_ABORTED', 'Aborted', {
    hint: 'nothing was changed',
    details: { name: 'AbortError' },
  });
  fault.name = 'AbortError';
  return fault;
}
