import type { Lookup } from '../../wire/policy.ts';

/** Where a path leads. */
export interface Place {
  readonly path: string;
  readonly exists: boolean;
}

/**
 * Where a path leads if every part of it is what it says: no `..` and no link, which programs read differently, and which
 * someone can turn elsewhere. Undefined for other paths.
 */
export function placeOf(path: string, cwd: string, lookup: Lookup): Place | undefined {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const base = path.startsWith('/') ? '/' : lookup.realPath(cwd);
  if (base === undefined || names.includes('..')) return undefined;
  let at = base;
  let exists = true;
  for (const name of names) {
    at = at === '/' ? `/${name}` : `${at}/${name}`;
    const real: string | undefined = exists ? lookup.realPath(at) : undefined;
    if (real !== undefined && real !== at) return undefined;
    exists = real !== undefined;
  }
  return { path: at, exists };
}
