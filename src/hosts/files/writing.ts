import { basename } from 'node:path';
import type { Located } from '../host.ts';
import type { LockOptions } from './locks.ts';
import { isClientFile, isConfigName, refuseGit, refuseState, type Protection } from './protect.ts';
import type { OpenRecord } from './recorder.ts';
import { clientProtected, configProtected, unfinishedProtected } from './refusals.ts';
import { isUnfinishedName } from './temp.ts';

/**
 * What is done with a file of several names: not even read by tools; read but not written, since a replacement would
 * part the names; or written in place, so that all of its names keep the same file.
 */
export type HardLinks = 'refuse' | 'refuse-writes' | 'in-place';

/** How a writer works. */
export interface WriteOptions extends LockOptions {
  /** Whether a write outlives a power cut; true unless told. */
  readonly durable?: boolean;
  /**
   * Whether access lists and extended attributes of a replaced file are kept, as far as that can be done; `keep` unless
   * told. Keeping them takes a process for each file, and only durable writes of a few files do it.
   */
  readonly attributes?: 'keep' | 'drop';
  readonly hardLinks?: HardLinks;
  readonly protect?: Protection;
  /** Begins the record of one change; there is none when changes are not recorded. */
  readonly record?: () => OpenRecord;
}

/** Refuses to write what belongs to git or to Pincer itself, its configuration included, unless the operator named it. */
export function refuseProtected(files: readonly Located[], { protect, stateDir }: WriteOptions): void {
  refuseGit(files, protect);
  for (const { path, root } of files) {
    if (root === undefined) continue;
    refuseState(path, stateDir);
    if (isUnfinishedName(basename(path))) throw unfinishedProtected(path);
    if (protect !== 'none' && isConfigName(basename(path))) throw configProtected(path);
    if (protect !== 'none' && isClientFile(path)) throw clientProtected(path);
  }
}
