/** The staleness check for changes through `path`. */
import { Fault } from '../../base/fault.ts';
import type { Files } from '../../hosts/files/shape.ts';
import { parseOcPath } from '../../text/address/parse.ts';
import { checkStaleness, currentFile, KEPT, type Stale, staleDetails, staleNote } from '../edit/staleness.ts';
import { hiddenPart, type SecretsView } from '../secrets/secrets.ts';
import type { ReadMemory } from '../tool.ts';
import { withOpen } from './with-open.ts';

export interface MemoryContext extends SecretsView {
  readonly files: Files;
  readonly reads?: ReadMemory | undefined;
}

/** Runs a change. If this agent has read the file, refuses or reports a stale file, and remembers the new content. */
export async function withReadMemory<T extends { readonly ok: boolean }>(
  context: MemoryContext,
  address: string,
  change: () => Promise<T>,
): Promise<T> {
  const { files, reads } = context;
  const known = reads === undefined ? undefined : knownFile(context, reads, address);
  if (reads === undefined || known === undefined) return change();
  const answer = await change();
  if (!answer.ok) return answer;
  const { stale, hidden } = known;
  withOpen(files, files.locate(parseOcPath(address).file), (file) => {
    const isKept = !hidden && file.size <= (reads.mostContent ?? 0);
    reads.remember(file.located.path, files.hashOf(file), isKept ? file.readAll() : undefined);
  });
  return stale === undefined
    ? answer
    : { ...answer, ...staleDetails(stale), note: staleNote({ ...stale, diff: undefined }, KEPT) };
}

interface KnownFile {
  readonly hidden: boolean;
  readonly stale: Stale | undefined;
}

/** Undefined when the agent has not read the file, or when the change itself will report the fault. */
function knownFile(context: MemoryContext, reads: ReadMemory, address: string): KnownFile | undefined {
  const { files } = context;
  try {
    const located = files.locate(parseOcPath(address).file);
    if (reads.recall(located.path) === undefined) return undefined;
    return withOpen(files, located, (file) => {
      const name = files.nameOf(located);
      const hidden = hiddenPart([located.path, name], file, context) !== undefined;
      return {
        hidden,
        stale: checkStaleness({ expectHash: undefined, reads }, currentFile(files, file, name, hidden)),
      };
    });
  } catch (error) {
    if (error instanceof Fault && error.code !== 'EDIT_STALE') return undefined;
    throw error;
  }
}
