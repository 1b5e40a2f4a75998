/** Guards the obeyed files that a scan found: the files themselves, the targets of symlinks, and the scripts that they name. */
import { dirname, join } from 'node:path';
import { lstatAt } from '../../obeyed/file-stamp.ts';
import { isGuardedRow, isRepositoryRow } from '../../obeyed/guarded-rows.ts';
import { isGitName } from '../../obeyed/match.ts';
import { pathsNamedBy } from '../../obeyed/named.ts';
import { ObeyedBudget } from '../../obeyed/obeyed-budget.ts';
import { isUtf8Path } from '../../obeyed/path-bytes.ts';
import type { Steps } from '../../obeyed/pauses.ts';
import { realOf } from '../../obeyed/reading.ts';
import { type Found, type Scan, SCAN_BOUNDS, type Unsearched, walkFrom } from '../../obeyed/scan.ts';
import type { Guards } from './guards.ts';
import type { PathHandle } from './path-handles.ts';
import { guardRepository } from './repository.ts';

export interface WorkspaceScan extends Pick<Scan, 'found' | 'unsearched'> {
  /** By the path of the file that names them. A missing script cannot be guarded; its creation is reported after the command. */
  readonly scripts: ReadonlyMap<string, readonly string[]>;
}

export function* scanToGuard(workspace: PathHandle): Steps<WorkspaceScan> {
  const { found, unsearched } = yield* walkFrom(workspace.below('.'), SCAN_BOUNDS);
  const budget = new ObeyedBudget();
  const scripts = new Map<string, readonly string[]>();
  const unread: Unsearched[] = [];
  const top = workspace.path();
  for (const each of found) {
    if (!isUtf8Path(each.path) || !isGuarded(each)) continue;
    const named = yield* pathsNamedBy(each, top, budget);
    unread.push(...named.unsearched);
    const existing: string[] = [];
    for (const path of named.paths) {
      if (lstatAt(join(top, path)) !== undefined) existing.push(path);
      yield undefined;
    }
    scripts.set(each.path, existing);
  }
  return { found, scripts, unsearched: [...unsearched, ...unread] };
}

/** Guards all findings except repositories. */
export function guardFound({ found, scripts }: WorkspaceScan, workspace: PathHandle, guards: Guards): void {
  for (const each of found) {
    const { path, kind } = each;
    if (!isUtf8Path(path)) throw guards.unguardable(path, 'the name is not UTF-8');
    if (!isGuarded(each)) continue;
    if (kind === 'link') guardTarget(path, workspace, guards);
    else guards.add(path, 'ro');
    for (const script of scripts.get(path) ?? []) guards.addScript(script);
    guards.refuseTooMany();
  }
}

/** Guards repositories below the top: their folders, worktrees, and folders that git would treat as a repository. */
export function guardRepositories(
  found: readonly Found[],
  workspace: PathHandle,
  guards: Guards,
  budget: ObeyedBudget,
): void {
  for (const each of found) {
    const { path, row } = each;
    if (!isRepositoryRow(row) || path === '.git') continue;
    const git = join(workspace.path(), path);
    const isNamed = isGitName(path.slice(path.lastIndexOf('/') + 1));
    guardRepository({ git, files: isNamed ? dirname(git) : git }, guards, budget);
    guards.refuseTooMany();
  }
}

function isGuarded({ row }: Found): boolean {
  return !isRepositoryRow(row) && isGuardedRow(row);
}

/** A symlink itself cannot be guarded; that it was redirected is reported after the command. */
function guardTarget(link: string, workspace: PathHandle, guards: Guards): void {
  const place = guards.relative(realOf(join(workspace.path(), link)) ?? '/');
  if (place !== undefined) guards.add(place, 'ro');
}
