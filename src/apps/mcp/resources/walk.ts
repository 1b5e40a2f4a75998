/** The files of a workspace in pages: in the order of their names, without what nobody wants to see. */
import { Fault } from '../../../base/fault.ts';
import type { Files } from '../../../hosts/files/shape.ts';
import { readRules, type Rules, verdictOf } from './ignore.ts';
import type { Budget } from './wildcard.ts';

/** Never shown: no file of these was written by somebody who works in the workspace. */
const SKIPPED = new Set(['.git', 'node_modules']);
/** How many folders one page looks into; a page that ends there is short, and the next one goes on. */
const MOST_FOLDERS = 500;
const MOST_DEPTH = 40;
const MOST_RULE_BYTES = 64 << 10;
/** Enough for hundreds of ordinary rules; what a hostile file asks for beyond it is not worked out. */
const COMPARISONS = 2_000_000;

export interface ListedFile {
  /** From the workspace, with `/`. */
  readonly name: string;
  readonly size: number;
}

export interface FilePage {
  readonly files: readonly ListedFile[];
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined;
  /** The folders that were looked into, `''` for the workspace itself. */
  readonly folders: readonly string[];
}

interface Layer {
  /** The folder of the rules, with a `/` at its end, or empty. */
  readonly folder: string;
  readonly rules: Rules;
}

/** Up to so many files whose names come after `after`. Links are neither shown nor followed. */
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

/** The names in a folder; one that cannot be listed has none to show. */
export function entriesOf(files: Files, folder: string): readonly string[] {
  try {
    return files.list(`./${folder}`);
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

/** Whether all that a folder holds comes before a name. */
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
    if (error instanceof Fault) return undefined; // what the boundary refuses is not shown either
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
    if (error instanceof Fault) return []; // a link, a folder of that name: it leaves nothing out
    throw error;
  }
}
