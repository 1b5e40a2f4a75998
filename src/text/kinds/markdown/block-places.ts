/** Code blocks and tables as places: `[code].0`, `[code].bash`, `[code].bash.1`, `[table].0/row/column`. */
import { cellSpans } from './blocks/cells.ts';
import { CODE, type IntTable, TABLE } from './blocks/records.ts';
import { skipBlanks, trimEnd } from './blocks/block-starts.ts';
import { codeLanguage } from './code-text.ts';
import { MAX_NAME, withoutMarks } from './inline.ts';
import type { CellPlace, CodePlace, GroupPlace, TablePlace, TableRowPlace } from './place.ts';
import { slugify } from './slug.ts';
import type { MarkdownSource } from './markdown-source.ts';

/** The group of all code blocks or tables in a span; undefined if there are none. */
export function groupPlace(
  source: MarkdownSource,
  what: 'codes' | 'tables',
  start: number,
  end: number,
): GroupPlace | undefined {
  const group: GroupPlace = {
    what,
    shape: 'container',
    name: what === 'codes' ? '[code]' : '[table]',
    token: true,
    ordinal: 0,
    descriptor: what === 'codes' ? 'md-codes' : 'md-tables',
    start,
    end,
    anchor: start,
  };
  const { value: first } = groupRows(source, group)[Symbol.iterator]().next() as { value: number | undefined };
  if (first === undefined) return undefined;
  const table = what === 'codes' ? source.blocks.codes : source.blocks.tables;
  return { ...group, anchor: table.get(first, CODE.LINE) };
}

/** Rows of a group in document order. Skips blocks in a quote, because each of their lines has quote marks. */
export function* groupRows(source: MarkdownSource, group: GroupPlace): Iterable<number> {
  const codes = group.what === 'codes';
  const table: IntTable = codes ? source.blocks.codes : source.blocks.tables;
  const line = codes ? CODE.LINE : TABLE.LINE;
  const quotes = codes ? CODE.QUOTES : TABLE.QUOTES;
  // LINE of a block on the bullet's line is before the start of the item.
  const from = source.text.lastIndexOf('\n', group.start - 1) + 1;
  for (let row = table.lowerBound(line, group.start === 0 ? 0 : from); row < table.count; row++) {
    if (table.get(row, line) >= group.end) return;
    if (table.get(row, quotes) === 0) yield row;
  }
}

export function* groupChildren(source: MarkdownSource, group: GroupPlace): Iterable<CodePlace | TablePlace> {
  let ordinal = 0;
  for (const row of groupRows(source, group))
    yield group.what === 'codes' ? codePlace(source, row, ordinal++) : tablePlace(source, row, ordinal++);
}

/** Finds a block by its canonical index, or a code block by its language. */
export function groupChild(
  source: MarkdownSource,
  group: GroupPlace,
  name: string,
): CodePlace | TablePlace | undefined {
  const wanted = name.toLowerCase();
  let byLanguage: CodePlace | undefined;
  for (const child of groupChildren(source, group)) {
    if (child.name === name) return child;
    if (child.what === 'code' && wanted !== '' && languageOf(source, child) === wanted)
      byLanguage ??= { ...child, within: group };
  }
  return byLanguage;
}

/** The block at an index among those of one language: `[code].bash.1` is the second bash block. */
export function codeOfLanguage(source: MarkdownSource, first: CodePlace, index: string): CodePlace | undefined {
  if (first.within === undefined) return undefined;
  const language = languageOf(source, first);
  let position = 0;
  for (const child of groupChildren(source, first.within))
    if (child.what === 'code' && languageOf(source, child) === language && String(position++) === index) return child;
  return undefined;
}

function languageOf(source: MarkdownSource, code: CodePlace): string {
  return codeLanguage(source.text, source.blocks, code.row).toLowerCase();
}

