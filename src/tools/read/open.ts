/** Opens a file for reading, or suggests similar names. */
import { Fault } from '../../base/fault.ts';
import type { Files, OpenFile, EntryType } from '../../hosts/files/shape.ts';
import { diffName } from '../../text/lines/unified.ts';

export interface Opened {
  readonly file: OpenFile;
  /** For the model, about how the file was found. */
  readonly notices: readonly string[];
}

/** In a folder, `offset` and `limit` count names instead of lines. */
interface FolderRequest {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number | undefined;
}

const SHOWN_ENTRIES = 20;
const MOST_LISTED = 1000;
/** The names in a hint; the details have all. */
const MOST_HINTED = 20;
/** In a larger folder only exact names are found. */
const MOST_COMPARED = 20_000;

/** Returns undefined when there is no file; throws for a folder, and where the boundary refuses. */
export function openForReading(files: Files, request: FolderRequest): Opened | undefined {
  const { path } = request;
  try {
    return { file: files.openPath(path), notices: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const type = entryType(files, path);
    if (type === 'folder') throw isFolder(files, request);
    if (type !== 'nothing') throw error;
    return openVariant(files, path);
  }
}

/** Undefined when the boundary refuses the path; that refusal is then the answer. */
function entryType(files: Files, path: string): EntryType | undefined {
  try {
    return files.placeOf(path).type;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Opens the only file whose name looks the same: another Unicode normalisation, space or apostrophe. */
function openVariant(files: Files, path: string): Opened | undefined {
  const { folder, name } = split(path);
  const wanted = fold(name);
  const same = entries(files, folder)
    .slice(0, MOST_COMPARED)
    .filter((entry) => entry !== name && fold(entry) === wanted);
  const [only] = same;
  if (only === undefined) return undefined;
  if (same.length > 1)
    throw new Fault('READ_AMBIGUOUS_NAME', `${path} does not exist, and ${same.length} names look the same`, {
      hint: `name one of ${same.map((entry) => JSON.stringify(entry)).join(', ')}`,
      details: { path, near: same },
    });
  return {
    file: files.openPath(folder + only),
    notices: [
      `[Opened ${JSON.stringify(only)}: its name differs from ${JSON.stringify(name)} only in look-alike characters.]`,
    ],
  };
}

function fold(name: string): string {
  return name
    .normalize('NFC')
    .replace(/[\u00a0\u2007\u2009\u202f]/gu, ' ')
    .replace(/[\u2018\u2019\u02bc]/gu, "'")
    .replace(/[\u201c\u201d]/gu, '"');
}

export function notFound(files: Files, path: string): Fault {
  const { folder, name } = split(path);
  const near = nearestNames(name, entries(files, folder));
  return new Fault('FS_NOT_FOUND', `file not found: ${path}`, {
    hint:
      near.length > 0
        ? `Did you mean: ${near.map((entry) => diffName(folder + entry)).join(', ')}?`
        : 'check the name, or list its folder',
    details: { path, near },
  });
}

function isFolder(files: Files, { path, offset = 1, limit = SHOWN_ENTRIES }: FolderRequest): Fault {
  const all = entries(files, path);
  const first = Math.max(0, offset < 0 ? all.length + offset : offset - 1);
  const shown = all.slice(first, first + Math.min(limit, MOST_LISTED));
  const hinted = shown.slice(0, MOST_HINTED);
  const more = all.length > hinted.length ? ` and ${all.length - hinted.length} more` : '';
  return new Fault('READ_IS_FOLDER', `${path} is a folder, not a file`, {
    hint: all.length === 0 ? 'it is empty' : `it contains ${hinted.map(diffName).join(', ')}${more}`,
    details: { path, entries: shown, totalEntries: all.length },
  });
}

/** Empty when the folder cannot be listed: the names are only for hints. */
function entries(files: Files, folder: string): readonly string[] {
  try {
    return files.list(folder === '' ? '.' : folder);
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

function split(path: string): { readonly folder: string; readonly name: string } {
  const slash = path.lastIndexOf('/');
  return { folder: path.slice(0, slash + 1), name: path.slice(slash + 1) };
}

const MOST_NAMES = 3;
const MOST_ENTRIES = 2000;

/** The most similar entries: the same stem, a common prefix, or few differences. */
function nearestNames(wanted: string, existing: readonly string[]): readonly string[] {
  const target = wanted.toLowerCase();
  const bound = Math.max(1, Math.floor(target.length / 3));
  return existing
    .slice(0, MOST_ENTRIES)
    .map((name) => ({ name, distance: distanceOf(target, name.replace(/\/$/u, '').toLowerCase(), bound) }))
    .filter(({ distance }) => distance <= bound)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_NAMES)
    .map(({ name }) => name);
}

function distanceOf(target: string, candidate: string, bound: number): number {
  if (stem(candidate) === stem(target) || candidate.startsWith(target)) return 1;
  if (Math.abs(target.length - candidate.length) > bound) return bound + 1;
  let row = Array.from({ length: candidate.length + 1 }, (_, i) => i);
  for (let i = 1; i <= target.length; i++) {
    const next = [i];
    for (let j = 1; j <= candidate.length; j++) {
      const change = row[j - 1]! + (target[i - 1] === candidate[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[candidate.length]!;
}

function stem(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/u, '');
}
