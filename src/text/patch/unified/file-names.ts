/** Means "no file" in a diff. */
export const NO_FILE = '/dev/null';

/** A file name of a diff line: a time may follow after a tab, and git quotes special names. */
export function nameIn(field: string): string {
  const name = field.split('\t')[0]!.trimEnd();
  if (!/^".*"$/u.test(name)) return name;
  const bytes: number[] = [];
  for (const [piece, octal, simple] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gsu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else bytes.push(...new TextEncoder().encode(simple === undefined ? piece : (ESCAPES[simple] ?? simple)));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Removes prefixes that only distinguish the sides: `a/` and `b/`, or two folders with the same file name. */
export function withoutPrefixes(from: string, to: string, prefixed = true): readonly [string, string] {
  if (!prefixed || from === to) return [from, to];
  if (from === NO_FILE) return [from, to.startsWith('b/') ? to.slice(2) : to];
  if (to === NO_FILE) return [from.startsWith('a/') ? from.slice(2) : from, to];
  const [a, b] = [afterFirstFolder(from), afterFirstFolder(to)];
  if (from.startsWith('a/') && to.startsWith('b/')) return [from.slice(2), to.slice(2)];
  return a !== '' && a === b ? [a, b] : [from, to];
}

function afterFirstFolder(name: string): string {
  const slash = name.indexOf('/');
  return slash <= 0 ? '' : name.slice(slash + 1);
}

/** The two names after `diff --git`; undefined when the end of the first one is ambiguous. */
export function bothNames(rest: string): readonly [string, string] | undefined {
  const quoted = /^("(?:[^"\\]|\\.)*"|[^\s"]+) ("(?:[^"\\]|\\.)*"|[^\s"]+)$/u.exec(rest);
  if (quoted !== null) return [nameIn(quoted[1]!), nameIn(quoted[2]!)];
  // Names with blanks can be separated if they are equal except for their prefixes.
  const middle = (rest.length - 1) / 2;
  if (rest[middle] !== ' ') return undefined;
  const names = [rest.slice(0, middle), rest.slice(middle + 1)] as const;
  const [from, to] = withoutPrefixes(...names);
  return from === to ? names : undefined;
}
