/**
 * The guards of a workspace. A read-only mount can be neither written nor moved, but a folder above it could be moved away, so
 * every folder between the workspace and a guard is bind-mounted on itself.
 */
import { lchownSync, mkdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import { relativeInside } from '../../relative-inside.ts';
import { Fault } from '../../../base/fault.ts';
import { scriptAt } from '../../obeyed/guarded-rows.ts';
import { INSIDE } from '../backend.ts';
import type { Guard } from '../profile.ts';
import type { PathHandle, PathHandles } from './path-handles.ts';

const MOST_GUARDS = 64;
/** Includes the mounts of folders above guards; 300 take bubblewrap some seconds. */
const MOST_MOUNTS = 384;
const MOST_NAMED = 5;

export class Guards {
  readonly list: Guard[] = [];
  readonly #workspace: PathHandle;
  readonly #handles: PathHandles;
  readonly #pinned = new Set<string>();

  constructor(workspace: PathHandle, handles: PathHandles) {
    this.#workspace = workspace;
    this.#handles = handles;
  }

  open(path: string): PathHandle | undefined {
    return this.#handles.open(this.#workspace.below(path));
  }

  /** Guards a path of the workspace, if a file or folder exists there; a symlink cannot be a mount point. */
  add(path: string, how: Guard['how'], pinsParents = true): void {
    const handle = this.open(path);
    if (handle === undefined || handle.kind === 'link' || handle.kind === 'other') return;
    if (how === 'ro' && this.#isGuarded(path)) return;
    if (pinsParents) this.#pin(dirname(path));
    this.list.push({ target: join(INSIDE, path), how, source: { fd: handle.fd } });
  }

  /** A host path relative to the workspace; undefined where it is outside, or is the workspace itself. */
  relative(path: string): string | undefined {
    return relativeInside(this.#workspace.path(), path) || undefined;
  }

  /** Guards a file or folder of the workspace that git obeys. A symlink is refused, because it could be redirected. */
  addObeyed(path: string, namedBy: string): void {
    const place = this.relative(path);
    if (place === undefined || this.#isGuarded(place)) return;
    const kind = this.open(place)?.kind;
    if (kind === 'link' || kind === 'other')
      throw this.#refused(`${place} is a symlink, and ${namedBy} makes git obey its target`);
    this.add(place, 'ro');
  }

  /** As `addObeyed`, for a file. A missing one is refused: it could be created from inside, and git accepts no folder as placeholder. */
  addObeyedFile(path: string, namedBy: string): void {
    const place = this.relative(path);
    if (place === undefined || this.#isGuarded(place)) return;
    if (this.open(place) === undefined)
      throw this.#refused(`${place} is missing, and ${namedBy} makes git obey any file created there`);
    this.addObeyed(path, namedBy);
  }

  /** As `addObeyed`, for a folder. A missing one is created here, so that no command creates it with content of its choice. */
  addObeyedFolder(path: string, namedBy: string): void {
    const place = this.relative(path);
    if (place === undefined || this.#isGuarded(place)) return;
    let made = '';
    for (const name of place.split(sep)) {
      made = join(made, name);
      const kind = this.open(made)?.kind;
      if (kind === undefined) this.#make(made);
      else if (kind !== 'folder' && made !== place)
        throw this.#refused(`${made} is not a folder, and ${namedBy} makes git obey the files below it`);
    }
    this.addObeyed(path, namedBy);
  }

  /** Guards a script that an obeyed file names. */
  addScript(path: string): void {
    const real = scriptAt(join(this.#workspace.path(), path));
    const place = real === undefined ? undefined : this.relative(real);
    if (place !== undefined) this.add(place, 'ro');
  }

  /**
   * Each guard is a mount, and the time to create mounts grows with the square of their number. Called after each step, so that
   * a workspace with too many is refused early.
   */
  refuseTooMany(): void {
    const paths = this.list.filter(({ how }) => how === 'ro').map(({ target }) => target.slice(INSIDE.length + 1));
    if (paths.length <= MOST_GUARDS && this.list.length <= MOST_MOUNTS) return;
    const workspace = this.#workspace.path();
    const named = paths.slice(0, MOST_NAMED).map((path) => JSON.stringify(path));
    const more = paths.length > MOST_NAMED ? ', …' : '';
    const why =
      paths.length > MOST_GUARDS
        ? `has more than ${MOST_GUARDS} files and folders that the host obeys; more cannot be guarded`
        : `needs more than ${MOST_MOUNTS} mounts to guard the files that the host obeys`;
    throw new Fault('SANDBOX_GUARDS_TOO_MANY', `${workspace} ${why}: ${named.join(', ')}${more}`, {
      hint: 'remove those that are not needed, choose a smaller workspace, or set sandbox.workspaceAccess to "ro"',
      details: { most: MOST_GUARDS, paths },
    });
  }

  unguardable(path: string, why: string): Fault {
    const folder = this.#workspace.path();
    return new Fault(
      'SANDBOX_GUARDS_TOO_MANY',
      `${JSON.stringify(path)} in ${folder} cannot be guarded or searched for files that the host obeys: ${why}`,
      { hint: 'remove or rename it, choose another workspace, or set sandbox.workspaceAccess to "ro"' },
    );
  }

  /** Does nothing where this user may not write: commands inside may not write there either. */
  #make(path: string): void {
    const folder = this.#workspace.below(path);
    try {
      mkdirSync(folder, { mode: 0o755 });
    } catch (error) {
      if (['EACCES', 'EROFS', 'EPERM', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return;
      throw error;
    }
    const { uid, gid } = this.#workspace.stats;
    if (process.geteuid?.() === 0 && uid !== 0n) lchownSync(folder, Number(uid), Number(gid));
  }

  /** Whether a guard at or above the path already makes it read-only. */
  #isGuarded(path: string): boolean {
    const target = join(INSIDE, path);
    return this.list.some((guard) => guard.how !== 'pin' && isInside(target, guard.target));
  }

  #pin(path: string): void {
    if (path === '.' || this.#pinned.has(path) || this.#isGuarded(path)) return;
    this.#pin(dirname(path));
    const handle = this.open(path);
    if (handle?.kind !== 'folder') throw this.#refused(`${path} is a symlink in the path of a guarded file`);
    this.#pinned.add(path);
    this.list.push({ target: join(INSIDE, path), how: 'pin', source: { fd: handle.fd } });
  }

  #refused(what: string): Fault {
    return new Fault('SANDBOX_WORKSPACE_REFUSED', `in ${this.#workspace.path()}, ${what}`, {
      hint: 'replace it with a folder or file, choose another workspace, or set sandbox.workspaceAccess to "ro"',
    });
  }
}
