import type { Files } from '../host.ts';
import { lineCounts } from './line-counts.ts';
import { leftovers } from './leftovers.ts';
import { locate, locateOperator } from './locate.ts';
import { openFile, openSlot } from './open.ts';

export interface FilesOptions {
  /** The workspace: where names start, and what a slot may not leave. */
  readonly cwd: string;
  /** Where locks, journals and line counts are kept. */
  readonly stateDir: string;
  /** How long a writer waits for another one; 30 seconds unless told. */
  readonly lockWaitMs?: number;
}

/** The files of this machine. */
export function localFiles(options: FilesOptions): Files {
  return {
    locate: (slot) => locate(options.cwd, slot),
    locateOperator: (path) => locateOperator(options.cwd, path),
    open: openFile,
    openSlot: (slot) => openSlot(options.cwd, slot),
    hasLeftovers: () => leftovers(options.stateDir).length > 0,
    lineCounts: () => lineCounts(options.stateDir),
    writer: async () => (await import('./writer.ts')).fileWriter(options),
  };
}
