/** When to try again after a lost link: each step with jitter, so that the pages of a restarted gateway do not all come at once. */
const STEPS_MS = [500, 1000, 2000, 4000, 8000];

/** @param attempt failed attempts so far, from 0 @param random from 0 to 1 */
export function backoffMs(attempt: number, random: number): number {
  const step = STEPS_MS[Math.min(attempt, STEPS_MS.length - 1)]!;
  return Math.round(step * (0.75 + random * 0.5));
}
