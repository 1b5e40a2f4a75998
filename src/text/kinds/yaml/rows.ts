import type { Leaf } from '../../kind.ts';
import { decodeScalar } from './decode.ts';
import { plainType } from './plain-scalar.ts';
import { EMPTY, END, KEY, KEY_END, type KnownScalar, NEXT, PLAIN, START, type Tree } from './tree.ts';

export function keyName(tree: Tree, row: number): string {
  const known = tree.keyNames.get(row);
  if (known !== undefined) return known;
  return decodeScalar(tree.text.slice(tree.get(row, KEY), tree.get(row, KEY_END)), tree.keyStyle(row));
}

/** True if the row has this name; compares plain keys without copying them. */
export function isNamed(tree: Tree, row: number, name: string): boolean {
  if (tree.keyNames.size > 0 || tree.keyStyle(row) !== PLAIN) return keyName(tree, row) === name;
  const key = tree.get(row, KEY);
  return tree.get(row, KEY_END) - key === name.length && tree.text.startsWith(name, key);
}

/** The scalar of a row: its type, and its text as decoded (strings) or spelled (others). */
export function scalarOf(tree: Tree, row: number): KnownScalar {
  const known = tree.scalars.get(row);
  if (known !== undefined) return known;
  const style = tree.style(row);
  if (style === EMPTY) return { type: 'null', text: '' };
  const source = tree.text.slice(tree.get(row, START), tree.get(row, END));
  if (style === PLAIN) return { type: plainType(source), text: source };
  return { type: 'string', text: decodeScalar(source, style) };
}

/** With `asStrings` every scalar is a string as spelled, and an empty value is the empty string. */
export function leafOf(tree: Tree, row: number, asStrings: boolean): Leaf {
  const { type, text } = scalarOf(tree, row);
  if (asStrings) return { leafType: 'string', valueText: text };
  if (type === 'null') return { leafType: type, valueText: 'null' };
  return { leafType: type, valueText: type === 'boolean' ? text.toLowerCase() : text };
}

export function* childRows(tree: Tree, row: number): Iterable<number> {
  const end = tree.get(row, NEXT);
  for (let child = row + 1; child < end; child = tree.get(child, NEXT)) yield child;
}
