import { JsonObject, type JsonValue, readJson } from '../../json/value.ts';
import type { Splice } from '../../lines/splice.ts';
import { type Change, type Insertion, type NewStep, type NewValue, refuse } from '../../kind.ts';
import { flattenValue } from './flatten.ts';
import { flowInsertion } from './insert-flow.ts';
import { blockLayout, dashGap, hasTypedKeys, sharedKeyStyle } from './layout.ts';
import { isDocument, type YamlPlace } from './place.ts';
import { childRows, isNamed } from './rows.ts';
import { asRoot, type Placed, type Rendered, renderBlock, renderKey, underDash, underKey } from './render.ts';
import { fillEmptyDocument, joinTail, lineContentEnd } from './replace.ts';
import type { YamlSource } from './yaml-source.ts';
import { EMPTY, END, ENTRY, FLOW, MAP, NEXT, SCALAR, SEQ, START } from './tree.ts';
import { verified } from './verify.ts';
import { depthOf, refuseElsewhere, replaceWith } from './write.ts';

/** Inserts a child into a map, a sequence or an empty document; `rest` names nested maps to create. */
export function insertChild(
  document: YamlSource,
  place: YamlPlace,
  where: Insertion,
  rest: readonly NewStep[],
  value: NewValue,
): Change {
  const refusal = refuseElsewhere(document, place);
  if (refusal) return refusal;
  const { tree } = document;
  const { row } = place;
  const json = rest.reduceRight<JsonValue>(
    (below, step) => new JsonObject([[step.name, below]]),
    given(document, value),
  );
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
function given(document: YamlSource, value: NewValue): JsonValue {
  if ('json' in value) return value.json;
  const read = document.asStrings ? undefined : readJson(value.text);
  return read === undefined || 'error' in read ? value.text : read.value;
}

function intoMap(document: YamlSource, place: YamlPlace, key: string, json: JsonValue): Change {
  const { tree, text, asStrings } = document;
  const { row } = place;
  const typedKeys = asStrings || hasTypedKeys(tree, row);
  const keyStyle = sharedKeyStyle(tree, row);
  let ways: (readonly Splice[])[];
  if (tree.style(row) === FLOW) {
    const name = renderKey(key, keyStyle, true, typedKeys);
    ways = flowInsertion(document, row, Number.POSITIVE_INFINITY, json, name);
  } else {
    const layout = blockLayout(tree);
    const column = tree.column(row);
    const name = renderKey(key, keyStyle, false, typedKeys);
    const at = lineContentEnd(text, tree.get(lastChild(document, row), END));
    ways = rendered(document, json).map((one) => {
      const { head, tail } = underKey(one, column, layout);
      return [linesAfter(text, at, [`${' '.repeat(column)}${name}:${head && ` ${head}`}`, ...tail])];
    });
  }
  return checked(document, place, ways, tree.get(row, NEXT), json, key);
}

function intoSeq(document: YamlSource, place: YamlPlace, index: number, json: JsonValue): Change {
  const { tree, text } = document;
  const { row } = place;
  const items = [...childRows(tree, row)];
  const before = items[index] ?? tree.get(row, NEXT);
  if (tree.style(row) === FLOW)
    return checked(document, place, flowInsertion(document, row, index, json), before, json, '');
  const layout = blockLayout(tree);
  const column = tree.column(row);
  const margin = ' '.repeat(column);
  const gap = dashGap(tree, row);
  const ways = rendered(document, json).map((one) => {
    const [first, ...tail] = itemLines(underDash(one, column, gap, layout), gap);
    if (index > 0) {
      const previous = items[Math.min(index, items.length) - 1] ?? row;
      return [linesAfter(text, lineContentEnd(text, tree.get(previous, END)), [margin + first, ...tail])];
    }
    // No line end precedes the first item: insert at its start and move it down.
    const at = tree.get(row + 1, ENTRY);
    return [{ start: at, end: at, text: `${first}${joinTail(text, at, [...tail, margin])}` }];
  });
  return checked(document, place, ways, before, json, '');
}

function itemLines({ head, tail }: Placed, gap: string): string[] {
  return [`-${head && gap + head}`, ...tail];
}

function intoEmptyDocument(document: YamlSource, place: YamlPlace, key: string, json: JsonValue): Change {
  const { tree, text, asStrings } = document;
  const { row } = place;
  const value = new JsonObject([[key, json]]);
  const ways = rendered(document, value).map((one) => [
    fillEmptyDocument(text, tree.get(row, START), asRoot(one, 0, blockLayout(tree))),
  ]);
  const added = flattenValue(value, 0, '', asStrings);
  return verified(document, ways, { row, removed: 1, added, depth: 0, named: false });
}

function checked(
  document: YamlSource,
  place: YamlPlace,
  ways: Iterable<readonly Splice[]>,
  row: number,
  json: JsonValue,
  name: string,
): Change {
  const depth = depthOf(place) + 1;
  const added = flattenValue(json, depth, name, document.asStrings);
  return verified(document, ways, { row, removed: 0, added, depth, named: document.tree.type(place.row) === MAP });
}

function rendered(document: YamlSource, json: JsonValue): Rendered[] {
  return renderBlock(json, { layout: blockLayout(document.tree), anyType: document.asStrings });
}

function linesAfter(text: string, at: number, lines: readonly string[]): Splice {
  return { start: at, end: at, text: joinTail(text, at, lines) };
}

function lastChild(document: YamlSource, row: number): number {
  let last = row + 1;
  for (const child of childRows(document.tree, row)) last = child;
  return last;
}
