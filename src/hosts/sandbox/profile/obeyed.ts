/** From what a scan found to the guards of a workspace: the files themselves, what links lead to, and the scripts that they name. */
import { dirname, join } from 'node:path';
import { isGuardedRow, isRepositoryRow } from '../../obeyed/guarded-rows.ts';
import { isGitName } from '../../obeyed/match.ts';
import { pathsNamedBy, WordBudget } from '../../obeyed/named.ts';
import { isUtf8Path } from '../../obeyed/path-bytes.ts';
import { atOnce } from '../../obeyed/pauses.ts';
import { realOf } from '../../obeyed/reading.ts';
import type { Found } from '../../obeyed/scan.ts';
import type { Guards } from './guards.ts';
import type { Held } from './hold.ts';
import { obeyRepository } from './repository.ts';

/** Guards what was found but repositories. */
export function guardFound(found: readonly Found[], workspace: Held, guards: Guards): void {
  const words = new WordBudget();
  for (const each of found) {
    const { path, kind, row } = each;
    if (!isUtf8Path(path)) throw guards.unguardable(path, 'the name is not UTF-8');
    if (isRepositoryRow(row) || !isGuardedRow(row)) continue;
    if (kind === 'link') guardTarget(path, workspace, guards);
    else guards.add(path, 'ro');
    guardNamed(each, words, workspace, guards);
  }
}

/** Guards repositories below the top: their folders, worktrees, and folders that git would take for one. */
export function guardRepositories(found: readonly Found[], workspace: Held, guards: Guards): void {
  for (const each of found) {
    const { path, row } = each;
    if (!isRepositoryRow(row) || path === '.git') continue;
    const git = join(workspace.path(), path);
    const isNamed = isGitName(path.slice(path.lastIndexOf('/') + 1));
    obeyRepository({ git, files: isNamed ? dirname(git) : git }, guards);
  }
}

/** A link itself cannot be guarded: that it was turned is told after the command. */
function guardTarget(link: string, workspace: Held, guards: Guards): void {
  const place = guards.within(realOf(join(workspace.path(), link)) ?? '/');
  if (place !== undefined) guards.add(place, 'ro');
}

/** A script that does not exist yet cannot be guarded: that it was made is told after the command. */
function guardNamed(found: Found, words: WordBudget, workspace: Held, guards: Guards): void {
  const { paths, unsearched } = atOnce(pathsNamedBy(found, workspace.path(), words));
  for (const { path, why } of unsearched) throw guards.unguardable(path, why);
  for (const path of paths) guards.addScript(path);
}
