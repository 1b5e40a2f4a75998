/**
 * What of a workspace a sandbox must not change, because this machine obeys it later: git starts the programs that a
 * repository's hooks and settings name, editors and shells start what their files say, and Pincer believes its own files.
 */
import { mkdirSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { INSIDE, type SandboxSpec } from '../backend.ts';
import type { Guard } from '../profile.ts';
import { Guards } from './guards.ts';
import type { Held, Holds } from './hold.ts';
import type { Placeholder } from './placeholder.ts';
import { ObeyedBudget } from '../../obeyed/obeyed-budget.ts';
import { atOnce, withPauses } from '../../obeyed/pauses.ts';
import { realPlaceOf } from '../../obeyed/reading.ts';
import { guardFound, guardRepositories, scanToGuard, type WorkspaceScan } from './obeyed.ts';
import { protectRepository, withinGit } from './repository.ts';

const PROJECT_FILE = 'pincer.jsonc';

/** The guards of a workspace, and what has to be undone at the end. */
export interface Protection {
  readonly guards: readonly Guard[];
  readonly lastGuards: readonly Guard[];
  readonly placeholder: Placeholder | undefined;
}

/** What of this machine needs to be protected where it stands in a workspace. */
export interface OwnPlaces {
  /** Folders that no sandbox ever sees, made where they are missing. */
  readonly hidden: readonly string[];
  /** Files and folders that Pincer runs from: whoever changes them runs as Pincer the next time. */
  readonly programs: readonly string[];
}

/** Looks for what the host obeys in a workspace that can be written, and lets others go on meanwhile. */
export async function scanWorkspace({ workspaceAccess }: SandboxSpec, workspace: Held): Promise<WorkspaceScan> {
  if (workspaceAccess === 'rw') return withPauses(scanToGuard(workspace));
  return { found: [], scripts: new Map(), unsearched: [] };
}

/** What guards a workspace. */
export function protect(
  spec: SandboxSpec,
  workspace: Held,
  holds: Holds,
  { hidden, programs }: OwnPlaces,
  scan: WorkspaceScan = atOnce(scanToGuard(workspace)),
): Protection {
  const guards = new Guards(workspace, holds);
  const budget = new ObeyedBudget();
  const isWritable = spec.workspaceAccess === 'rw';
  let made: Placeholder | undefined;
  if (isWritable) {
    for (const { path, why } of scan.unsearched) throw guards.unguardable(path, why);
    refuseSecondName(workspace, guards);
    guardFound(scan, workspace, guards);
    for (const program of programs) addProgram(program, guards);
    made = protectRepository(spec, workspace, guards, budget);
  }
  try {
    if (isWritable) {
      guardRepositories(scan.found, workspace, guards, budget);
      guards.refuseTooMany();
    }
    // Last, so that nothing is laid over them.
    for (const folder of hidden.map((each) => realPlaceOf(each))) {
      const path = guards.within(folder);
      if (path === undefined) continue;
      if (isWritable) mkdirSync(folder, { recursive: true, mode: 0o700 });
      guards.add(path, 'hidden', isWritable);
    }
    const isGitBound = spec.binds.some((bind) => bind.access === 'rw' && normalize(bind.target) === `${INSIDE}/.git`);
    const lastGuards = isWritable && isGitBound ? withinGit(workspace, holds) : [];
    return { guards: guards.list, lastGuards, placeholder: made };
  } catch (error) {
    made?.release();
    throw error;
  }
}

/** A program stands beside others that it is made of, so its whole folder is closed. */
function addProgram(program: string, guards: Guards): void {
  const path = guards.within(program);
  if (path === undefined) return;
  const isAlone = guards.look(path)?.kind === 'folder' || dirname(path) === '.';
  guards.add(isAlone ? path : dirname(path), 'ro');
}

/** What the project says about agents stays as it is: a link could be turned, and another name of the file written. */
function refuseSecondName(workspace: Held, guards: Guards): void {
  const found = guards.look(PROJECT_FILE);
  if (found === undefined || found.kind === 'folder' || (found.kind === 'file' && found.stats.nlink === 1n)) return;
  throw new Fault(
    'SANDBOX_WORKSPACE_REFUSED',
    `${PROJECT_FILE} in ${workspace.path()} is a link or has a second name, so it cannot be protected`,
    { hint: 'put a file of its own in its place, or set sandbox.workspaceAccess to "ro"' },
  );
}
