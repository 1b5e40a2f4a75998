import type { Located } from '../host.ts';
import type { LockOptions } from './locks.ts';
import { refuseGit, refuseState, type Protection } from './protect.ts';
import type { OpenRecord } from './recorder.ts';

/**
 * What is done with a file of several names: not even read by tools; read but not written, since a replacement would
 * part the names; or written in place, so that all of its names keep the same file.
 */
export type HardLinks = 'refuse' | 'refuse-writes' | 'in-place';

/** How a writer works. */
export interface WriteOptions extends LockOptions {
  /** Whether a write outlives a power cut; true unless told. */
  readonly durable?: boolean;
  readonly hardLinks?: HardLinks;
  readonly protect?: Protection;
  /** Begins the record of one change; there is none when changes are not recorded. */
  readonly record?: () => OpenRecord;
}

/** Refuses to write what belongs to git or to Pincer itself, unless the operator named it. */
export function refuseProtected(file: Located, { protect, stateDir }: WriteOptions): void {
  refuseGit(file, protect);
  if (file.root !== undefined) refuseState(file.path, stateDir);
}
