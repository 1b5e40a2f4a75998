/** Work in steps: the event loop gets its turn now and then, so that a signal can fire and be heard. */
import { refuseAborted } from '../abort.ts';

/** How long work may go on without a pause, in milliseconds. */
const LONGEST_BREATH = 15;

/** Lets the event loop have its turn. Where there is no setImmediate, as in a browser, a timer takes its longer time. */
const afterOthers: (goOn: () => void) => void =
  typeof setImmediate === 'function' ? (goOn) => setImmediate(goOn) : (goOn) => setTimeout(goOn, 0);

/** Runs the steps with pauses; stops between two of them. */
export async function withBreath<T>(steps: Generator<void, T>, signal: AbortSignal | undefined): Promise<T> {
  let since = performance.now();
  for (;;) {
    refuseAborted(signal);
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < LONGEST_BREATH) continue;
    await new Promise<void>(afterOthers);
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
