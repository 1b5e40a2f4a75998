/** Paths as lists of names. No name is ever changed: no Unicode form, no case, no blank. */
import { sep } from 'node:path';
import type { Root } from './root.ts';

const SEPARATOR = sep === '\\' ? /[\\/]/u : '/';

/** A backslash separates names on Windows and is a letter like any other elsewhere. */
export function splitPath(path: string): string[] {
  return path.split(SEPARATOR);
}

/** The way from the root to an absolute path that is spelled through it, really or as given; else undefined. */
export function stepsBelow(root: Root, path: string): readonly string[] | undefined {
  const steps = meaningful(path);
  for (const start of [root.path, root.given]) {
    const above = meaningful(start);
    if (above.every((name, i) => name === steps[i])) {
      const below = steps.slice(above.length);
      return /[/\\]$/u.test(path) && splitPath(path).at(-1) === '' ? [...below, ''] : below;
    }
  }
  return undefined;
}

function meaningful(path: string): string[] {
  return splitPath(path).filter((name) => name !== '' && name !== '.');
}
