/**
 * The YAML block at the top of a file. The YAML kind, passed in as a function, parses its slice of the text; this module
 * shifts offsets and splices.
 */
import type { Splice } from '../../lines/splice.ts';
import { applySplices } from '../../lines/splice.ts';
import { dominantEol } from '../../lines/eol.ts';
import type { Change, Document, Insertion, NewStep, NewValue, Place, Problem, Slot } from '../../kind.ts';
import type { YamlPlace } from './place.ts';

/** Parses YAML with all scalars as string leaves: `3` is "3", an empty value is "". */
export type FrontmatterReader = (yaml: string) => Document;

export interface FrontmatterSpan {
  readonly start: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
  readonly end: number;
}

/** Finds the block: line 1 is exactly `---`, and a later line is exactly `---` or `...`. */
export function frontmatterSpan(text: string): FrontmatterSpan | undefined {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  if (!text.startsWith('---', start)) return undefined;
  const bodyStart = lineBreakEnd(text, start + 3);
  if (bodyStart < 0) return undefined;
  const dashes = closingLine(text, bodyStart - 1, '\n---');
  const dots = closingLine(text, bodyStart - 1, '\n...');
  const bodyEnd = dashes < 0 || (dots >= 0 && dots < dashes) ? dots : dashes;
  if (bodyEnd < 0) return undefined;
  return {
    start,
    bodyStart,
    bodyEnd,
    end: bodyEnd + 3 === text.length ? text.length : lineBreakEnd(text, bodyEnd + 3),
  };
}

/** The offset after the line break at `at`, or -1. */
function lineBreakEnd(text: string, at: number): number {
  if (text.charCodeAt(at) === 13) at++;
  return text.charCodeAt(at) === 10 ? at + 1 : -1;
}

function closingLine(text: string, from: number, mark: string): number {
  for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, at + 1)) {
    if (at + 4 === text.length || lineBreakEnd(text, at + 4) >= 0) return at + 1;
  }
  return -1;
}

/** The frontmatter of one document. Its YAML is parsed on first use. */
export class Frontmatter {
  readonly span: FrontmatterSpan;
  readonly #text: string;
  readonly #read: FrontmatterReader;
  #document: Document | undefined;

  constructor(text: string, span: FrontmatterSpan, read: FrontmatterReader) {
    this.#text = text;
    this.span = span;
    this.#read = read;
  }

  get document(): Document {
    this.#document ??= this.#read(this.#text.slice(this.span.bodyStart, this.span.bodyEnd));
    return this.#document;
  }

  /** How much longer the text is with its aliases expanded; 0 if the YAML was not parsed. */
  get added(): number {
    const document = this.#document;
    return document?.expandedLength === undefined ? 0 : document.expandedLength - document.text.length;
  }

  place(): YamlPlace {
    const { start, end } = this.span;
    const inner = this.document.root;
    return {
      what: 'frontmatter',
      shape: 'container',
      name: '[frontmatter]',
      token: true,
      ordinal: 0,
      descriptor: 'md-frontmatter',
      start,
      end,
      anchor: start,
      inner,
    };
  }

  problems(): readonly Problem[] {
    return this.document.problems.map((problem) => ({ ...problem, offset: problem.offset + this.span.bodyStart }));
  }

  *children(place: YamlPlace, slot: Slot): Iterable<YamlPlace> {
    if (this.document.problems.length > 0) return;
    for (const child of this.document.children(place.inner, slot)) yield this.#outer(child);
  }

  child(place: YamlPlace, slot: Slot, name: string, quoted: boolean): YamlPlace | undefined {
    if (this.document.problems.length > 0) return undefined;
    const found = this.document.child(place.inner, slot, name, quoted);
    return found && this.#outer(found);
  }

  #outer(inner: Place): YamlPlace {
    const shift = this.span.bodyStart;
    return {
      what: 'yaml',
      shape: inner.shape,
      name: inner.name,
      ...(inner.token && { token: true }),
      ordinal: inner.ordinal,
      descriptor: inner.descriptor,
      start: inner.start + shift,
      end: inner.end + shift,
      anchor: inner.anchor + shift,
      inner,
    };
  }

  write(place: YamlPlace, value: NewValue): Change {
    return this.#shifted(this.document.write(place.inner, value));
  }

  insert(place: YamlPlace, slot: Slot, where: Insertion, rest: readonly NewStep[], value: NewValue): Change {
    return this.#shifted(this.document.insert(place.inner, slot, where, rest, value));
  }

  remove(place: YamlPlace): Change {
    if (place.what === 'yaml') return this.#shifted(this.document.remove(place.inner));
    return { ok: true, splices: [{ start: this.span.start, end: this.span.end, text: '' }] };
  }

  #shifted(change: Change): Change {
    if (!change.ok || change.splices.length === 0) return change;
    const { bodyStart, bodyEnd } = this.span;
    const body = this.#text.slice(bodyStart, bodyEnd);
    const splices: Splice[] = change.splices.map(({ start, end, text }) => ({
      start: start + bodyStart,
      end: end + bodyStart,
      text,
    }));
    // A new last line needs a line ending before the closing fence.
    const after = applySplices(body, change.splices);
    if (after !== '' && !after.endsWith('\n')) {
      const last = splices.reduce((a, b) => (b.end >= a.end ? b : a));
      splices[splices.indexOf(last)] = { ...last, text: last.text + dominantEol(this.#text) };
    }
    return { ok: true, splices };
  }
}

export function createFrontmatter(
  text: string,
  read: FrontmatterReader,
  where: Insertion,
  rest: readonly NewStep[],
  value: NewValue,
): Change {
  const empty = read('');
  const change = empty.insert(empty.root, 'item', where, rest, value);
  if (!change.ok) return change;
  const eol = dominantEol(text);
  const entry = applySplices('', change.splices)
    .replace(/\r?\n$/, '')
    .replaceAll(/\r?\n/g, eol);
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  return { ok: true, splices: [{ start, end: start, text: `---${eol}${entry}${eol}---${eol}` }] };
}
