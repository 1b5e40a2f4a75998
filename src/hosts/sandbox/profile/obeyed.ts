/** From what a scan found to the guards of a workspace: the files themselves, what links lead to, and the scripts that they name. */
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isGitName, obeyedAt, refusedToTools } from '../../obeyed/match.ts';
import { namesIn, readFile, realOf } from '../../obeyed/reading.ts';
import type { Found } from '../../obeyed/scan.ts';
import type { Guards } from './guards.ts';
import type { Held } from './hold.ts';
import { obeyRepository } from './repository.ts';

/** Longer files and fuller folders name no scripts that anybody would find. */
const LONGEST_NAMING = 64 * 1024;
const MOST_NAMING = 64;

/** Guards what was found but repositories. What a planted file was only documented to steer is told after a command instead. */
export function guardFound(found: readonly Found[], workspace: Held, guards: Guards): void {
  for (const each of found) {
    const { path, kind, row } = each;
    if (isOfGit(each) || (row.class !== 1 && row.evidence !== 'ran')) continue;
    if (kind === 'link') guardTarget(join(workspace.path(), path), guards);
    else guards.add(path, 'ro');
    guardNamed(each, workspace, guards);
  }
}

/** Guards repositories below the top: their folders, worktrees, and folders that git would take for one. */
export function guardRepositories(found: readonly Found[], workspace: Held, guards: Guards): void {
  for (const each of found) {
    const { path } = each;
    if (!isOfGit(each) || path === '.git') continue;
    const git = join(workspace.path(), path);
    const isNamed = isGitName(path.slice(path.lastIndexOf('/') + 1));
    obeyRepository({ git, files: isNamed ? dirname(git) : git }, guards);
  }
}

function isOfGit({ row }: Found): boolean {
  return row.class === 1 && row.reader === 'git';
}

/** A link itself cannot be guarded: that it was turned is told after the command. */
function guardTarget(link: string, guards: Guards): void {
  const place = guards.within(realOf(link) ?? '/');
  if (place !== undefined) guards.add(place, 'ro');
}

/** Scripts that hooks, `.envrc` and clients' files start; project code is for the agent to change. */
function guardNamed({ path, kind, row }: Found, workspace: Held, guards: Guards): void {
  const base = join(workspace.path(), dirname(path));
  const files =
    kind === 'folder'
      ? namesIn(workspace.below(path))
          .slice(0, MOST_NAMING)
          .map((name) => join(path, name))
      : [path];
  for (const file of files) {
    if (row.namesFiles !== true && refusedToTools(file.split('/')) !== 'client') continue;
    for (const word of wordsOf(join(workspace.path(), file))) {
      const place = guards.within(join(word.startsWith('/') ? '/' : base, word));
      if (place === undefined || !isPlainFile(join(workspace.path(), place))) continue;
      if (obeyedAt(place.split('/'))?.class !== 3) guards.add(place, 'ro');
    }
  }
}

function wordsOf(path: string): ReadonlySet<string> {
  const text = readFile(path, LONGEST_NAMING)?.toString('utf8') ?? '';
  return new Set(text.split(/[\s"'`;&|()!,=<>{}[\]]+/u).filter((word) => /^[\w./@+~-]{2,200}$/u.test(word)));
}

function isPlainFile(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false; // this user may not look there, so nobody inside may write it
  }
}
