/** Whether a change of settings changed what happens to commands and files. */
import { isDeepStrictEqual } from 'node:util';
import { agentName } from '../../../config/agent.ts';
import { type PostureReport, postureReport } from '../../posture.ts';
import { postureText } from '../../terminal/posture-lines.ts';
import type { ConfigRun } from './config-run.ts';

/** Does the work; the posture after it, where it is another one than before. A dry run changes none. */
export async function watchPosture<T>(
  { folder, dryRun }: { readonly folder: string; readonly dryRun: boolean },
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly posture?: PostureReport }> {
  if (dryRun) return { value: await work() };
  const caller = { agent: agentName() };
  const before = await postureReport(folder, caller);
  const value = await work();
  // A daemon that hangs is waited for once; what happens to files may be another now.
  if (before.code === 'GATEWAY_UNRESPONSIVE') {
    const { files: _, ...posture } = before;
    return { value, posture };
  }
  const after = await postureReport(folder, caller);
  return { value, ...(isDeepStrictEqual(before, after) ? {} : { posture: after }) };
}

/** Ends the answer for a person with the same lines as `init`; the answer for a program has them as data. */
export function printPosture({ json, output }: ConfigRun, posture: PostureReport | undefined): void {
  if (posture !== undefined && !json) output.out(`${postureText(posture, output.colour)}\n`);
}
