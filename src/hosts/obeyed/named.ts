/** Files that obeyed files name: scripts that hooks, `.envrc` and clients' files start. Only what they name themselves counts. */
import { dirname, isAbsolute, join, relative } from 'node:path';
import { namesScripts, obeyedAt } from './match.ts';
import { entriesOf } from './folder-entries.ts';
import { isUtf8Path } from './path-bytes.ts';
import type { Steps } from './pauses.ts';
import { readWholeFile } from './reading.ts';
import type { Found, Unsearched } from './scan.ts';

const LONGEST_NAMING = 256 * 1024;
const MOST_NAMING = 256;
const MOST_IN_FOLDER = 10_000;
const MOST_WORDS = 5_000;
/** A name in a file system has no more bytes, so that a longer word is not one. */
const LONGEST_WORD = 1_000;

/** Paths from the top down, whether they exist or not, and files that could not be read for more. */
export interface NamedPaths {
  readonly paths: readonly string[];
  readonly unsearched: readonly Unsearched[];
}

/** How many words all files of one look may have together: each is looked up at several places. */
export class WordBudget {
  #left = 20_000;

  /** Takes so many, or says that there are too few left. */
  take(words: number): boolean {
    this.#left -= words;
    return this.#left >= 0;
  }
}

/** What a file or the files of a folder name below the top. Project code is left out: it is for the agent to change. */
export function* pathsNamedBy({ path, kind, row }: Found, top: string, budget: WordBudget): Steps<NamedPaths> {
  const paths = new Set<string>();
  const unsearched: Unsearched[] = [];
  const isNaming = (file: string): boolean => namesScripts(row, file.split('/'));
  const entries = kind === 'folder' ? yield* entriesOf(`${top}/${path}`, MOST_IN_FOLDER) : [];
  if (typeof entries === 'string') return { paths: [], unsearched: [{ path, why: entries }] };
  const below = entries.filter((entry) => entry.kind !== 'folder').map(({ name }) => `${path}/${name}`);
  const files = (kind === 'folder' ? below : [path]).filter((file) => isNaming(file) && isUtf8Path(file));
  if (files.length > MOST_NAMING) unsearched.push({ path, why: `it has more than ${MOST_NAMING} files` });
  for (const file of files.sort().slice(0, MOST_NAMING)) {
    const text = readWholeFile(`${top}/${file}`, LONGEST_NAMING);
    const words = Buffer.isBuffer(text) ? wordsIn(text.toString('utf8')) : [];
    yield undefined;
    if (text === 'too-long' || words.length > MOST_WORDS)
      unsearched.push({ path: file, why: 'it is too long to find the scripts that it names' });
    if (!budget.take(Math.min(words.length, MOST_WORDS))) {
      unsearched.push({ path: file, why: 'this file and those before it name too many words to find their scripts' });
      break;
    }
    // Hooks run at the top, `.envrc` and clients' commands in the folder of their file.
    const bases = new Set(['.', dirname(path), dirname(file)]);
    for (const word of words.slice(0, MOST_WORDS)) {
      for (const base of bases) for (const place of placesOf(word, join(top, base), top)) paths.add(place);
      yield undefined;
    }
  }
  return { paths: [...paths], unsearched };
}

/** Words of a command line or script that may be paths, without variables in front of them. */
export function wordsIn(text: string): string[] {
  const plain = text.replaceAll(/\$(?:\{[^{}\n]*\}|\w+)/gu, ' ');
  const quoted = [...plain.matchAll(/"([^"\n]+)"|'([^'\n]+)'/gu)].map(([, double, single]) =>
    (double ?? single ?? '').trim(),
  );
  const words = [...plain.split(/[\s"'`;&|()!,=<>{}[\]\\:#*?]+/u), ...quoted];
  return [...new Set(words)].filter((word) => word.length > 1 && word.length <= LONGEST_WORD && !/[\0\n]/u.test(word));
}

/** Below the top. Behind a variable a path begins with `/`, so that it may start at the base as well as at the root. */
function placesOf(word: string, base: string, top: string): string[] {
  const paths = isAbsolute(word) ? [join(word), join(base, word)] : [join(base, word)];
  return paths.flatMap((path) => {
    const place = relative(top, path);
    if (place === '' || place === '..' || place.startsWith('../') || isAbsolute(place)) return [];
    return obeyedAt(place.split('/'))?.class === 3 ? [] : [place];
  });
}
