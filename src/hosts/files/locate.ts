/**
 * The gate: which file a name means, and whether it may be touched. A slot is walked name by name from the
 * workspace; links inside are followed as long as they stay inside, `..` goes back one real folder, and whoever
 * would go above the workspace is refused. The answer is a path without links, which later steps walk again
 * without following any (`pin.ts`), so a link planted afterwards leads nowhere.
 */
import { closeSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Located } from '../host.ts';
import { errnoOf, notFound, notRegular, outsideWorkspace, readFault } from './faults.ts';
import { nearestNames } from './near.ts';
import { describe, entryOf, hasFdPaths, openFolderName, openName } from './pin.ts';

/** As many as Linux itself follows. */
const MOST_LINKS = 40;

/** The file that an address's file slot means; it may not leave `cwd`, neither by `..` nor by a link. */
export function locate(cwd: string, slot: string): Located {
  if (isAbsolute(slot)) throw outsideWorkspace(slot, realFolder(cwd), 'an absolute path is not taken here');
  if (hasFdPaths()) return walkInside(cwd, slot, (_fd, located) => located);
  const root = realFolder(cwd);
  return asLocated(followInside(root, slot), root);
}

/** The same, opened at once for reading; `open` gets a descriptor that names the file, on systems that have such. */
export function locateAndOpen<T>(
  cwd: string,
  slot: string,
  open: { byName(fd: number, located: Located): T; byPath(located: Located): T },
): T {
  if (!hasFdPaths() || isAbsolute(slot)) return open.byPath(locate(cwd, slot));
  return walkInside(cwd, slot, (fd, located) => open.byName(fd, located));
}

/** The file that the operator named, relative to `cwd`; it may stand anywhere and links are followed. */
export function locateOperator(cwd: string, path: string): Located {
  const asked = resolve(cwd, path) + (path.endsWith('/') ? '/' : '');
  try {
    const stats = statSync(asked);
    if (!stats.isFile()) throw notRegular(asked, describe(stats));
    return asLocated(realpathSync(asked), undefined);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw notFound(asked, neighbours(dirname(asked), basename(asked)));
    throw readFault(error, asked);
  }
}

/** A path that the gate let through earlier, read back from a journal of our own. */
export function locatedBefore(path: string, root: string | undefined): Located {
  return asLocated(path, root);
}

function asLocated(path: string, root: string | undefined): Located {
  return { path, root } as Located;
}

function realFolder(cwd: string): string {
  let real: string;
  try {
    real = realpathSync(cwd);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw noFolder(cwd, error);
  }
  throw new Fault('FS_NOT_FOUND', `not a folder: ${real}`, { hint: 'give --cwd a folder; --file names a file' });
}

/** The workspace, held by a descriptor, with its real path: links on the way to it are the operator's own. */
function openRoot(cwd: string): { readonly fd: number; readonly path: string } {
  let fd: number;
  try {
    fd = openFolderName(cwd);
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR' && statSync(cwd, { throwIfNoEntry: false }) !== undefined) realFolder(cwd);
    throw noFolder(cwd, error);
  }
  try {
    return { fd, path: readlinkSync(`/proc/self/fd/${fd}`) };
  } catch (error) {
    closeSync(fd);
    throw readFault(error, cwd);
  }
}

function noFolder(cwd: string, error: unknown): unknown {
  if (errnoOf(error) !== 'ENOENT') return readFault(error, cwd);
  return new Fault('FS_NOT_FOUND', `no such folder: ${cwd}`, { hint: 'give --cwd a folder that exists', cause: error });
}

interface Step {
  readonly name: string;
  readonly fd: number;
}

/** Walks to the file and hands over a descriptor that names it, which is closed afterwards. */
function walkInside<T>(cwd: string, slot: string, arrive: (fd: number, located: Located) => T): T {
  const { fd: top, path: root } = openRoot(cwd);
  const trail: Step[] = [];
  try {
    return walk(root, slot, top, trail, (fd, path) => arrive(fd, asLocated(path, root)));
  } finally {
    for (const step of trail) closeSync(step.fd);
    closeSync(top);
  }
}

