/** Places over rows: follows aliases, applies merge keys, and names documents with `[doc]`. */
import type { Place } from '../../kind.ts';
import { childRows, isNamed, keyName } from './rows.ts';
import { AFTER, ALIAS, END, MAP, PLAIN, SCALAR, SEQ, START, type Tree } from './tree.ts';

/** The source of a value that an alias or a merge key refers to. */
interface Origin {
  /** The anchor's name; undefined for a merge of an inline map. */
  readonly anchor: string | undefined;
  readonly offset: number;
}

export interface YamlPlace extends Place {
  /** The row of this place; -1 for the list of documents. */
  readonly row: number;
  /** The row of its value, which differs for an alias. */
  readonly target: number;
  readonly up: YamlPlace | undefined;
  /** Set if a write would change another place of the file. */
  readonly origin?: Origin;
}

export const DOCUMENTS = '[doc]';

/** The root of the file: its first document. */
export function rootPlace(tree: Tree): YamlPlace {
  const row = tree.documents[0] ?? 0;
  const type = tree.count === 0 ? MAP : tree.type(row);
  const scalar = type === SCALAR && tree.get(row, START) < tree.get(row, END);
  const start = tree.count === 0 ? 0 : tree.get(row, START);
  const end = tree.count === 0 ? 0 : tree.get(row, END);
  const descriptor = scalar ? 'yaml-scalar' : type === SEQ ? 'yaml-seq' : 'yaml-map';
  return {
    shape: 'root',
    name: '',
    ordinal: 0,
    descriptor,
    start,
    end,
    anchor: start,
    row,
    target: row,
    up: undefined,
  };
}

export function documentsPlace(tree: Tree, root: YamlPlace): YamlPlace {
  return {
    shape: 'container',
    name: DOCUMENTS,
    token: true,
    ordinal: 0,
    descriptor: 'yaml-stream',
    start: 0,
    end: tree.text.length,
    anchor: 0,
    row: -1,
    target: -1,
    up: root,
  };
}

export function isDocument(place: YamlPlace): boolean {
  return place.up === undefined || place.up.row < 0;
}

function placeOf(tree: Tree, row: number, name: string, ordinal: number, up: YamlPlace, merged?: Origin): YamlPlace {
  const alias = tree.type(row) === ALIAS ? tree.aliases.get(row) : undefined;
  const target = alias?.target ?? row;
  const type = tree.type(target);
  const start = tree.get(target, START);
  const origin = alias ? { anchor: alias.name, offset: tree.get(target, AFTER) } : (merged ?? up.origin);
  return {
    shape: type === SCALAR ? 'leaf' : 'container',
    name,
    ordinal,
    descriptor: type === MAP ? 'yaml-map' : type === SEQ ? 'yaml-seq' : 'yaml-scalar',
    start,
    end: tree.get(target, END),
    anchor: start,
    row,
    target,
    up,
    ...(origin && { origin }),
  };
}

/** The children of a place in document order, then merged children. A map's own keys override merged ones. */
export function* childPlaces(tree: Tree, up: YamlPlace): Iterable<YamlPlace> {
  if (up.row < 0) {
    for (const [index, row] of tree.documents.entries()) yield placeOf(tree, row, String(index), index, up);
    return;
  }
  const type = tree.type(up.target);
  let ordinal = 0;
  if (type === SEQ) {
    for (const row of childRows(tree, up.target)) yield placeOf(tree, row, String(ordinal), ordinal++, up);
  } else if (type === MAP) {
    const merges: number[] = [];
    for (const row of childRows(tree, up.target)) {
      if (isMerge(tree, row)) merges.push(row);
      else yield placeOf(tree, row, keyName(tree, row), ordinal++, up);
    }
    if (merges.length === 0) return;
    for (const { row, name, origin } of mergedRows(tree, up.target))
      yield placeOf(tree, row, name, ordinal++, up, origin);
  }
}

export function childPlace(tree: Tree, up: YamlPlace, name: string): YamlPlace | undefined {
  const type = up.row < 0 ? SEQ : tree.type(up.target);
  if (type === SEQ) return indexedPlace(tree, up, name);
  if (type !== MAP) return undefined;
  let ordinal = 0;
  for (const row of childRows(tree, up.target)) {
    if (isNamed(tree, row, name)) return placeOf(tree, row, name, ordinal, up);
    if (!isMerge(tree, row)) ordinal++;
  }
  if (!hasMerges(tree)) return undefined;
  for (const child of childPlaces(tree, up)) if (child.name === name) return child;
  return undefined;
}

function indexedPlace(tree: Tree, up: YamlPlace, name: string): YamlPlace | undefined {
  if (!/^(?:0|[1-9]\d*)$/.test(name)) return undefined;
  const wanted = Number(name);
  if (up.row < 0) {
    const row = tree.documents[wanted];
    return row === undefined ? undefined : placeOf(tree, row, name, wanted, up);
  }
  let index = 0;
  for (const row of childRows(tree, up.target)) if (index++ === wanted) return placeOf(tree, row, name, wanted, up);
  return undefined;
}

/** Only the full reader accepts merge keys, and it stores the name of every key. */
function hasMerges(tree: Tree): boolean {
  return tree.keyNames.size > 0;
}

/** True for a plain `<<` whose value is a map or a list of maps; any other `<<` is a normal key. */
function isMerge(tree: Tree, row: number): boolean {
  if (!hasMerges(tree) || tree.keyStyle(row) !== PLAIN || tree.keyNames.get(row) !== '<<') return false;
  const value = followed(tree, row);
  if (tree.type(value) === MAP) return true;
  if (tree.type(value) !== SEQ) return false;
  for (const item of childRows(tree, value)) if (tree.type(followed(tree, item)) !== MAP) return false;
  return true;
}

interface MergedRow {
  readonly row: number;
  readonly name: string;
  readonly origin: Origin;
}

/** The rows that a map takes from its merge keys, without its own keys. The first row with a name wins. */
function mergedRows(tree: Tree, map: number): MergedRow[] {
  const seen = new Set<string>();
  const found: MergedRow[] = [];
  const collect = (from: number, origin: Origin | undefined): void => {
    const merges: number[] = [];
    for (const row of childRows(tree, from)) {
      if (isMerge(tree, row)) {
        merges.push(row);
        continue;
      }
      const name = keyName(tree, row);
      if (origin !== undefined && !seen.has(name)) found.push({ row, name, origin });
      seen.add(name);
    }
    for (const row of merges) {
      const value = followed(tree, row);
      const sources = tree.type(value) === MAP ? [row] : childRows(tree, value);
      for (const source of sources) {
        const target = followed(tree, source);
        collect(target, { anchor: tree.aliases.get(source)?.name, offset: tree.get(target, AFTER) });
      }
    }
  };
  collect(map, undefined);
  return found;
}

function followed(tree: Tree, row: number): number {
  return tree.aliases.get(row)?.target ?? row;
}
