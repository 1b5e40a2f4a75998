import type { Lookup } from '../../wire/policy.ts';

export interface ResolvedPath {
  readonly path: string;
  readonly exists: boolean;
}

/** Resolves a path without `..` and symlinks: programs resolve those differently, and links can be redirected. */
export function resolveWithoutLinks(path: string, cwd: string, lookup: Lookup): ResolvedPath | undefined {
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
