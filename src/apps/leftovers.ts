/** What processes that died in the middle of a batch left behind is completed before anything else is done. */
import type { Files } from '../hosts/files/shape.ts';

/** Completes interrupted batches; `tell` hears of each that could not be completed as it was meant. */
export async function completeLeftovers(files: Files, tell: (message: string) => void): Promise<void> {
  if (!files.hasLeftovers()) return;
  const { conflicts, failed } = (await files.writer('recover')).recover();
  for (const path of conflicts)
    tell(`an interrupted batch was completed, but ${path} had been changed since and was left alone`);
  for (const { journal, reason } of failed) tell(`the interrupted batch ${journal} could not be completed: ${reason}`);
}
