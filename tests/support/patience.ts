/** Bounds for what has to come: far beyond what a busy machine needs, and an end for a test that fails. */
import { statSync } from 'node:fs';
import { expect, vi } from 'vitest';
import { threadSeconds } from '../../scripts/processor-time.mjs';
import { until } from './until.ts';

export { boundedBy, eventLoopTurns, PATIENCE_MS, UNTIL_GO, until, untilIdle, withEnoughTime } from './until.ts';

/** Advances the fake clock of this test until something holds: nobody knows when a timer is set. */
export function advancedUntil(stepMs: number, holds: () => boolean, what: string): Promise<void> {
  return until(() => {
    vi.advanceTimersByTime(stepMs);
    return holds();
  }, what);
}

/** Processor time of this thread so far: a bound on it holds however busy the machine is. */
export function processorMs(): number {
  return threadSeconds() * 1000;
}

/** More than the longest tick of a clock of a file system. */
const TICK_MS = 60;

/** Waits until the next write to a file cannot leave the same times. */
export async function ripened(path: string): Promise<void> {
  await expect
    .poll(() => Date.now() - Number(statSync(path, { bigint: true }).ctimeNs / 1_000_000n))
    .toBeGreaterThan(TICK_MS);
}
