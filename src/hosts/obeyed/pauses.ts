/** Work in steps: whoever chooses how much there is to do cannot make others wait. */
import { setImmediate as breathe } from 'node:timers/promises';

/** Work that yields often. */
export type Steps<T> = Generator<undefined, T>;

/** Others wait no longer than this. */
const BREATH_MS = 10;

/** Runs the steps with pauses in which others go on. */
export async function withPauses<T>(steps: Steps<T>): Promise<T> {
  for (let since = performance.now(); ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < BREATH_MS) continue;
    await breathe();
    since = performance.now();
  }
}

/** Runs the steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
