import { formatOcPath } from '../address/format.ts';
import type { OcPath } from '../address/address.ts';
import type { Document, LeafType, Place } from '../kind.ts';
import { byteLength } from '../lines/bytes.ts';
import { type Position, PositionFinder, positionAt } from '../lines/position.ts';
import type { Found, Name } from './walk.ts';

/** What the output of `resolve` and `find` calls a container. The interface that Pincer implements fixes this word. */
export const CONTAINER_KIND = 'node';

/** The output shape of `resolve` and `find`. Lines and columns count from 1. */
export type Match =
  | {
      readonly kind: 'leaf';
      readonly valueText: string;
      readonly leafType: LeafType;
      readonly line: number;
      readonly column: number;
    }
  | {
      readonly kind: typeof CONTAINER_KIND;
      readonly descriptor: string;
      readonly line: number;
      readonly column: number;
    }
  | { readonly kind: 'insertion-point'; readonly container: string; readonly line: number; readonly column: number }
  | { readonly kind: 'root'; readonly descriptor: string; readonly line: number; readonly column: number };

/** The span of a place's value, in lines and in bytes. */
export interface Extent {
  readonly start: Position;
  readonly end: Position;
  readonly bytes: { readonly start: number; readonly end: number };
}

/** Counts the lines of a long text in one pass for all its matches. */
const counted = new WeakMap<Document, PositionFinder>();
const SHORT = 4096;

function positionIn(document: Document, offset: number): Position {
  if (document.text.length < SHORT) return positionAt(document.text, offset);
  let positions = counted.get(document);
  if (positions === undefined) counted.set(document, (positions = new PositionFinder(document.text)));
  return positions.at(offset);
}

export function matchOf<P extends Place>(document: Document<P>, found: Found<P>): Match {
  const { place } = found;
  const { line, column } = positionIn(document, place.anchor);
  if (found.insertion) {
    const at = positionIn(document, place.shape === 'root' ? place.start : place.anchor);
    return { kind: 'insertion-point', container: document.container(place) ?? place.descriptor, ...at };
  }
  if (place.shape === 'leaf') return { kind: 'leaf', ...document.leaf(place), line, column };
  if (place.shape === 'root') return { kind: 'root', descriptor: place.descriptor, line: 1, column: 1 };
  return { kind: CONTAINER_KIND, descriptor: place.descriptor, line, column };
}

export function extentOf(document: Document, place: Place): Extent {
  const { text } = document;
  const start = byteLength(text.slice(0, place.start));
  return {
    start: positionAt(text, place.start),
    end: positionAt(text, place.end),
    bytes: { start, end: start + byteLength(text.slice(place.start, place.end)) },
  };
}

/** The concrete address of a place: the pattern's file and scope, and the names in their slots, without empty slots between. */
export function addressOf(path: OcPath, names: readonly Name[]): string {
  return formatOcPath(addressFrom(path, names));
}

function addressFrom(path: OcPath, names: readonly Name[]): OcPath {
  const groups = (['section', 'item', 'field'] as const)
    .map((slot) =>
      names
        .filter((name) => name.slot === slot)
        .map((name) => name.text)
        .join('.'),
    )
    .filter((group) => group !== '');
  const [section, item, field] = groups;
  return {
    file: path.file,
    ...(section === undefined ? {} : { section }),
    ...(item === undefined ? {} : { item }),
    ...(field === undefined ? {} : { field }),
    ...(path.session === undefined ? {} : { session: path.session }),
  };
}
