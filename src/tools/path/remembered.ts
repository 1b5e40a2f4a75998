/** What `path` writes, this agent knows: a later `write` of the same file is not stale because of it. */
import { Fault } from '../../base/fault.ts';
import type { Files } from '../../hosts/host.ts';
import { parseOcPath } from '../../text/address/parse.ts';
import type { ReadMemory } from '../tool.ts';
import { withOpen } from './open.ts';

/** Runs a change and remembers the new content, if this agent knew the one before. */
export async function remembering<T extends { readonly ok: boolean }>(
  files: Files,
  reads: ReadMemory | undefined,
  address: string,
  change: () => Promise<T>,
): Promise<T> {
  if (reads === undefined || !isKnown(files, reads, address)) return change();
  const answer = await change();
  if (answer.ok) {
    const located = files.locate(parseOcPath(address).file);
    withOpen(files, located, (file) => reads.remember(located.path, files.hashOf(file)));
  }
  return answer;
}

function isKnown(files: Files, reads: ReadMemory, address: string): boolean {
  try {
    const located = files.locate(parseOcPath(address).file);
    const remembered = reads.recall(located.path);
    return remembered !== undefined && withOpen(files, located, (file) => files.hashOf(file)) === remembered;
  } catch (error) {
    if (error instanceof Fault) return false; // the change itself says what is wrong
    throw error;
  }
}
