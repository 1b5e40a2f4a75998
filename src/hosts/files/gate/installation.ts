/**
 * The files that Pincer runs from, wherever they lie: its package, the packages that it loads, and those that it would
 * load if they were there. Whoever writes them decides what Pincer does next.
 */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInside } from '../../../base/inside.ts';

const PACKAGE = 'pincer';

/** What a program runs from. Paths are real; what does not exist yet is closed by its name. */
export interface Installation {
  /** Files and folders that are closed with all that is in them. */
  readonly closed: readonly string[];
  /** Of those that exist, `device:inode`, so that another spelling or mount of them is found as well. */
  readonly identities: ReadonlySet<string>;
}

const NONE: Installation = { closed: [], identities: new Set() };

let found: Installation | undefined;

/** The installation that this very code belongs to; looked up once. */
export function ownInstallation(): Installation {
  const url: string | undefined = import.meta.url;
  // A bundler that makes one file of a program leaves no place of its own.
  found ??= url?.startsWith('file:') ? installationOf(fileURLToPath(url), process.argv[1]) : NONE;
  return found;
}

/** The installation that a module belongs to, and the link that it was started by. */
export function installationOf(module: string, startedBy?: string): Installation {
  const file = realPath(module);
  const root = file === undefined ? undefined : packageAbove(file);
  if (root === undefined) return NONE;
  const own = isInstalled(root) ? [root] : [join(root, 'dist'), join(root, 'package.json')];
  const closed = [...own, ...packagesOf(root)];
  const started = startedBy === undefined ? undefined : realPath(startedBy);
  // The link in a `bin` folder is no part of the package, and replacing it replaces the program.
  if (started !== undefined && closed.some((path) => isInside(started, path, sep)))
    closed.push(withRealFolder(startedBy!));
  return { closed, identities: new Set(closed.flatMap(identityOf)) };
}

/** A package manager put it there, so that all of it belongs to the installation; in a checkout people work. */
function isInstalled(root: string): boolean {
  return basename(dirname(root)) === 'node_modules';
}

function packageAbove(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (manifestOf(folder)?.['name'] === PACKAGE) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Every folder in which Node looks for the packages that a package needs, up to where it finds them, and what those need. */
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
    return undefined; // no package there, or none that Node could load
  }
}

function realPath(path: string): string | undefined {
  return existsSync(path) ? realpathSync(path) : undefined;
}

/** The path of an entry itself, a link not followed. */
function withRealFolder(path: string): string {
  return join(realPath(dirname(path)) ?? dirname(path), basename(path));
}

/** What an entry is, whatever it is called; none for what is not there or cannot be looked at. */
export function identityOf(path: string): readonly string[] {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? [] : [`${stats.dev}:${stats.ino}`];
  } catch {
    return []; // what cannot be looked at cannot be written either, and the write says why
  }
}
