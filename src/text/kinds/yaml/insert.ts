import { JsonObject, type JsonValue, readJson } from '../../json/value.ts';
import { eolAt } from '../../lines/eol.ts';
import type { Splice } from '../../lines/splice.ts';
import { type Change, type Insertion, nestValue, type NewStep, type NewValue, refuse } from '../../kind.ts';
import { flattenValue } from './flatten.ts';
import { blockLayout, dashGap, flowLayout, hasTypedKeys, sharedKeyStyle } from './layout.ts';
import { isDocument, type YamlPlace } from './place.ts';
import { childRows, isNamed } from './rows.ts';
import {
  asRoot,
  type Placed,
  type Rendered,
  renderBlock,
  renderFlow,
  renderKey,
  underDash,
  underKey,
} from './render.ts';
import { fillEmptyDocument, insertion, joinTail, lineContentEnd } from './replace.ts';
import type { YamlSource } from './yaml-source.ts';
import {
  AFTER,
  columnOf,
  DOUBLE,
  EMPTY,
  END,
  ENTRY,
  FLOW,
  MAP,
  NEXT,
  PLAIN,
  SCALAR,
  SEQ,
  START,
  type Tree,
} from './tree.ts';
import { verified } from './verify.ts';
import { depthOf, refuseAliased, replaceWith } from './write.ts';

/** Inserts a child into a map, a sequence or an empty document; `rest` names nested maps to create. */
export function insertChild(
  document: YamlSource,
  place: YamlPlace,
  where: Insertion,
  rest: readonly NewStep[],
  value: NewValue,
): Change {
  const refusal = refuseAliased(document, place);
  if (refusal) return refusal;
  const { tree } = document;
  const { row } = place;
  const json = nestValue(rest, valueToInsert(document, value));
  const type = tree.type(row);
  const empty = type === SCALAR && tree.style(row) === EMPTY;
  // `env:` without a value becomes a map with its first key, or a sequence with its first item.
  if (empty && !isDocument(place))
    return replaceWith(document, place, where.at === 'key' ? new JsonObject([[where.key, json]]) : [json]);
  if (type === MAP || empty) {
    if (where.at !== 'key') return refuse('type-mismatch', 'a map takes a named child, as in +key or +"404"');
    const { key } = where;
    if (empty) return intoEmptyDocument(document, place, key, json);
    for (const child of childRows(tree, row)) {
      if (isNamed(tree, child, key))
        return refuse('exists', `the key ${JSON.stringify(key)} already exists; set it without +, or delete it first`);
    }
    return intoMap(document, place, key, json);
  }
  if (type !== SEQ) return refuse('type-mismatch', 'a scalar cannot have children');
  if (where.at === 'key') return refuse('type-mismatch', 'a sequence takes + (at the end) or +N (before item N)');
  return intoSeq(document, place, where.at === 'index' ? where.index : Number.POSITIVE_INFINITY, json);
}

/** Text that is not JSON is a string. In a document of strings, all text is. */
function valueToInsert(document: YamlSource, value: NewValue): JsonValue {
  if ('json' in value) return value.json;
  const read = document.asStrings ? undefined : readJson(value.text);
  return read === undefined || 'error' in read ? value.text : read.value;
}

function intoMap(document: YamlSource, place: YamlPlace, key: string, json: JsonValue): Change {
  const { tree, text, asStrings } = document;
  const { row } = place;
  const typedKeys = asStrings || hasTypedKeys(tree, row);
  const keyStyle = sharedKeyStyle(tree, row);
  let candidates: (readonly Splice[])[];
  if (tree.style(row) === FLOW) {
    const name = renderKey(key, keyStyle, true, typedKeys);
    candidates = flowInsertion(document, row, Number.POSITIVE_INFINITY, json, name);
  } else {
    const layout = blockLayout(tree);
    const column = tree.column(row);
    const name = renderKey(key, keyStyle, false, typedKeys);
    const at = lineContentEnd(text, tree.get(lastChild(document, row), END));
    candidates = rendered(document, json).map((one) => {
      const { head, tail } = underKey(one, column, layout);
      return [linesAfter(text, at, [`${' '.repeat(column)}${name}:${head && ` ${head}`}`, ...tail])];
    });
  }
  return verifiedInsertion(document, place, candidates, tree.get(row, NEXT), json, key);
}

function intoSeq(document: YamlSource, place: YamlPlace, index: number, json: JsonValue): Change {
  const { tree, text } = document;
  const { row } = place;
  const items = [...childRows(tree, row)];
  const before = items[index] ?? tree.get(row, NEXT);
  if (tree.style(row) === FLOW)
    return verifiedInsertion(document, place, flowInsertion(document, row, index, json), before, json, '');
  const layout = blockLayout(tree);
  const column = tree.column(row);
  const margin = ' '.repeat(column);
  const gap = dashGap(tree, row);
  const candidates = rendered(document, json).map((one) => {
    const [first, ...tail] = itemLines(underDash(one, column, gap, layout), gap);
    if (index > 0) {
      const previous = items[Math.min(index, items.length) - 1] ?? row;
      return [linesAfter(text, lineContentEnd(text, tree.get(previous, END)), [margin + first, ...tail])];
    }
    // No line end precedes the first item: insert at its start and move it down.
    const at = tree.get(row + 1, ENTRY);
    return [insertion(at, `${first}${joinTail(text, at, [...tail, margin])}`)];
  });
  return verifiedInsertion(document, place, candidates, before, json, '');
}

