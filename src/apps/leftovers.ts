/** Recovery of batches that a process left incomplete when it died. */
import type { Files } from '../hosts/files/shape.ts';

/** Completes interrupted batches; `notify` receives a message for each path and batch that could not be completed. */
export async function completeLeftovers(files: Files, notify: (message: string) => void): Promise<void> {
  if (!files.hasLeftovers()) return;
  const { conflicts, failed } = (await files.writer('recover')).recover();
  for (const path of conflicts)
    notify(`an interrupted batch was completed, but ${path} had changed since and was not written`);
  for (const { journal, reason } of failed)
    notify(`the interrupted batch ${journal} could not be completed: ${reason}`);
}
