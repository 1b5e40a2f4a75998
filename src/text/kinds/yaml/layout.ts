/** The formatting of a document, so that new values match their neighbours. */
import { plainType } from './plain-scalar.ts';
import { childRows, keyName } from './rows.ts';
import { BLOCK, DOUBLE, ENTRY, MAP, NEXT, PLAIN, SCALAR, SEQ, SINGLE, START, type Tree } from './tree.ts';

export interface BlockLayout {
  /** Columns from a map to a nested map or text. */
  readonly step: number;
  /** Columns from a key to the dashes of its sequence; 0 if they are not indented. */
  readonly dashStep: number;
}

/** The number of rows to examine in a long file. */
const SAMPLE = 2000;

/** The first indentation in the document (default: two spaces). */
export function blockLayout(tree: Tree): BlockLayout {
  let step = 0;
  let dashStep = -1;
  const last = Math.min(tree.count, SAMPLE);
  for (let row = 0; row < last && (step === 0 || dashStep < 0); row++) {
    if (tree.type(row) !== MAP || !tree.isBlockCollection(row)) continue;
    const column = tree.column(row);
    for (const child of childRows(tree, row)) {
      if (child >= last) break;
      if (!tree.isBlockCollection(child)) continue;
      const distance = tree.column(child) - column;
      if (tree.type(child) === SEQ && dashStep < 0) dashStep = distance;
      if (tree.type(child) === MAP && step === 0) step = distance;
    }
  }
  const found = step > 0 ? step : dashStep > 0 ? dashStep : 2;
  return { step: found, dashStep: dashStep < 0 ? found : dashStep };
}

export interface FlowLayout {
  /** The space after the opening and before the closing bracket. */
  readonly padding: string;
  /** The style that all string values, or all keys, share; plain if they differ. */
  readonly valueStyle: number;
  readonly keyStyle: number;
}

export function flowLayout(tree: Tree, row: number): FlowLayout {
  const start = tree.get(row, START);
  const inside = tree.text[start + 1] === ' ' || tree.text[start + 1] === '\t';
  return { padding: inside ? ' ' : '', valueStyle: sharedValueStyle(tree, row), keyStyle: sharedKeyStyle(tree, row) };
}

export function sharedKeyStyle(tree: Tree, row: number): number {
  return tree.type(row) === MAP ? shared(tree, row, (child) => tree.keyStyle(child)) : PLAIN;
}

function sharedValueStyle(tree: Tree, row: number): number {
  return shared(tree, row, (child) => {
    if (tree.type(child) !== SCALAR) return undefined;
    const style = tree.style(child);
    if (style !== PLAIN) return style;
    const source = tree.text.slice(tree.get(child, START), tree.get(child, START + 1));
    return plainType(source) === 'string' ? PLAIN : undefined;
  });
}

function shared(tree: Tree, row: number, styleOf: (child: number) => number | undefined): number {
  let found: number | undefined;
  for (const child of childRows(tree, row)) {
    if (child > row + SAMPLE) break;
    const style = styleOf(child);
    if (style === undefined) continue;
    if (found !== undefined && found !== style) return PLAIN;
    found = style;
  }
  return found === SINGLE || found === DOUBLE ? found : PLAIN;
}

/** True if the map has plain keys that are numbers, booleans or null. */
export function hasTypedKeys(tree: Tree, row: number): boolean {
  for (const child of childRows(tree, row)) {
    if (child > row + SAMPLE) break;
    if (tree.keyStyle(child) === PLAIN && plainType(keyName(tree, child)) !== 'string') return true;
  }
  return false;
}

export function dashGap(tree: Tree, row: number): string {
  const first = row + 1;
  if (first >= tree.get(row, NEXT)) return ' ';
  const between = tree.text.slice(tree.get(first, ENTRY) + 1, tree.get(first, START));
  return tree.style(row) === BLOCK && /^ +$/.test(between) ? between : ' ';
}