function codePlace(source: MarkdownSource, row: number, ordinal: number): CodePlace {
  const { codes } = source.blocks;
  const fence = codes.get(row, CODE.FENCE);
  const start = codes.get(row, CODE.BODY);
  const end = codes.get(row, CODE.BODY_END);
  return {
    what: 'code',
    shape: 'leaf',
    name: String(ordinal),
    ordinal,
    descriptor: 'md-code',
    start,
    end,
    anchor: fence < 0 ? start : fence,
    row,
  };
}

function tablePlace(source: MarkdownSource, row: number, ordinal: number): TablePlace {
  const { tables } = source.blocks;
  const start = tables.get(row, TABLE.HEAD);
  return {
    what: 'table',
    shape: 'container',
    name: String(ordinal),
    ordinal,
    descriptor: 'md-table',
    start,
    end: tables.get(row, TABLE.END),
    anchor: start,
    row,
  };
}

/** Spans of the header's cells, in the flat form of `cellSpans`. */
export function headerCells(source: MarkdownSource, row: number): number[] {
  const { tables } = source.blocks;
  return cellSpans(source.text, tables.get(row, TABLE.HEAD), tables.get(row, TABLE.HEAD_END));
}

export function* tableRows(source: MarkdownSource, table: TablePlace): Iterable<TableRowPlace> {
  const { text } = source;
  const { tables } = source.blocks;
  const stop = tables.get(table.row, TABLE.END);
  let ordinal = 0;
  for (let at = tables.get(table.row, TABLE.BODY); at < stop; ) {
    const lf = text.indexOf('\n', at);
    const next = lf < 0 ? text.length : lf + 1;
    const start = skipBlanks(text, at, next);
    const end = text.slice(start, next).trimEnd().length + start;
    const cells = cellSpans(text, start, end);
    const name = cellName(text, cells, 0) || String(ordinal);
    yield {
      what: 'row',
      shape: 'container',
      name,
      ordinal: ordinal++,
      descriptor: 'md-row',
      start,
      end,
      anchor: start,
      row: table.row,
    };
    at = next;
  }
}

export function tableRow(source: MarkdownSource, table: TablePlace, name: string): TableRowPlace | undefined {
  const wanted = slugify(name);
  let byIndex: TableRowPlace | undefined;
  for (const row of tableRows(source, table)) {
    if (row.name === name || (wanted !== '' && row.name === wanted)) return row;
    if (String(row.ordinal) === name) byIndex = row;
  }
  return byIndex;
}

/** The cells of a row that have a column in the header. */
export function rowCells(source: MarkdownSource, row: TableRowPlace): CellPlace[] {
  const header = headerCells(source, row.row);
  const cells = cellSpans(source.text, row.start, row.end);
  const places: CellPlace[] = [];
  for (let i = 0; i < Math.min(header.length, cells.length); i += 2) {
    const ordinal = i / 2;
    const name = cellName(source.text, header, ordinal) || String(ordinal);
    places.push({
      what: 'cell',
      shape: 'leaf',
      name,
      ordinal,
      descriptor: 'md-cell',
      start: cells[i]!,
      end: cells[i + 1]!,
      anchor: row.start,
      row: row.row,
    });
  }
  return places;
}

export function rowCell(source: MarkdownSource, row: TableRowPlace, name: string): CellPlace | undefined {
  const cells = rowCells(source, row);
  const wanted = slugify(name);
  return (
    cells.find((cell) => cell.name === name || (wanted !== '' && cell.name === wanted)) ??
    cells.find((cell) => String(cell.ordinal) === name)
  );
}

/** The cell's text with `\|` unescaped. */
export function cellText(source: MarkdownSource, cell: { readonly start: number; readonly end: number }): string {
  return source.text.slice(cell.start, trimEnd(source.text, cell.start, cell.end)).replaceAll('\\|', '|');
}

function cellName(text: string, spans: readonly number[], index: number): string {
  const start = spans[index * 2];
  const end = spans[index * 2 + 1];
  return start === undefined || end === undefined
    ? ''
    : slugify(withoutMarks(text.slice(start, Math.min(end, start + MAX_NAME))));
}
