/** Lists the files of a workspace in pages, ordered by name, without ignored files. */
import { Fault } from '../../../base/fault.ts';
import type { Files } from '../../../hosts/files/shape.ts';
import { readRules, type Rules, verdictOf } from './ignore.ts';
import type { Budget } from './wildcard.ts';

/** Never listed: these folders contain only generated files. */
const SKIPPED = new Set(['.git', 'node_modules']);
/** The most folders that one page lists; a page that reaches this limit is shorter, and the next one continues. */
const MOST_FOLDERS = 500;
const MOST_DEPTH = 40;
const MOST_RULE_BYTES = 64 << 10;
/** Enough for hundreds of usual rules; matching stops at the limit if a hostile file needs more. */
const COMPARISONS = 2_000_000;

export interface ListedFile {
  /** Relative to the workspace, with `/`. */
  readonly name: string;
  readonly size: number;
}

export interface FilePage {
  readonly files: readonly ListedFile[];
  /** The start of the next page; undefined at the end. */
  readonly next: string | undefined;
  /** The listed folders, `''` for the workspace itself. */
  readonly folders: readonly string[];
}

interface Layer {
  /** The folder of the rules, with a trailing `/`, or empty. */
  readonly folder: string;
  readonly rules: Rules;
}

/** At most `most` files with names after `after`. Links are neither listed nor followed. */
export function pageOfFiles(files: Files, after: string, most: number): FilePage {
  const found: ListedFile[] = [];
  const folders: string[] = [];
  const budget: Budget = { left: COMPARISONS };
  let next: string | undefined;

  const visit = (folder: string, depth: number, above: readonly Layer[]): void => {
    if (folders.length === MOST_FOLDERS) {
      next = folder;
      return;
    }
    folders.push(folder);
    const entries = entriesOf(files, folder);
    const layers = entries.includes('.gitignore')
      ? [...above, { folder, rules: rulesIn(files, `${folder}.gitignore`) }]
      : above;
    for (const entry of entries) {
      const name = folder + entry;
      const isFolder = entry.endsWith('/');
      if (isFolder ? isBefore(name, after) || isSkipped(entry) : name <= after) continue;
      if (isLeftOut(name, layers, budget)) continue;
      if (isFolder) {
        if (depth < MOST_DEPTH) visit(name, depth + 1, layers);
      } else {
        const file = fileAt(files, name);
        if (file !== undefined && found.push(file) > most) next = found[most - 1]!.name;
      }
      if (next !== undefined) return;
    }
  };
  visit('', 0, []);
  return { files: found.slice(0, most), next, folders };
}

/** Empty for a folder that cannot be listed. */
export function entriesOf(files: Files, folder: string): readonly string[] {
  try {
    return files.list(`./${folder}`);
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

/** Whether everything in a folder sorts before a name. */
function isBefore(folder: string, name: string): boolean {
  return folder < name && !name.startsWith(folder);
}

function isSkipped(entry: string): boolean {
  return SKIPPED.has(entry.slice(0, -1));
}

function isLeftOut(name: string, layers: readonly Layer[], budget: Budget): boolean {
  const isFolder = name.endsWith('/');
  const plain = isFolder ? name.slice(0, -1) : name;
  for (let at = layers.length - 1; at >= 0; at--) {
    const { folder, rules } = layers[at]!;
    const verdict = verdictOf(rules, plain.slice(folder.length).split('/'), isFolder, budget);
    if (verdict !== undefined) return verdict === 'left-out';
  }
  return false;
}

function fileAt(files: Files, name: string): ListedFile | undefined {
  try {
    const { type, stamp } = files.placeOf(`./${name}`, 'itself');
    return type === 'file' && stamp !== undefined ? { name, size: Number(stamp.size) } : undefined;
  } catch (error) {
    if (error instanceof Fault) return undefined; // refused by the boundary, so it is not listed
    throw error;
  }
}

function rulesIn(files: Files, name: string): Rules {
  try {
    const file = files.openSlot(name);
    try {
      const bytes = new Uint8Array(Math.min(file.size, MOST_RULE_BYTES));
      return readRules(new TextDecoder().decode(bytes.subarray(0, file.read(0, bytes))));
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof Fault) return []; // a link or a folder with that name: no rules
    throw error;
  }
}
