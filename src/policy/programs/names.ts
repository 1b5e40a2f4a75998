import type { Binary } from '../../wire/policy.ts';

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/** Removes what only distinguishes builds of a program: `python3.11`, `vim.basic`, `npm-cli.js`, `gcc-12`, `busybox-static`. */
export function plainName(name: string): string {
  const lower = name.toLowerCase().replace(/\.exe$/, '');
  const known = /^(npm|npx)-cli\.js$/.exec(lower)?.[1];
  if (known !== undefined) return known;
  const bare = lower
    .replace(/\.(?:js|mjs|cjs|py|pl|rb|sh)$/, '')
    .replace(
      /[.-](?:basic|tiny|nox|gtk3?|athena|openbsd|traditional|distrib|real|bin|dbg|debug|multiarch|lucid|rs)$/,
      '',
    )
    .replace(/[-_.]?(?:static|musl|wrapped)$/, '')
    .replace(
      /^(?:x86_64|aarch64|i686|arm)-linux-gnu(?:eabihf)?-|-(?:x86_64|aarch64|i686|arm)-linux-gnu(?:eabihf)?$/,
      '',
    );
  return bare.replace(/-?\d+(?:\.\d+)*[a-z]?$/, '') || bare;
}

/** Every name of a program: as typed, as found in PATH, and the name of the real file. */
export function namesOf(word: string, binary: Binary | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  for (const path of [word, binary?.path, binary?.real]) {
    if (path === undefined) continue;
    const name = baseName(path);
    names.add(name);
    const plain = plainName(name);
    names.add(plain);
    // GNU programs on other systems: gtar, gfind, gtimeout.
    if (/^g[a-z]{3}/.test(plain)) names.add(plain.slice(1));
  }
  return names;
}