function walk<T>(root: string, slot: string, top: number, trail: Step[], arrive: (fd: number, path: string) => T): T {
  const ahead = slot.split('/').toReversed();
  let links = 0;
  let why = 'the path goes above it';
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      const left = trail.pop();
      if (left === undefined) throw outsideWorkspace(slot, root, why);
      closeSync(left.fd);
      continue;
    }
    const parent = trail.at(-1)?.fd ?? top;
    const path = join(root, ...trail.map((step) => step.name), name);
    const { fd, stats } = openEntry(parent, name, path);
    if (stats.isDirectory()) {
      trail.push({ name, fd });
      continue;
    }
    if (stats.isFile() && ahead.length === 0) {
      try {
        return arrive(fd, path);
      } finally {
        closeSync(fd);
      }
    }
    closeSync(fd);
    if (stats.isSymbolicLink()) {
      if (++links > MOST_LINKS) throw tooManyLinks(path);
      const target = linkTarget(parent, name, path);
      if (target === undefined) {
        ahead.push(name);
        continue;
      }
      why = leadsTo(path, target);
      if (isAbsolute(target)) {
        for (const step of trail.splice(0)) closeSync(step.fd);
        ahead.push(...insideRoot(root, slot, path, target).split(sep).toReversed());
      } else ahead.push(...target.split('/').toReversed());
      continue;
    }
    if (!stats.isFile()) throw notRegular(path, describe(stats));
    throw notFound(join(path, ...ahead.toReversed()));
  }
  throw notRegular(join(root, ...trail.map((step) => step.name)), 'a folder');
}

function openEntry(parent: number, name: string, path: string): ReturnType<typeof openName> {
  try {
    return openName(entryOf(parent, name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw notFound(path, neighbours(entryOf(parent, '.'), name));
    throw readFault(error, path);
  }
}

/** Where a link leads; undefined when in this very moment it is no link any more, so that it is looked at again. */
function linkTarget(parent: number, name: string, path: string): string | undefined {
  try {
    return readlinkSync(entryOf(parent, name));
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'EINVAL') return undefined;
    throw readFault(error, path);
  }
}

/** An absolute link may lead back into the workspace; the answer is its way from the root. */
function insideRoot(root: string, slot: string, link: string, target: string): string {
  let real: string;
  try {
    real = realpathSync(target);
  } catch (error) {
    // Where a dangling link would lead decides which answer is true; the names alone say it.
    if (errnoOf(error) !== 'ENOENT' || leaves(root, target)) throw outsideWorkspace(slot, root, leadsTo(link, target));
    throw notFound(target);
  }
  if (leaves(root, real)) throw outsideWorkspace(slot, root, leadsTo(link, target));
  return relative(root, real);
}

function leadsTo(link: string, target: string): string {
  return `the link ${basename(link)} leads to ${target}`;
}

function leaves(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

function tooManyLinks(path: string): Fault {
  return new Fault('FS_UNREADABLE', `too many links on the way to ${path}`, {
    hint: 'one of the links probably points at itself',
  });
}

/** Without /proc: resolve first, check afterwards. A peer who swaps folders in between is not caught. */
function followInside(root: string, slot: string): string {
  const asked = join(root, slot);
  if (leaves(root, asked)) throw outsideWorkspace(slot, root, 'the path goes above it');
  try {
    const real = realpathSync(asked);
    if (leaves(root, real)) throw outsideWorkspace(slot, root, leadsTo(asked, real));
    const stats = statSync(real);
    if (!stats.isFile()) throw notRegular(real, describe(stats));
    return real;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw notFound(asked, neighbours(dirname(asked), basename(asked)));
    throw readFault(error, asked);
  }
}

function neighbours(folder: string, name: string): readonly string[] {
  try {
    return nearestNames(name, readdirSync(folder));
  } catch {
    return []; // a folder that cannot be listed has no names to offer; the fault itself is reported all the same
  }
}
