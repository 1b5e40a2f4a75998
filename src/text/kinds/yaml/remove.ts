import { JsonObject } from '../../json/value.ts';
import { lineEnd, lineStart } from '../../lines/position.ts';
import type { Splice } from '../../lines/splice.ts';
import { type Change, refuse } from '../../kind.ts';
import { flattenValue } from './flatten.ts';
import { isDocument, type YamlPlace } from './place.ts';
import { childRows } from './rows.ts';
import { endOfPreviousLine, lineContentEnd } from './replace.ts';
import type { YamlSource } from './yaml-source.ts';
import { END, ENTRY, FLOW, MAP, NEXT, type Tree } from './tree.ts';
import { verified } from './verify.ts';
import { depthOf, refuseAliased, replaceWith } from './write.ts';

/** Removes a place with its lines, commas and comments. Removing the only child leaves `{}` or `[]`. */
export function removePlace(document: YamlSource, place: YamlPlace): Change {
  const { tree, asStrings } = document;
  const { up, row } = place;
  if (up === undefined || isDocument(place))
    return refuse('not-writable', 'the whole document cannot be deleted; remove the file instead');
  // An alias itself can be removed; only its children belong to the anchor.
  const isOwn = up.origin === undefined && row > up.row && row < tree.get(up.row, NEXT);
  const refusal = isOwn ? undefined : refuseAliased(document, place);
  if (refusal) return refusal;
  const siblings = [...childRows(tree, up.row)];
  const removed = tree.get(row, NEXT) - row;
  if (siblings.length > 1) {
    const isFlow = tree.style(up.row) === FLOW;
    const candidates = isFlow ? [flowRemoval(tree, siblings, row)] : blockRemovals(tree, siblings, row);
    return verified(
      document,
      candidates.map((splice) => [splice]),
      { row, removed, added: [], depth: depthOf(place), named: false },
    );
  }
  if (asStrings && isDocument(up) && tree.isBlockCollection(up.row)) {
    const added = flattenValue('', 0, '', true);
    const candidates = wholeLines(tree.text, tree.get(row, ENTRY), tree.get(row, END));
    return verified(
      document,
      candidates.map((splice) => [splice]),
      { row: up.row, removed: removed + 1, added, depth: 0, named: false },
    );
  }
  return replaceWith(document, up, tree.type(up.row) === MAP ? new JsonObject([]) : []);
}

function flowRemoval(tree: Tree, siblings: readonly number[], row: number): Splice {
  const at = siblings.indexOf(row);
  const next = siblings[at + 1];
  if (next !== undefined) return { start: tree.get(row, ENTRY), end: tree.get(next, ENTRY), text: '' };
  return { start: tree.get(siblings[at - 1] ?? row, END), end: tree.get(row, END), text: '' };
}

function blockRemovals(tree: Tree, siblings: readonly number[], row: number): Splice[] {
  const { text } = tree;
  const entry = tree.get(row, ENTRY);
  const end = tree.get(row, END);
  if (isFirstOnLine(text, entry)) return wholeLines(text, entry, end);
  // The first entry of a block after a dash: the next one moves up, unless a comment is between them.
  const next = tree.get(siblings[siblings.indexOf(row) + 1] ?? row, ENTRY);
  const stop = lineContentEnd(text, end);
  if (text.slice(stop, next).trim() === '') return [{ start: entry, end: next, text: '' }];
  let start = entry;
  while (text.charCodeAt(start - 1) === 32) start--;
  return [{ start, end: stop, text: '' }];
}

/**
 * Candidates for removing the lines from `start` to `end`. For an unterminated last line, first try to remove the line
 * ending before them, so that the text stays unterminated; that fails if the ending belongs to a value above.
 */
function wholeLines(text: string, start: number, end: number): Splice[] {
  const from = Math.max(lineStart(text, start), text.charCodeAt(0) === 0xfeff ? 1 : 0);
  const to = lineEnd(text, end);
  const lines = { start: from, end: to, text: '' };
  const unfinished = to === text.length && !text.endsWith('\n') && from > 1;
  return unfinished ? [{ ...lines, start: endOfPreviousLine(text, start) }, lines] : [lines];
}

function isFirstOnLine(text: string, offset: number): boolean {
  return /^\uFEFF? *$/.test(text.slice(lineStart(text, offset), offset));
}
