import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Names from the top, with `/`, and what stands there: content, mode, target of a link. */
export type Tree = Readonly<Record<string, string>>;

const KEPT_WHOLE = 4 << 20;

/** Everything below a folder, in words that can be compared; `without` names paths that are left out. */
export function treeOf(top: string, without: readonly string[] = []): Tree {
  const tree: Record<string, string> = {};
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name);
      if (without.includes(path)) continue;
      tree[relative(top, path).split(sep).join('/')] = describe(path);
      if (lstatSync(path).isDirectory() && !isMountedElsewhere(path, top)) walk(path);
    }
  };
  walk(top);
  return tree;
}

function isMountedElsewhere(path: string, top: string): boolean {
  return lstatSync(path).dev !== lstatSync(top).dev;
}

function describe(path: string): string {
  const { mode, size, rdev } = lstatSync(path);
  const kind = mode & 0o170000;
  if (kind === 0o120000) return linkTo(readlinkSync(path));
  if (kind === 0o040000) return 'folder';
  if (kind !== 0o100000) return `special ${kind.toString(8)} ${rdev}`;
  return fileWith(size > KEPT_WHOLE ? `${size} bytes` : readFileSync(path, 'latin1'), mode);
}

/** How a regular file stands in a tree; without a mode, as one that was just made. */
export function fileWith(content: string, mode = 0o666 & ~process.umask()): string {
  return `file ${(mode & 0o7777).toString(8)} ${content}`;
}

/** How a link stands in a tree. */
export function linkTo(target: string): string {
  return `link ${target}`;
}

/** What differs between two trees, as a list that reads well in a failure. */
export function differences(before: Tree, after: Tree): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: ${short(before[name])} -> ${short(after[name])}`);
}

function short(state: string | undefined): string {
  if (state === undefined) return 'nothing';
  return JSON.stringify(state.length > 120 ? `${state.slice(0, 120)}…` : state);
}
