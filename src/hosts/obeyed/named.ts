/** Files that obeyed files name: scripts that hooks, `.envrc` and clients' files start. Only what they name themselves counts. */
import { dirname, isAbsolute, join } from 'node:path';
import { relativeInside } from '../relative-inside.ts';
import { namesScripts, obeyedAt } from './match.ts';
import type { ObeyedBudget } from './obeyed-budget.ts';
import { entriesOf } from './folder-entries.ts';
import { lookAt } from './file-stamp.ts';
import { foldName } from './names.ts';
import { isUtf8Path } from './path-bytes.ts';
import type { Steps } from './pauses.ts';
import { readWholeFile } from './reading.ts';
import type { Found, Unsearched } from './scan.ts';
import { BUILD_FOLDERS } from './table.ts';

/** Of one file, or of the settings of one repository. */
export const LONGEST_NAMING = 256 * 1024;
const MOST_NAMING = 256;
const MOST_IN_FOLDER = 10_000;
const MOST_WORDS = 5_000;
/** A name in a file system has no more bytes, so that a longer word is not one. */
const LONGEST_WORD = 1_000;
const WORD = /[^\s"'`;&|()!,=<>{}[\]\\:#*?]+/gu;
const QUOTED = /"([^"\n]+)"|'([^'\n]+)'/gu;
const TOO_LONG = 'it is too long to find the scripts that it names';

/** Paths from the top down, whether they exist or not, and files that could not be read for more. */
export interface NamedPaths {
  readonly paths: readonly string[];
  /** Folders that a file puts on PATH, all of whose programs are run by their names. */
  readonly folders: readonly string[];
  readonly unsearched: readonly Unsearched[];
}

/** What a file or the files of a folder name below the top. Project code is left out: it is for the agent to change. */
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
    const meant = budget.takeText(length) ? withMeant(Buffer.isBuffer(text) ? text.toString('utf8') : '') : undefined;
    const words = meant === undefined ? undefined : wordsIn(meant);
    yield undefined;
    if (words === 'too-many') unsearched.push({ path: file, why: TOO_LONG });
    if (words === 'too-many') continue;
    // Hooks run at the top, `.envrc` and clients' commands in the folder of their file, or in one that they name.
    const own = ['.', dirname(path), dirname(file)];
    const placesIn = (texts: readonly string[]): string[] =>
      texts.flatMap((word) => own.flatMap((base) => placesOf(word, join(top, base), top)));
    const isFolder = (place: string): boolean => lookAt(join(top, place))?.isDirectory() === true;
    const named = meant === undefined ? [] : placesIn(foldersRunIn(meant)).filter(isFolder);
    const bases = new Set([...own, ...named]);
    const lookups = (words?.length ?? 0) * Math.ceil(bases.size / own.length);
    if (meant === undefined || words === undefined || !budget.takeWords(lookups)) {
      unsearched.push({
        path: file,
        why: 'this file and those before it have too much text to find the scripts in it',
      });
      break;
    }
    for (const folder of placesIn(foldersOnPath(meant)).filter(isSearched)) folders.add(folder);
    for (const word of words) {
      for (const base of bases) for (const place of placesOf(word, join(top, base), top)) paths.add(place);
      yield undefined;
    }
  }
  return { paths: [...paths], folders: [...folders], unsearched };
}

/** Tools fill build folders all the time. */
function isSearched(place: string): boolean {
  return !place.split('/').some((name) => BUILD_FOLDERS.has(foldName(name)));
}

/** Words of a command line or script that may be paths, without variables in front of them. */
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

/** Below the top. Behind a variable a path begins with `/`, so that it may start at the base as well as at the root. */
function placesOf(word: string, base: string, top: string): string[] {
  const paths = isAbsolute(word) ? [join(word), join(base, word)] : [join(base, word)];
  return paths.flatMap((path) => {
    const place = relativeInside(top, path);
    return !place || obeyedAt(place.split('/'))?.class === 3 ? [] : [place];
  });
}

// How files spell what they name: escapes of JSON and of shells, folders that commands run in, and folders on PATH.

const MOST_FOLDERS = 4;
const RUNS_IN = /(?:\bcd\s+|"cwd"\s*:\s*|\bcwd\s*=\s*)["']?([^\s"';&|]+)/gu;
const ON_PATH = /\bPATH_add\s+["']?([^\s"';&|]+)/gu;
const ESCAPED_BLANK = /(?:[^\s"'`;&|()\\]|\\ )+/gu;

/** The text, and behind it its JSON strings and its words with escaped blanks as they are meant. */
export function withMeant(text: string): string {
  const blanks = [...text.matchAll(ESCAPED_BLANK)].map(([word]) => word).filter((word) => word.includes('\\ '));
  const words = blanks.map((word) => `"${word.replaceAll('\\ ', ' ')}"`);
  return [text, ...jsonStrings(text), ...words].join('\n');
}

/** Folders that commands change to, or that a server is started in. */
function foldersRunIn(text: string): readonly string[] {
  return operands(text, RUNS_IN);
}

/** Folders whose programs are found by their names alone. */
function foldersOnPath(text: string): readonly string[] {
  return operands(text, ON_PATH);
}

function operands(text: string, pattern: RegExp): readonly string[] {
  const found = new Set<string>();
  for (const [, word] of text.matchAll(pattern)) if (found.size < MOST_FOLDERS) found.add(word!);
  return [...found];
}

/** The strings with an escape in them. By hand, because a pattern takes quadratic time for many escaped quotes. */
function* jsonStrings(text: string): Generator<string> {
  for (let at = text.indexOf('"'); at >= 0; ) {
    let end = at + 1;
    while (end < text.length && text[end] !== '"' && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
    const spelled = text.slice(at, end + 1);
    if (spelled.includes('\\') && spelled.endsWith('"')) yield* meaningOf(spelled);
    at = text.indexOf('"', end + 1);
  }
}

function* meaningOf(spelled: string): Generator<string> {
  try {
    yield String(JSON.parse(spelled));
  } catch {
    // It is no string of JSON, and its words are found as they are.
  }
}
