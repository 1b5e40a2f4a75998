/** Files that obeyed files name: scripts that hooks, `.envrc` and client settings start. Scripts named by those scripts do not count. */
import { dirname, isAbsolute, join } from 'node:path';
import { relativeInside } from '../relative-inside.ts';
import { namesScripts, obeyedAt } from './match.ts';
import type { ObeyedBudget } from './obeyed-budget.ts';
import { entriesOf } from './folder-entries.ts';
import { lstatAt } from './file-stamp.ts';
import { foldName } from './fold-name.ts';
import { isUtf8Path } from './path-bytes.ts';
import type { Steps } from './pauses.ts';
import { readWholeFile } from './reading.ts';
import type { Found, Unsearched } from './scan.ts';
import { foldersOnPath, workingFolders, withUnescaped } from './text-forms.ts';
import { BUILD_FOLDERS } from './table.ts';

/** For one file, or for the settings of one repository. */
export const LONGEST_NAMING = 256 * 1024;
const MOST_NAMING = 256;
const MOST_IN_FOLDER = 10_000;
const MOST_WORDS = 5_000;
/** A longer word cannot be a path. */
const LONGEST_WORD = 1_000;
const WORD = /[^\s"'`;&|()!,=<>{}[\]\\:#*?]+/gu;
const QUOTED = /"([^"\n]+)"|'([^'\n]+)'/gu;
const TOO_LONG = 'it is too long to search for the scripts that it names';

export interface NamedPaths {
  /** Relative to the top, whether they exist or not. */
  readonly paths: readonly string[];
  /** Folders that a file adds to PATH: all programs in them count. */
  readonly folders: readonly string[];
  readonly unsearched: readonly Unsearched[];
}

/** The paths below the top that a file, or the files of a folder, name. Project code is left out: the agent may change it. */
export function* pathsNamedBy({ path, kind, row }: Found, top: string, budget: ObeyedBudget): Steps<NamedPaths> {
  const paths = new Set<string>();
  const folders = new Set<string>();
  const unsearched: Unsearched[] = [];
  const isNaming = (file: string): boolean => namesScripts(row, file.split('/'));
  const entries = kind === 'folder' ? yield* entriesOf(`${top}/${path}`, MOST_IN_FOLDER) : [];
  if (typeof entries === 'string') return { paths: [], folders: [], unsearched: [{ path, why: entries }] };
  const below = entries.filter((entry) => entry.kind !== 'folder').map(({ name }) => `${path}/${name}`);
  const files = (kind === 'folder' ? below : [path]).filter((file) => isNaming(file) && isUtf8Path(file));
  if (files.length > MOST_NAMING) unsearched.push({ path, why: `it has more than ${MOST_NAMING} files` });
  for (const file of files.sort().slice(0, MOST_NAMING)) {
    const text = readWholeFile(`${top}/${file}`, LONGEST_NAMING);
    if (text === 'too-long') unsearched.push({ path: file, why: TOO_LONG });
    const length = Buffer.isBuffer(text) ? text.length : 0;
    const content = budget.takeText(length)
      ? withUnescaped(Buffer.isBuffer(text) ? text.toString('utf8') : '')
      : undefined;
    const words = content === undefined ? undefined : wordsIn(content);
    yield undefined;
    if (words === 'too-many') unsearched.push({ path: file, why: TOO_LONG });
    if (words === 'too-many') continue;
    // Hooks run at the top; `.envrc` and client commands run in the folder of their file, or in one that they name.
    const own = ['.', dirname(path), dirname(file)];
    const placesIn = (texts: readonly string[]): string[] =>
      texts.flatMap((word) => own.flatMap((base) => placesOf(word, join(top, base), top)));
    const isFolder = (place: string): boolean => lstatAt(join(top, place))?.isDirectory() === true;
    const runIn = content === undefined ? [] : workingFolders(content);
    const onPath = content === undefined ? [] : foldersOnPath(content);
    const isAffordable = budget.takeWords(runIn.length + onPath.length);
    const bases = new Set([...own, ...(isAffordable ? placesIn(runIn).filter(isFolder) : [])]);
    const lookups = (words?.length ?? 0) * Math.ceil(bases.size / own.length);
    if (words === undefined || !isAffordable || !budget.takeWords(lookups)) {
      unsearched.push({
        path: file,
        why: 'this file and the files before it have too much text to search for scripts',
      });
      break;
    }
    for (const folder of placesIn(onPath).filter(isSearched)) folders.add(folder);
    for (const word of words) {
      for (const base of bases) for (const place of placesOf(word, join(top, base), top)) paths.add(place);
      yield undefined;
    }
  }
  return { paths: [...paths], folders: [...folders], unsearched };
}

/** Build folders are skipped, because tools change them all the time. */
function isSearched(place: string): boolean {
  return !place.split('/').some((name) => BUILD_FOLDERS.has(foldName(name)));
}

/** Words of a command line or script that may be paths, without variables. */
export function wordsIn(text: string): readonly string[] | 'too-many' {
  const plain = text.replaceAll(/\$(?:\{[^{}\n]*\}|\w+)/gu, ' ');
  const words = new Set<string>();
  for (const form of [WORD, QUOTED])
    for (const match of plain.matchAll(form)) {
      const word = (match[1] ?? match[2] ?? match[0]).trim();
      if (word.length < 2 || word.length > LONGEST_WORD || word.includes('\0')) continue;
      words.add(word);
      if (words.size > MOST_WORDS) return 'too-many';
    }
  return [...words];
}

/** Paths below the top. After a removed variable a path begins with `/`, so it is resolved from the base as well. */
function placesOf(word: string, base: string, top: string): string[] {
  const paths = isAbsolute(word) ? [join(word), join(base, word)] : [join(base, word)];
  return paths.flatMap((path) => {
    const place = relativeInside(top, path);
    return !place || obeyedAt(place.split('/'))?.class === 3 ? [] : [place];
  });
}
