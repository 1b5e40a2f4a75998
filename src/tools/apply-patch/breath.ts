/** Work in steps: the event loop gets its turn now and then, so that a signal can fire and be heard. */
import { Fault } from '../../base/fault.ts';

/** How long work may go on without a pause, in milliseconds. */
const LONGEST_BREATH = 15;

/** Runs the steps with pauses; stops with PATCH_ABORTED between two of them. */
export async function withBreath<T>(steps: Generator<void, T>, signal: AbortSignal | undefined): Promise<T> {
  let since = performance.now();
  for (;;) {
    refuseAborted(signal);
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < LONGEST_BREATH) continue;
    await new Promise((resolve) => setTimeout(resolve, 0));
    since = performance.now();
  }
}

/** Runs the steps in one go, where nobody may come in between. */
export function atOnce<T>(steps: Generator<void, T>, signal: AbortSignal | undefined): T {
  for (;;) {
    refuseAborted(signal);
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

export function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  const fault = new Fault('PATCH_ABORTED', 'Aborted', { hint: 'nothing was changed' });
  fault.name = 'AbortError'; // what callers of an aborted function look for
  throw fault;
}
