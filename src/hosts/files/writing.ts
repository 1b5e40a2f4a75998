import { basename } from 'node:path';
import type { Located } from '../host.ts';
import { isWrittenByInit } from './init-record.ts';
import type { LockOptions } from './locks.ts';
import { isOnClosedPath } from '../obeyed/links.ts';
import { reached, searchedFolders } from './other-paths.ts';
import { homesOf, refuseHome } from './protect-home.ts';
import { isClientFile, isConfigName, refuseGit, refuseState, type Protection } from './protect.ts';
import { refuseProgram } from './protect-program.ts';
import type { OpenRecord } from './recorder.ts';
import { clientProtected, configProtected, linkProtected, unfinishedProtected } from './refusals.ts';
import { splitPath } from './steps.ts';
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
  /** The workspace, and what the caller takes for the home. */
  readonly cwd?: string;
  readonly home?: string;
  /** Begins the record of one change; there is none when changes are not recorded. */
  readonly record?: () => OpenRecord;
  /** Called before anything is written, with each thing that the write loses and cannot bring back. */
  readonly warn?: (warning: string) => void;
}

/**
 * Refuses to write what belongs to git or to Pincer itself, or what programs obey, by whatever path they reach it, unless the
 * operator named it.
 */
export function refuseProtected(
  files: readonly Located[],
  { protect = 'git', stateDir, home, cwd }: WriteOptions,
): void {
  const isOpen = protect === 'none';
  const homes = homesOf(home);
  const inside = reached(files, homes, cwd);
  if (inside.length === 0) return;
  if (!isOpen) refuseGit(inside, { homes, folders: searchedFolders(files, cwd) });
  refuseProgram(inside);
  for (const { file, paths } of inside) {
    refuseState(file.path, stateDir);
    if (isUnfinishedName(basename(file.path))) throw unfinishedProtected(file.path);
    if (!isOpen) refuseNamed(file.path, paths, stateDir);
  }
  if (!isOpen) refuseHome(files, homes, cwd);
}

function refuseNamed(own: string, paths: readonly string[], stateDir: string): void {
  for (const path of paths) {
    if (isConfigName(basename(path))) throw configProtected(own, path);
    // A tool that makes or removes such an entry moves a link.
    if (isOnClosedPath(splitPath(path))) throw linkProtected(own);
    if (isClientFile(path) || isWrittenByInit(path, stateDir)) throw clientProtected(own, path);
  }
}
