/** The folders of an installed package and of its dependencies, resolved as Node does. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The real folders by package name; empty when the package is not installed. Missing optional dependencies are skipped. */
export function packageClosure(from: string, name: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (start: string, wanted: string): void => {
    if (found.has(wanted)) return;
    const folder = findPackage(start, wanted);
    if (folder === undefined) return;
    found.set(wanted, folder);
    for (const needed of needsOf(folder)) add(folder, needed);
  };
  add(from, name);
  return found;
}

function findPackage(start: string, name: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (folder === dirname(folder)) return undefined;
  }
}

function needsOf(folder: string): readonly string[] {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string> | undefined>;
  return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {})];
}
