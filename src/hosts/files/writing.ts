import { basename } from 'node:path';
import type { Located } from '../host.ts';
import { isWrittenByInit } from './init-record.ts';
import type { LockOptions } from './locks.ts';
import { isClientFile, isConfigName, refuseGit, refuseState, type Protection } from './protect.ts';
import { refuseProgram } from './protect-program.ts';
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
  /** Whether a write outlives a power cut, and keeps lists and attributes that give the group nothing. Default: true. */
  readonly durable?: boolean;
  readonly hardLinks?: HardLinks;
  readonly protect?: Protection;
  /** Begins the record of one change; there is none when changes are not recorded. */
  readonly record?: () => OpenRecord;
  /** Called before anything is written, with each thing that the write loses and cannot bring back. */
  readonly warn?: (warning: string) => void;
}

/** Refuses to write what belongs to git or to Pincer itself, its configuration included, unless the operator named it. */
export function refuseProtected(files: readonly Located[], { protect, stateDir }: WriteOptions): void {
  refuseGit(files, protect);
  refuseProgram(files);
  for (const { path, root } of files) {
    if (root === undefined) continue;
    refuseState(path, stateDir);
    if (isUnfinishedName(basename(path))) throw unfinishedProtected(path);
    if (protect !== 'none' && isConfigName(basename(path))) throw configProtected(path);
    if (protect !== 'none' && (isClientFile(path) || isWrittenByInit(path, stateDir))) throw clientProtected(path);
  }
}
