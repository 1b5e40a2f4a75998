/** Whether a file still is what the caller believes it to be; by content, never by time. */
import { Fault } from '../../base/fault.ts';
import type { ReadMemory } from '../tool.ts';

export interface Belief {
  /** The hash that the caller named in this call. */
  readonly expectHash: string | undefined;
  readonly reads: ReadMemory | undefined;
}

/**
 * Looks at a file before it is changed: true when it is not what this agent last read, and that is only worth a word.
 * `hash` is asked for only when there is something to compare; undefined means that there is no file.
 */
export function isStale(belief: Belief, path: string, name: string, hash: () => string | undefined): boolean {
  const { expectHash, reads } = belief;
  if (expectHash !== undefined && hash() !== expectHash)
    throw stale(name, `${name} has not the content that expectHash names`, { expected: expectHash, present: hash() });
  const remembered = reads?.recall(path);
  if (reads === undefined || remembered === undefined) return false;
  const present = hash();
  if (present === undefined || present === remembered) return false;
  if (reads.onStale === 'refuse')
    throw stale(name, `${name} has changed since you last read it`, { expected: remembered, present });
  return true;
}

export const STALE_NOTE = 'Note: the file had changed since you last read it.';

function stale(name: string, message: string, hashes: Readonly<Record<string, unknown>>): Fault {
  return new Fault('EDIT_STALE', `${message}; nothing was changed`, {
    hint: 'read the file again and decide anew',
    details: { path: name, ...hashes },
  });
}
