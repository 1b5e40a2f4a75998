import { basename } from 'node:path';
import type { Located } from '../shape.ts';
import { isWrittenByInit } from '../gate/init-record.ts';
import type { LockOptions } from '../locks/locks.ts';
import { isOnClosedPath } from '../../obeyed/links.ts';
import { withoutPauses } from '../../obeyed/pauses.ts';
import { realPlaceOf } from '../../obeyed/reading.ts';
import { type ObeyedSearch, searchSteps } from '../gate/obeyed-search.ts';
import { withPaths } from '../gate/other-paths.ts';
import { homesOf, refuseHome } from '../gate/protect-home.ts';
import { isClientFile, isConfigName, refuseGit, refuseState, type Protection } from '../gate/protect.ts';
import { refuseProgram } from '../gate/protect-program.ts';
import type { OpenRecord } from '../changes/recorder-shape.ts';
import { clientProtected, configProtected, linkProtected, unfinishedProtected } from '../gate/refusals.ts';
import { splitPath } from '../gate/steps.ts';
import { isUnfinishedName } from './temp.ts';

/**
 * What to do with a file that has hard links: refuse to read and write it; read but not write it, because a replacement
 * would separate the links; or write it in place, so that all of its names keep the same file.
 */
export type HardLinks = 'refuse' | 'refuse-writes' | 'in-place';

export interface WriteOptions extends LockOptions {
  /** Whether a write survives a power failure and keeps attributes that grant the group nothing. Default: true. */
  readonly durable?: boolean;
  readonly hardLinks?: HardLinks;
  readonly protect?: Protection;
  /** The workspace. */
  readonly cwd?: string;
  readonly home?: string;
  /** What programs obey in the workspace. Default: each write searches for it synchronously. */
  readonly searched?: ObeyedSearch;
  /** Begins the record of one change; undefined if changes are not recorded. */
  readonly record?: () => OpenRecord;
  /** Called before the write with everything that it loses for good. */
  readonly warn?: (warning: string) => void;
}

const NOTHING_FOUND: ObeyedSearch = { links: [], closed: [] };

/**
 * Refuses to write what belongs to git or Pincer, or what programs obey, by every path that reaches it. Files that the
 * operator named are not checked.
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
  if (unsearched !== undefined)
    warn?.(`the search for symlinks to these files did not cover the whole workspace: ${unsearched}`);
  const inside = withPaths(files, homes, links);
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
    // A tool that creates or removes such an entry changes where a link leads.
    if (isOnClosedPath(splitPath(path))) throw linkProtected(own);
    if (isClientFile(path) || isWrittenByInit(path, stateDir)) throw clientProtected(own, path);
  }
}
