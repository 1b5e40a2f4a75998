import { ExactNumber, isJsonNumber, type JsonValue, jsonNumber, readJson, sameJson } from '../../json/value.ts';
import { positionAt } from '../../lines/position.ts';
import { type Change, type NewValue, type Refusal, refuse } from '../../kind.ts';
import { flattenValue } from './flatten.ts';
import { blockLayout, dashGap, flowLayout } from './layout.ts';
import type { YamlPlace } from './place.ts';
import { isWritableNumber } from './plain-scalar.ts';
import { asRoot, type Placed, renderBlock, renderFlow, underDash, underKey } from './render.ts';
import { replaceSplices } from './replace.ts';
import type { YamlSource } from './yaml-source.ts';
import { columnOf, DOUBLE, FLOW, MAP, NEXT, SCALAR, SEQ, START } from './tree.ts';
import { verified } from './verify.ts';

/** Replaces a value with text, which is coerced to the current type, or with JSON. */
export function writeValue(document: YamlSource, place: YamlPlace, value: NewValue): Change {
  const refusal = refuseAliased(document, place);
  if (refusal) return refusal;
  if ('json' in value) {
    if (sameJson(document.value(place), value.json)) return { ok: true, splices: [] };
    return replaceWith(document, place, value.json);
  }
  const isScalar = document.tree.type(place.row) === SCALAR;
  if (isScalar && document.leaf(place).valueText === value.text) return { ok: true, splices: [] };
  const coerced = coerce(document, place, value.text);
  if ('ok' in coerced) return coerced;
  return replaceWith(document, place, coerced.json);
}

export function replaceWith(document: YamlSource, place: YamlPlace, json: JsonValue): Change {
  const { tree, asStrings } = document;
  const { row } = place;
  const candidates = [...placedValues(document, place, json)].map((placed) => replaceSplices(tree, row, placed));
  return verified(document, candidates, {
    row,
    removed: tree.get(row, NEXT) - row,
    added: flattenValue(json, depthOf(place), nameIn(document, place), asStrings),
    depth: depthOf(place),
    named: nameIn(document, place) !== '',
  });
}

export function depthOf(place: YamlPlace): number {
  let depth = 0;
  for (let { up } = place; up !== undefined && up.row >= 0; up = up.up) depth++;
  return depth;
}

function nameIn(document: YamlSource, place: YamlPlace): string {
  const isEntry = place.up !== undefined && place.up.row >= 0 && document.tree.type(place.up.target) === MAP;
  return isEntry ? place.name : '';
}

function placedValues(document: YamlSource, place: YamlPlace, json: JsonValue): Placed[] {
  const { tree, asStrings } = document;
  const { row, up } = place;
  const container = up !== undefined && up.row >= 0 ? up.row : -1;
  const isCollection = typeof json === 'object' && json !== null && !(json instanceof ExactNumber);
  const wasFlow = tree.type(row) !== SCALAR && tree.style(row) === FLOW;
  const inFlow = container >= 0 && tree.style(container) === FLOW;
  if (inFlow || (wasFlow && isCollection)) {
    const layout = flowLayout(tree, wasFlow && isCollection ? row : container);
    const valueStyle = tree.type(row) === SCALAR ? tree.style(row) : layout.valueStyle;
    return [valueStyle, DOUBLE].map((style) => ({
      head: renderFlow(json, { ...layout, valueStyle: style }, asStrings),
      tail: [],
    }));
  }
  const layout = blockLayout(tree);
  const style = tree.type(row) === SCALAR ? { style: tree.style(row) } : {};
  return renderBlock(json, { layout, anyType: asStrings, ...style }).map((rendered) => {
    if (container < 0) return asRoot(rendered, rootColumn(document, row), layout);
    const column = tree.column(container);
    if (tree.type(container) === SEQ) return underDash(rendered, column, dashGap(tree, container), layout);
    return underKey(rendered, column, layout);
  });
}

function rootColumn({ tree, text }: YamlSource, row: number): number {
  return tree.type(row) === SCALAR ? 0 : columnOf(text, tree.get(row, START));
}

function coerce(document: YamlSource, place: YamlPlace, text: string): { readonly json: JsonValue } | Refusal {
  const { tree, asStrings } = document;
  if (tree.type(place.row) !== SCALAR) {
    const what = tree.type(place.row) === MAP ? 'a map' : 'a sequence';
    return refuse('not-writable', `text cannot replace ${what}; use --value-json, or name a leaf in it`);
  }
  if (asStrings) return { json: text };
  const { leafType } = document.leaf(place);
  if (leafType === 'number') {
    if (isWritableNumber(text)) return { json: isJsonNumber(text) ? jsonNumber(text) : new ExactNumber(text) };
    return refuse(
      'parse-error',
      `${JSON.stringify(text)} is not a finite number; --value-json writes a value of another type`,
    );
  }
  if (leafType === 'boolean') {
    if (text === 'true' || text === 'false') return { json: text === 'true' };
    return refuse(
      'parse-error',
      `${JSON.stringify(text)} is not true or false; --value-json writes a value of another type`,
    );
  }
  return { json: leafType === 'null' ? scalarFromText(text) : text };
}

function scalarFromText(text: string): JsonValue {
  const read = readJson(text);
  if ('error' in read) return text;
  return typeof read.value === 'object' && read.value !== null && !(read.value instanceof ExactNumber)
    ? text
    : read.value;
}

/** Refuses a place whose value belongs to an anchor or a merge key. */
export function refuseAliased(document: YamlSource, place: YamlPlace): Refusal | undefined {
  if (place.row < 0) return refuse('not-writable', 'the list of documents cannot be changed as a whole');
  const { origin } = place;
  if (origin === undefined) return undefined;
  const { line } = positionAt(document.text, origin.offset);
  const from = origin.anchor === undefined ? 'a merge key' : `the anchor &${origin.anchor}`;
  return refuse('alias', `this value comes from ${from} on line ${line}; change it there`);
}
