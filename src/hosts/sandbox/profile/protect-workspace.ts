/**
 * Guards the files of a workspace that the host obeys later: git starts the programs in a repository's hooks and settings,
 * editors and shells start what their files name, and pincer trusts its own files.
 */
import { mkdirSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { INSIDE, type SandboxSpec } from '../backend.ts';
import type { Guard } from '../profile.ts';
import { Guards } from './guards.ts';
import type { PathHandle, PathHandles } from './path-handles.ts';
import type { Placeholder } from './placeholder.ts';
import { ObeyedBudget } from '../../obeyed/obeyed-budget.ts';
import { withoutPauses, withPauses } from '../../obeyed/pauses.ts';
import { realPlaceOf } from '../../obeyed/reading.ts';
import { guardFound, guardRepositories, scanToGuard, type WorkspaceScan } from './obeyed.ts';
import { protectRepository, guardsInBoundGit } from './repository.ts';

const PROJECT_FILE = 'pincer.jsonc';

export interface Protection {
  readonly guards: readonly Guard[];
  readonly lastGuards: readonly Guard[];
  readonly placeholder: Placeholder | undefined;
}

/** Files of pincer that need protection where they are in a workspace. */
export interface PincerFiles {
  /** Folders that no sandbox may see; created where they are missing. */
  readonly hidden: readonly string[];
  /** Files and folders that pincer runs from: a command that changes them would run as pincer at its next start. */
  readonly programs: readonly string[];
}

/** Searches a writable workspace for obeyed files, with pauses for other work. */
export async function scanWorkspace({ workspaceAccess }: SandboxSpec, workspace: PathHandle): Promise<WorkspaceScan> {
  if (workspaceAccess === 'rw') return withPauses(scanToGuard(workspace));
  return { found: [], scripts: new Map(), unsearched: [] };
}

export function protectWorkspace(
  spec: SandboxSpec,
  workspace: PathHandle,
  handles: PathHandles,
  { hidden, programs }: PincerFiles,
  scan: WorkspaceScan = withoutPauses(scanToGuard(workspace)),
): Protection {
  const guards = new Guards(workspace, handles);
  const budget = new ObeyedBudget();
  const isWritable = spec.workspaceAccess === 'rw';
  let placeholder: Placeholder | undefined;
  if (isWritable) {
    for (const { path, why } of scan.unsearched) throw guards.unguardable(path, why);
    refuseLinkedProjectFile(workspace, guards);
    guardFound(scan, workspace, guards);
    for (const program of programs) addProgram(program, guards);
    placeholder = protectRepository(spec, workspace, guards, budget);
  }
  try {
    if (isWritable) {
      guardRepositories(scan.found, workspace, guards, budget);
      guards.refuseTooMany();
    }
    // Last, so that no other mount covers them.
    for (const folder of hidden.map((each) => realPlaceOf(each))) {
      const path = guards.relative(folder);
      if (path === undefined) continue;
      if (isWritable) mkdirSync(folder, { recursive: true, mode: 0o700 });
      guards.add(path, 'hidden', isWritable);
    }
    const isGitBound = spec.binds.some((bind) => bind.access === 'rw' && normalize(bind.target) === `${INSIDE}/.git`);
    const lastGuards = isWritable && isGitBound ? guardsInBoundGit(workspace, handles) : [];
    return { guards: guards.list, lastGuards, placeholder };
  } catch (error) {
    placeholder?.release();
    throw error;
  }
}

/** A program loads files from its folder, so the whole folder is guarded. */
function addProgram(program: string, guards: Guards): void {
  const path = guards.relative(program);
  if (path === undefined) return;
  const isOwnFolder = guards.open(path)?.kind === 'folder' || dirname(path) === '.';
  guards.add(isOwnFolder ? path : dirname(path), 'ro');
}

/** A symlink could be redirected, and a hard link written through its other name. */
function refuseLinkedProjectFile(workspace: PathHandle, guards: Guards): void {
  const found = guards.open(PROJECT_FILE);
  if (found === undefined || found.kind === 'folder' || (found.kind === 'file' && found.stats.nlink === 1n)) return;
  throw new Fault(
    'SANDBOX_WORKSPACE_REFUSED',
    `${PROJECT_FILE} in ${workspace.path()} is a symlink or has more than one hard link, so it cannot be guarded`,
    { hint: 'replace it with a regular file with one link, or set sandbox.workspaceAccess to "ro"' },
  );
}
