import { basename } from 'node:path';
import type { Located } from '../shape.ts';
import { isWrittenByInit } from '../gate/init-record.ts';
import type { LockOptions } from '../locks/locks.ts';
import { isOnClosedPath } from '../../obeyed/links.ts';
import { withoutPauses } from '../../obeyed/pauses.ts';
import { realPlaceOf } from '../../obeyed/reading.ts';
import { type ObeyedSearch, searchSteps } from '../gate/obeyed-search.ts';
import { reached } from '../gate/other-paths.ts';
import { homesOf, refuseHome } from '../gate/protect-home.ts';
import { isClientFile, isConfigName, refuseGit, refuseState, type Protection } from '../gate/protect.ts';
import { refuseProgram } from '../gate/protect-program.ts';
import type { OpenRecord } from '../changes/recorder-shape.ts';
import { clientProtected, configProtected, linkProtected, unfinishedProtected } from '../gate/refusals.ts';
import { splitPath } from '../gate/steps.ts';
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
  /** What programs obey in the workspace. Default: it is searched at once. */
  readonly searched?: ObeyedSearch;
  /** Begins the record of one change; there is none when changes are not recorded. */
  readonly record?: () => OpenRecord;
  /** Called before anything is written, with each thing that the write loses and cannot bring back. */
  readonly warn?: (warning: string) => void;
}

const NOTHING_FOUND: ObeyedSearch = { links: [], closed: [] };

/**
 * Refuses to write what belongs to git or to Pincer itself, or what programs obey, by whatever path they reach it, unless the
 * operator named it.
 */
export function refuseProtected(
  files: readonly Located[],
  { protect = 'git', stateDir, home, cwd, searched, warn }: WriteOptions,
): void {
  const isOpen = protect === 'none';
  const homes = homesOf(home);
  if (files.every(({ root }) => root === undefined)) return;
  const { links, closed, unsearched } = isOpen
    ? NOTHING_FOUND
    : (searched ?? withoutPauses(searchSteps(topsOf(files, cwd), homes)));
  if (unsearched !== undefined) warn?.(`not all of the workspace was searched for links to these files: ${unsearched}`);
  const inside = reached(files, homes, links);
  if (!isOpen) refuseGit(inside, { homes, closed });
  refuseProgram(inside);
  for (const { file, paths } of inside) {
    refuseState(file.path, stateDir);
    if (isUnfinishedName(basename(file.path))) throw unfinishedProtected(file.path);
    if (!isOpen) refuseNamed(file.path, paths, stateDir);
  }
  if (!isOpen) refuseHome(files, homes, cwd);
}

function topsOf(files: readonly Located[], workspace: string | undefined): ReadonlySet<string> {
  const roots = files.flatMap(({ root }) => (root === undefined ? [] : [root]));
  return new Set(workspace === undefined ? roots : [...roots, realPlaceOf(workspace)]);
}

function refuseNamed(own: string, paths: readonly string[], stateDir: string): void {
  for (const path of paths) {
    if (isConfigName(basename(path))) throw configProtected(own, path);
    // A tool that makes or removes such an entry moves a link.
    if (isOnClosedPath(splitPath(path))) throw linkProtected(own);
    if (isClientFile(path) || isWrittenByInit(path, stateDir)) throw clientProtected(own, path);
  }
}
