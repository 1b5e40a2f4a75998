/**
 * The guards of a workspace. A mount can be neither written through nor moved away, but a folder above it can; so every
 * folder on the way is mounted on itself.
 */
import { lchownSync, mkdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import { relativeInside } from '../../relative-inside.ts';
import { Fault } from '../../../base/fault.ts';
import { scriptAt } from '../../obeyed/guarded-rows.ts';
import { INSIDE } from '../backend.ts';
import type { Guard } from '../profile.ts';
import type { Held, Holds } from './hold.ts';

const MOST_GUARDS = 64;
/** Each folder above a guard is a mount, too; 300 take bubblewrap some seconds. */
const MOST_MOUNTS = 384;
const MOST_NAMED = 5;

export class Guards {
  readonly list: Guard[] = [];
  readonly #workspace: Held;
  readonly #holds: Holds;
  readonly #pinned = new Set<string>();

  constructor(workspace: Held, holds: Holds) {
    this.#workspace = workspace;
    this.#holds = holds;
  }

  look(path: string): Held | undefined {
    return this.#holds.hold(this.#workspace.below(path));
  }

  /** Guards what stands at this path below the workspace, if something does that a mount can be put on. */
  add(path: string, how: Guard['how'], pinsWay = true): void {
    const held = this.look(path);
    if (held === undefined || held.kind === 'link' || held.kind === 'other') return;
    if (how === 'ro' && this.#isClosed(path)) return;
    if (pinsWay) this.#pin(dirname(path));
    this.list.push({ target: join(INSIDE, path), how, source: { fd: held.fd } });
  }

  /** Where a path of this machine stands below the workspace; undefined where it does not, or is the workspace itself. */
  within(path: string): string | undefined {
    return relativeInside(this.#workspace.path(), path) || undefined;
  }

  /** Guards a file or folder of the workspace that git obeys by its name. A link there could be turned, so it is refused. */
  addObeyed(path: string, namedBy: string): void {
    const place = this.within(path);
    if (place === undefined || this.#isClosed(place)) return;
    const kind = this.look(place)?.kind;
    if (kind === 'link' || kind === 'other')
      throw this.#refused(`${place} is a link, and ${namedBy} makes git obey what stands there`);
    this.add(place, 'ro');
  }

  /** The same for a file; one that is missing could be made from inside, and git refuses a folder in its place. */
  addObeyedFile(path: string, namedBy: string): void {
    const place = this.within(path);
    if (place === undefined || this.#isClosed(place)) return;
    if (this.look(place) === undefined)
      throw this.#refused(`${place} is missing, and ${namedBy} makes git obey whatever is put there`);
    this.addObeyed(path, namedBy);
  }

  /** The same for a folder that need not exist: whoever makes it decides what is in it, so it is made here. */
  addObeyedFolder(path: string, namedBy: string): void {
    const place = this.within(path);
    if (place === undefined || this.#isClosed(place)) return;
    let made = '';
    for (const name of place.split(sep)) {
      made = join(made, name);
      const kind = this.look(made)?.kind;
      if (kind === undefined) this.#make(made);
      else if (kind !== 'folder' && made !== place)
        throw this.#refused(`${made} is no folder, and ${namedBy} makes git obey what stands below it`);
    }
    this.addObeyed(path, namedBy);
  }

  /** Guards a script that a file names. */
  addScript(path: string): void {
    const real = scriptAt(join(this.#workspace.path(), path));
    const place = real === undefined ? undefined : this.within(real);
    if (place !== undefined) this.add(place, 'ro');
  }

  /**
   * Each guard is a mount, and the time to make them grows with the square of their number. It is asked after each step, so
   * that the rest is not looked at.
   */
  refuseTooMany(): void {
    const paths = this.list.filter(({ how }) => how === 'ro').map(({ target }) => target.slice(INSIDE.length + 1));
    if (paths.length <= MOST_GUARDS && this.list.length <= MOST_MOUNTS) return;
    const workspace = this.#workspace.path();
    const named = paths.slice(0, MOST_NAMED).map((path) => JSON.stringify(path));
    const more = paths.length > MOST_NAMED ? ', …' : '';
    const why =
      paths.length > MOST_GUARDS
        ? `has more than ${MOST_GUARDS} files and folders that the host obeys, and no more can be guarded`
        : `needs more than ${MOST_MOUNTS} mounts for files that the host obeys and the folders above them`;
    throw new Fault('SANDBOX_GUARDS_TOO_MANY', `${workspace} ${why}: ${named.join(', ')}${more}`, {
      hint: 'remove those that are not needed, choose a smaller workspace, or set sandbox.workspaceAccess to "ro"',
      details: { most: MOST_GUARDS, paths },
    });
  }

  /** The fault for a path that cannot be guarded, or below which it cannot be known what to guard. */
  unguardable(path: string, why: string): Fault {
    const folder = this.#workspace.path();
    return new Fault(
      'SANDBOX_GUARDS_TOO_MANY',
      `${JSON.stringify(path)} in ${folder} cannot be guarded or searched for files that the host obeys: ${why}`,
      { hint: 'remove or rename it, choose another workspace, or set sandbox.workspaceAccess to "ro"' },
    );
  }

  /** Where this user may not write, nobody inside may either. */
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

  /** Whether it cannot be written already, because of a guard at or above it. */
  #isClosed(path: string): boolean {
    const target = join(INSIDE, path);
    return this.list.some((guard) => guard.how !== 'pin' && isInside(target, guard.target));
  }

  #pin(path: string): void {
    if (path === '.' || this.#pinned.has(path) || this.#isClosed(path)) return;
    this.#pin(dirname(path));
    const held = this.look(path);
    if (held?.kind !== 'folder') throw this.#refused(`${path} is a link on the way to a protected folder`);
    this.#pinned.add(path);
    this.list.push({ target: join(INSIDE, path), how: 'pin', source: { fd: held.fd } });
  }

  #refused(what: string): Fault {
    return new Fault('SANDBOX_WORKSPACE_REFUSED', `in ${this.#workspace.path()}, ${what}`, {
      hint: 'put a folder or file in its place, choose another workspace, or set sandbox.workspaceAccess to "ro"',
    });
  }
}
