/** Flattens a tree into rows that can be compared: depth first, aliases not followed. */
import { ExactNumber, JsonObject, type JsonValue } from '../../json/value.ts';
import { childRows, keyName, leafOf } from './rows.ts';
import { ALIAS, MAP, SCALAR, type Tree } from './tree.ts';

/** Depth, name, type and text of a row as JSON, so that only equal rows are equal. */
export type FlatRow = string;

export function flattenRow(tree: Tree, from: number, depth: number, named: boolean, asStrings: boolean): FlatRow[] {
  const out: FlatRow[] = [];
  const visit = (row: number, level: number, hasName: boolean): void => {
    const name = hasName ? keyName(tree, row) : '';
    const type = tree.type(row);
    if (type === SCALAR) {
      const { leafType, valueText } = leafOf(tree, row, asStrings);
      out.push(flat(level, name, leafType, valueText));
      return;
    }
    if (type === ALIAS) {
      out.push(flat(level, name, 'alias', tree.aliases.get(row)?.name ?? ''));
      return;
    }
    out.push(flat(level, name, type === MAP ? 'map' : 'seq', ''));
    for (const child of childRows(tree, row)) visit(child, level + 1, type === MAP);
  };
  visit(from, depth, named);
  return out;
}

export function flattenTree(tree: Tree, asStrings: boolean): FlatRow[] {
  return tree.documents.flatMap((row) => flattenRow(tree, row, 0, false, asStrings));
}

/** The rows that a value has after it is written. */
export function flattenValue(value: JsonValue, depth: number, name: string, asStrings: boolean): FlatRow[] {
  const scalar = (type: string, text: string) => [flat(depth, name, asStrings ? 'string' : type, text)];
  if (value === null) return scalar('null', 'null');
  if (typeof value === 'boolean') return scalar('boolean', String(value));
  if (typeof value === 'number') return scalar('number', String(value));
  if (value instanceof ExactNumber) return scalar('number', value.text);
  if (typeof value === 'string') return scalar('string', value);
  if (value instanceof JsonObject) {
    const below = value.entries.flatMap(([key, item]) => flattenValue(item, depth + 1, key, asStrings));
    return [flat(depth, name, 'map', ''), ...below];
  }
  return [flat(depth, name, 'seq', ''), ...value.flatMap((item) => flattenValue(item, depth + 1, '', asStrings))];
}

function flat(depth: number, name: string, type: string, text: string): FlatRow {
  return JSON.stringify([depth, name, type, text]);
}
