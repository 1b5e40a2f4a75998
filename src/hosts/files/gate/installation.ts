/**
 * The files that Pincer runs from: its package, the packages that it loads, and those that it would load if they existed. A
 * process that can write them controls what Pincer does next.
 */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInside } from '../../../base/inside.ts';

const PACKAGE = 'pincer';

/** Real paths, of which some may not exist yet. */
export interface Installation {
  /** Protected files, and folders with everything in them. */
  readonly closed: readonly string[];
  /** `device:inode` of those that exist, to recognise them by another spelling or mount. */
  readonly identities: ReadonlySet<string>;
}

const NONE: Installation = { closed: [], identities: new Set() };

let found: Installation | undefined;

/** The installation of the running code, computed once. */
export function ownInstallation(): Installation {
  const url: string | undefined = import.meta.url;
  // After bundling into a single file the code has no path of its own.
  found ??= url?.startsWith('file:') ? installationOf(fileURLToPath(url), process.argv[1]) : NONE;
  return found;
}

export function installationOf(module: string, startedBy?: string): Installation {
  const file = realPath(module);
  const root = file === undefined ? undefined : packageAbove(file);
  if (root === undefined) return NONE;
  const own = isInstalled(root) ? [root] : [join(root, 'dist'), join(root, 'package.json')];
  const closed = [...own, ...packagesOf(root)];
  const started = startedBy === undefined ? undefined : realPath(startedBy);
  // The link in a `bin` folder is outside the package, and replacing it replaces the program.
  if (started !== undefined && closed.some((path) => isInside(started, path, sep)))
    closed.push(withRealFolder(startedBy!));
  return { closed, identities: new Set(closed.flatMap(identityOf)) };
}

/** Whether a package manager installed it: then all of it is protected. A checkout is also a workspace. */
function isInstalled(root: string): boolean {
  return basename(dirname(root)) === 'node_modules';
}

function packageAbove(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (manifestOf(folder)?.['name'] === PACKAGE) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Every folder where Node looks for the dependencies of a package, up to where it finds them, and recursively. */
function packagesOf(root: string): readonly string[] {
  const folders = new Set<string>();
  const read = new Set<string>();
  const add = (user: string): void => {
    if (read.has(user)) return;
    read.add(user);
    for (const name of needsOf(user)) {
      for (let folder = user; ; folder = dirname(folder)) {
        const candidate = join(folder, 'node_modules', name);
        const real = realPath(candidate);
        folders.add(candidate);
        if (real !== undefined && manifestOf(real) !== undefined) {
          folders.add(real);
          add(real);
          break;
        }
        if (folder === dirname(folder)) break;
      }
    }
  };
  add(root);
  return [...folders];
}

function needsOf(folder: string): readonly string[] {
  const manifest = manifestOf(folder) ?? {};
  return ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) =>
    Object.keys((manifest[kind] as object | null | undefined) ?? {}),
  );
}

function manifestOf(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return typeof manifest === 'object' && manifest !== null ? (manifest as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // not a package that Node could load
  }
}

function realPath(path: string): string | undefined {
  return existsSync(path) ? realpathSync(path) : undefined;
}

/** The real path of an entry itself: a link at the end is not followed. */
function withRealFolder(path: string): string {
  return join(realPath(dirname(path)) ?? dirname(path), basename(path));
}

/** `device:inode` of an entry; empty if it is missing or lstat fails. */
export function identityOf(path: string): readonly string[] {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? [] : [`${stats.dev}:${stats.ino}`];
  } catch {
    return []; // if lstat fails, the write fails too and reports why
  }
}
