/** Work in steps, so that an untrusted amount of work does not block the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises';

export type Steps<T> = Generator<undefined, T>;

/** How long the event loop may be blocked. */
const MOST_BLOCKED_MS = 10;

/** Runs the steps with pauses for other work. */
export async function withPauses<T>(steps: Steps<T>): Promise<T> {
  for (let since = performance.now(); ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < MOST_BLOCKED_MS) continue;
    await nextTurn();
    since = performance.now();
  }
}

/** Runs all steps synchronously. */
export function withoutPauses<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
