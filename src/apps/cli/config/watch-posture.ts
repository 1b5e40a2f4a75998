/** Detects whether a change of settings changed the posture. */
import { isDeepStrictEqual } from 'node:util';
import { agentName } from '../../../config/agent.ts';
import { type PostureReport, postureReport } from '../../posture.ts';
import { postureText } from '../../terminal/posture-lines.ts';
import type { ConfigRun } from './config-run.ts';

/** Does the work, and returns the new posture if it differs from the old one. */
export async function watchPosture<T>(
  { folder, dryRun }: { readonly folder: string; readonly dryRun: boolean },
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly posture?: PostureReport }> {
  if (dryRun) return { value: await work() };
  const caller = { agent: agentName() };
  const before = await postureReport(folder, caller);
  const value = await work();
  // Wait only once for a hung daemon. `files` is dropped because it may have changed.
  if (before.code === 'GATEWAY_UNRESPONSIVE') {
    const { files: _, ...posture } = before;
    return { value, posture };
  }
  const after = await postureReport(folder, caller);
  return { value, ...(isDeepStrictEqual(before, after) ? {} : { posture: after }) };
}

/** Text only: the JSON output contains the posture as data. */
export function printPosture({ json, output }: ConfigRun, posture: PostureReport | undefined): void {
  if (posture !== undefined && !json) output.out(`${postureText(posture, output.colour)}\n`);
}
