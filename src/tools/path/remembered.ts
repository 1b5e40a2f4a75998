/** What `path` changes is compared with what this agent last read, and is known to it afterwards. */
import { Fault } from '../../base/fault.ts';
import type { Files } from '../../hosts/files/shape.ts';
import { parseOcPath } from '../../text/address/parse.ts';
import { checkStaleness, currentFile, KEPT, type Stale, staleDetails, staleNote } from '../edit/staleness.ts';
import { hiddenPart, type SecretsView } from '../secrets/secrets.ts';
import type { ReadMemory } from '../tool.ts';
import { withOpen } from './open.ts';

/** Who changes which file. */
export interface Remembering extends SecretsView {
  readonly files: Files;
  readonly reads?: ReadMemory | undefined;
}

/** Runs a change of a file; when this agent had read it, a stale one is refused or told, and the new content is remembered. */
export async function remembering<T extends { readonly ok: boolean }>(
  context: Remembering,
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

/** The file of an address as this agent last read it; undefined when it has not, or when the change says what is wrong. */
function knownFile(context: Remembering, reads: ReadMemory, address: string): KnownFile | undefined {
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
