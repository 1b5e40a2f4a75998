/** Every change is read back before it is handed out: a splice that breaks or shifts anything is refused. */
import { applySplices, type Splice } from '../../lines/splice.ts';
import { type Change, refuse } from '../kind.ts';
import type { YamlDocument } from './document.ts';
import { type FlatRow, flattenRow, flattenTree } from './flatten.ts';

/** What a change means: the rows at `row` that go, and what stands there afterwards. */
export interface Expected {
  readonly row: number;
  readonly removed: number;
  readonly added: readonly FlatRow[];
  readonly depth: number;
  readonly named: boolean;
}

/** Texts up to this size are compared row by row. */
const WHOLE = 64 * 1024;

/** Gives the first of several ways to make a change that reads back as expected. */
export function verified(document: YamlDocument, ways: Iterable<readonly Splice[]>, expected: Expected): Change {
  let why = 'nothing can be written here';
  for (const splices of ways) {
    const wrong = problemOf(document, splices, expected);
    if (wrong === undefined) return { ok: true, splices };
    why = wrong;
  }
  return refuse('not-writable', `The change was not made because ${why}.`);
}

function problemOf(document: YamlDocument, splices: readonly Splice[], expected: Expected): string | undefined {
  const { tree, asStrings } = document;
  const after = document.read(applySplices(document.text, splices));
  const [problem] = after.problems;
  if (problem) return `the result would not be valid YAML (${problem.message})`;
  const { row, removed, added, depth, named } = expected;
  const shifted = 'the result would read back differently';
  if (after.tree.documents.length !== tree.documents.length) return shifted;
  if (document.text.length > WHOLE) {
    const aliens = tree.aliases.size > 0 ? 0 : after.tree.count - tree.count + removed - added.length;
    if (aliens !== 0) return shifted;
    if (added.length === 0) return undefined;
    return equal(flattenRow(after.tree, row, depth, named, asStrings), added) ? undefined : shifted;
  }
  const before = flattenTree(tree, asStrings);
  const wanted = [...before.slice(0, row), ...added, ...before.slice(row + removed)];
  return equal(flattenTree(after.tree, asStrings), wanted) ? undefined : shifted;
}

function equal(left: readonly FlatRow[], right: readonly FlatRow[]): boolean {
  return left.length === right.length && left.every((row, index) => row === right[index]);
}
