/** Parses the result of every change, and refuses a change that alters anything else. */
import { applySplices, type Splice } from '../../lines/splice.ts';
import { type Change, refuse } from '../../kind.ts';
import { type FlatRow, flattenRow, flattenTree } from './flatten.ts';
import type { YamlSource } from './yaml-source.ts';
import { ALIAS, KEY, KEY_END, NEXT, SCALAR, START, type Tree } from './tree.ts';

/** The expected effect of a change: rows removed and added at `row`. */
interface Expected {
  readonly row: number;
  readonly removed: number;
  readonly added: readonly FlatRow[];
  readonly depth: number;
  readonly named: boolean;
}

/** Texts up to this size are compared by the values of their rows, longer ones by the offsets. */
const WHOLE = 64 * 1024;

/** Returns the first candidate that has the expected effect. */
export function verified(document: YamlSource, candidates: Iterable<readonly Splice[]>, expected: Expected): Change {
  let why = 'this place takes no value';
  for (const splices of candidates) {
    const wrong = problemOf(document, splices, expected);
    if (wrong === undefined) return { ok: true, splices };
    why = wrong;
  }
  return refuse('not-writable', `not changed: ${why}`);
}

function problemOf(document: YamlSource, splices: readonly Splice[], expected: Expected): string | undefined {
  const { tree, asStrings } = document;
  const after = document.read(applySplices(document.text, splices));
  const [problem] = after.problems;
  if (problem) return `the result would not be valid YAML (${problem.message})`;
  const { row, removed, added, depth, named } = expected;
  const shifted = 'the result would parse to other values';
  if (after.tree.documents.length !== tree.documents.length) return shifted;
  if (document.text.length > WHOLE) {
    if (!keepsRows(tree, after.tree, expected)) return shifted;
    if (added.length === 0) return undefined;
    return equal(flattenRow(after.tree, row, depth, named, asStrings), added) ? undefined : shifted;
  }
  const before = flattenTree(tree, asStrings);
  const wanted = [...before.slice(0, row), ...added, ...before.slice(row + removed)];
  return equal(flattenTree(after.tree, asStrings), wanted) ? undefined : shifted;
}

/** True if the rows before the change keep their offsets, and the rows after it move with the text. */
function keepsRows(before: Tree, after: Tree, { row, removed, added }: Expected): boolean {
  const end = endOfDocuments(before);
  const shift = added.length - removed;
  if (endOfDocuments(after) !== end + shift) return false;
  const moved = after.text.length - before.text.length;
  return sameRows(before, after, 0, row, 0, 0) && sameRows(before, after, row + removed, end, shift, moved);
}

/** Compares keys and leaves; the later tree has them `shift` rows and `moved` units further. */
function sameRows(before: Tree, after: Tree, from: number, to: number, shift: number, moved: number): boolean {
  for (let row = from; row < to; row++) {
    const type = before.type(row);
    const isLeaf = type === SCALAR || type === ALIAS;
    if (type !== after.type(row + shift) || (isLeaf && before.style(row) !== after.style(row + shift))) return false;
    for (let cell = isLeaf ? START : KEY; cell <= KEY_END; cell++) {
      const offset = before.get(row, cell);
      if (after.get(row + shift, cell) !== (offset < 0 ? offset : offset + moved)) return false;
    }
  }
  return true;
}

/** Rows of anchored keys come after those of the documents. */
function endOfDocuments(tree: Tree): number {
  return tree.get(tree.documents.at(-1) ?? 0, NEXT);
}

function equal(left: readonly FlatRow[], right: readonly FlatRow[]): boolean {
  return left.length === right.length && left.every((row, index) => row === right[index]);
}
