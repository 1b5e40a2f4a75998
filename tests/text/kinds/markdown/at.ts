import type { Change, Document, Place, Slot } from '../../../../src/text/kind.ts';
import { markdown } from '../../../../src/text/kinds/markdown/markdown.ts';
import { applySplices } from '../../../../src/text/lines/splice.ts';

const SLOTS: readonly Slot[] = ['section', 'item', 'field'];

export function parse(text: string): Document {
  return markdown.parse(text);
}

/** The place at `section/item/field`, dots inside a slot; `#N` picks a child by number. */
export function at(document: Document, path: string): Place | undefined {
  let place: Place | undefined = document.root;
  if (path === '') return place;
  for (const [index, segment] of path.split('/').entries()) {
    for (const name of segment.split('.')) {
      if (place === undefined) return undefined;
      const slot = SLOTS[index]!;
      place = name.startsWith('#')
        ? [...document.children(place, slot)][Number(name.slice(1))]
        : document.child(place, slot, name, false);
    }
  }
  return place;
}

export function found(document: Document, path: string): Place {
  const place = at(document, path);
  if (place === undefined) throw new Error(`no ${path}`);
  return place;
}

/** A leaf's text or a container's descriptor. */
export function read(text: string, path: string): string | undefined {
  const document = parse(text);
  const place = at(document, path);
  if (place === undefined) return undefined;
  return place.shape === 'leaf' ? document.leaf(place).valueText : `[${place.descriptor}]`;
}

export function names(text: string, path: string, slot: Slot): string[] {
  const document = parse(text);
  return [...document.children(found(document, path), slot)].map((child) => child.name);
}

/** The text after a change, or `refused: reason`. */
export function after(text: string, change: Change): string {
  return change.ok ? applySplices(text, change.splices) : `refused: ${change.reason}`;
}

export function written(text: string, path: string, value: string): string {
  const document = parse(text);
  return after(text, document.write(found(document, path), { text: value }));
}

export function removed(text: string, path: string): string {
  const document = parse(text);
  return after(text, document.remove(found(document, path)));
}

/** Inserts at `+`, `+key` or `+N` below `path`; the path after `+key/` becomes `rest`. */
export function inserted(
  text: string,
  path: string,
  marker: string,
  value: string | { readonly json: never },
  slot?: Slot,
): string {
  const document = parse(text);
  const depth = path === '' ? 0 : path.split('/').length;
  const [name = '', ...rest] = marker.slice(1).split('/');
  const where =
    name === ''
      ? ({ at: 'end' } as const)
      : /^\d+$/.test(name)
        ? ({ at: 'index', index: Number(name) } as const)
        : ({ at: 'key', key: name } as const);
  const below = rest.map((step, i) => ({ slot: SLOTS[Math.min(2, depth + 1 + i)]!, name: step }));
  const given = typeof value === 'string' ? { text: value } : value;
  return after(text, document.insert(found(document, path), slot ?? SLOTS[Math.min(2, depth)]!, where, below, given));
}
