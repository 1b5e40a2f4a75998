/** Paths as lists of names. Names stay literal: no Unicode normalization, no case folding, no trimming. */
import { sep } from 'node:path';
import type { Root } from './root.ts';

const SEPARATOR = sep === '\\' ? /[\\/]/u : '/';

/** A backslash separates names on Windows only. */
export function splitPath(path: string): string[] {
  return path.split(SEPARATOR);
}

/** The names from the root to an absolute path that starts with the root's real or given path; else undefined. */
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
