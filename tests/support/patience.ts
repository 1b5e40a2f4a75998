/** Bounds for what has to come: far beyond what a busy machine needs, and an end for a test that fails. */
import { statSync } from 'node:fs';
import { expect } from 'vitest';

/** Less than a whole test has, so that it can still say what did not come; as `expect.poll` has it, see vitest.config.ts. */
export const PATIENCE_MS = 40_000;

/** More than the longest tick of a clock of a file system. */
const TICK_MS = 60;

/** Waits until the next write to a file cannot leave the same times. */
export async function ripened(path: string): Promise<void> {
  await expect
    .poll(() => Date.now() - Number(statSync(path, { bigint: true }).ctimeNs / 1_000_000n))
    .toBeGreaterThan(TICK_MS);
}