function itemLines({ head, tail }: Placed, gap: string): string[] {
  return [`-${head && gap + head}`, ...tail];
}

function intoEmptyDocument(document: YamlSource, place: YamlPlace, key: string, json: JsonValue): Change {
  const { tree, text, asStrings } = document;
  const { row } = place;
  const value = new JsonObject([[key, json]]);
  const candidates = rendered(document, value).map((one) => [
    fillEmptyDocument(text, tree.get(row, START), asRoot(one, 0, blockLayout(tree))),
  ]);
  const added = flattenValue(value, 0, '', asStrings);
  return verified(document, candidates, { row, removed: 1, added, depth: 0, named: false });
}

function verifiedInsertion(
  document: YamlSource,
  place: YamlPlace,
  candidates: Iterable<readonly Splice[]>,
  row: number,
  json: JsonValue,
  name: string,
): Change {
  const depth = depthOf(place) + 1;
  const added = flattenValue(json, depth, name, document.asStrings);
  return verified(document, candidates, {
    row,
    removed: 0,
    added,
    depth,
    named: document.tree.type(place.row) === MAP,
  });
}

function rendered(document: YamlSource, json: JsonValue): Rendered[] {
  return renderBlock(json, { layout: blockLayout(document.tree), anyType: document.asStrings });
}

function linesAfter(text: string, at: number, lines: readonly string[]): Splice {
  return insertion(at, joinTail(text, at, lines));
}

function lastChild(document: YamlSource, row: number): number {
  let last = row + 1;
  for (const child of childRows(document.tree, row)) last = child;
  return last;
}

/** Candidate splices for an item before `index`, or at the end. Empty for a pair without braces. */
function flowInsertion(
  document: YamlSource,
  row: number,
  index: number,
  json: JsonValue,
  key?: string,
): (readonly Splice[])[] {
  const { tree, text, asStrings } = document;
  const open = tree.get(row, START);
  if (text[open] !== '[' && text[open] !== '{') return [];
  const layout = flowLayout(tree, row);
  const children = [...childRows(tree, row)];
  const colon = children[0] === undefined || tree.type(row) !== MAP ? ' ' : colonGap(tree, children[0]);
  return [layout.valueStyle, DOUBLE].map((valueStyle) => {
    const value = renderFlow(json, { ...layout, valueStyle }, asStrings);
    const item = key === undefined ? value : `${key}:${colon}${value}`;
    return flowSplices(tree, row, children, index, item);
  });
}

function flowSplices(tree: Tree, row: number, children: readonly number[], index: number, item: string): Splice[] {
  const { text } = tree;
  const open = tree.get(row, START);
  const last = children.at(-1);
  if (last === undefined) {
    const inside = text.slice(open + 1, tree.get(row, END) - 1);
    const blank = /^[ \t]*$/.test(inside);
    const padding = blank && inside !== '' ? ' ' : '';
    return [{ start: open + 1, end: open + 1 + (blank ? inside.length : 0), text: padding + item + padding }];
  }
  const gap = separatorGap(tree, row, children);
  const before = children[index];
  if (before !== undefined) return [insertion(tree.get(before, ENTRY), `${item},${gap}`)];
  const end = tree.get(last, END);
  const rest = /^[ \t]*(,?)[ \t]*(?:#.*)?$/.exec(text.slice(end, lineContentEnd(text, end)));
  if (!gap.includes('\n') || rest === null) return [insertion(end, `,${gap}${item}`)];
  // One item per line: a comment after the last item stays with it.
  const line = lineContentEnd(text, end);
  if (rest[1] === ',') return [insertion(line, `${gap}${item},`)];
  return line === end ? [insertion(end, `,${gap}${item}`)] : [insertion(end, ','), insertion(line, gap + item)];
}

/** The gap after a comma: as between the first two items, or as before the only one. */
function separatorGap(tree: Tree, row: number, children: readonly number[]): string {
  const { text } = tree;
  const [first = row, second] = children;
  const at = tree.get(second ?? first, ENTRY);
  const between =
    second === undefined ? text.slice(tree.get(row, START) + 1, at) : text.slice(tree.get(first, END), at);
  if (between.includes('\n')) return eolAt(text, tree.get(row, START)) + ' '.repeat(columnOf(text, at));
  return second === undefined ? ' ' : (/,([ \t]*)$/.exec(between)?.[1] ?? ' ');
}

/** A quoted key as in `"a":1` needs no space; a plain key does. */
function colonGap(tree: Tree, child: number): string {
  const between = tree.text.slice(tree.get(child, AFTER), tree.get(child, START));
  return tree.keyStyle(child) !== PLAIN && between === '' && tree.get(child, END) > tree.get(child, START) ? '' : ' ';
}
