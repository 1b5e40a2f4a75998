import { isWithin, roomOf } from './rooms.ts';
import type { Source } from './sources.ts';

/** Every import that goes through a wall, one sentence each. */
export function brokenWalls(sources: readonly Source[]): string[] {
  const found: string[] = [];
  for (const source of sources) {
    const room = roomOf(source.path);
    if (room === undefined) {
      found.push(`${source.path} stands in no room: add its room to tests/house/rooms.ts, with its walls.`);
      continue;
    }
    for (const { target, ours } of source.imports) {
      if (target === '../package.json' && isWithin(source.path, 'apps')) continue; // the version of the program
      const allowed = ours
        ? roomOf(target)?.name === room.name || room.may.some((name) => isWithin(target, name))
        : target.startsWith('node:')
          ? room.machine === true
          : (room.packages ?? []).includes(packageOf(target));
      if (!allowed) found.push(`${source.path} may not import ${target}: ${room.why}.`);
    }
  }
  return found;
}

/** `@scope/name/sub` is of the package `@scope/name`. */
function packageOf(module: string): string {
  return module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Every ring of imports, as `a -> b -> a`; types count too, since a ring of types ties files as firmly. */
export function importRings(sources: readonly Pick<Source, 'path' | 'imports'>[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const done = new Set<string>();
  const trail: string[] = [];
  const rings: string[] = [];
  const enter = (path: string): void => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      rings.push([...trail.slice(at), path].join(' -> '));
      return;
    }
    if (done.has(path)) return;
    done.add(path);
    trail.push(path);
    for (const { target, ours } of byPath.get(path)?.imports ?? []) if (ours) enter(target);
    trail.pop();
  };
  for (const source of sources) enter(source.path);
  return rings;
}

/** Every ring of imports between folders: each folder two levels deep, and each file above, counts as one. */
export function folderRings(sources: readonly Source[]): string[] {
  const folderOf = (path: string): string => path.split('/').slice(0, 2).join('/');
  const folders = new Map<string, Source['imports']>();
  for (const { path, imports } of sources) {
    const folder = folderOf(path);
    const outside = imports
      .filter(({ target, ours }) => ours && folderOf(target) !== folder)
      .map((one) => ({ ...one, target: folderOf(one.target) }));
    folders.set(folder, [...(folders.get(folder) ?? []), ...outside]);
  }
  return importRings([...folders].map(([path, imports]) => ({ path, imports })));
}

/** The npm packages that are loaded as soon as a file is: all that it imports neither lazily nor for types. */
export function packagesAtStart(sources: readonly Source[], entry: string): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const seen = new Set<string>();
  const packages = new Set<string>();
  const enter = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { target, ours, lazy, typeOnly } of byPath.get(path)?.imports ?? []) {
      if (lazy || typeOnly) continue;
      if (ours) enter(target);
      else if (!target.startsWith('node:')) packages.add(packageOf(target));
    }
  };
  enter(entry);
  return [...packages].sort();
}
