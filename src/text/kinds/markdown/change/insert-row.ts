import type { JsonValue } from '../../../json/value.ts';
import { eolAt } from '../../../lines/eol.ts';
import { lineStart } from '../../../lines/position.ts';
import { type Change, type Insertion, type NewValue, type Refusal, refuse } from '../../../kind.ts';
import { cellSpans } from '../blocks/cells.ts';
import { TABLE } from '../blocks/records.ts';
import { cellText, headerCells, tableRow, tableRows } from '../block-places.ts';
import { withoutMarks } from '../inline.ts';
import type { TablePlace } from '../place.ts';
import { slugify } from '../slug.ts';
import type { MarkdownSource } from '../markdown-source.ts';
import { lineText } from './scalar.ts';
import { verified } from './verify.ts';

/** `+key` sets the first cell and the value sets the others; `+` takes an array or object of cells. */
export function insertRow(source: MarkdownSource, table: TablePlace, where: Insertion, value: NewValue): Change {
  const header = headerCells(source, table.row);
  const names = Array.from({ length: header.length / 2 }, (_, i) =>
    cellText(source, { start: header[i * 2]!, end: header[i * 2 + 1]! }),
  );
  if (where.at === 'key' && tableRow(source, table, where.key))
    return refuse('exists', `the row ${JSON.stringify(where.key)} already exists`);
  const cells = cellsOf(names, where.at === 'key' ? where.key : undefined, value);
  if ('ok' in cells) return cells;

  const { text } = source;
  const { tables } = source.blocks;
  const rows = [...tableRows(source, table)];
  const next = where.at === 'index' ? rows[where.index] : undefined;
  const at = next === undefined ? tables.get(table.row, TABLE.END) : lineStart(text, next.start);
  const model = text.slice(tables.get(table.row, TABLE.DELIMITER), tables.get(table.row, TABLE.BODY)).trimEnd();
  const prefix = model.slice(0, model.length - model.trimStart().length);
  const bars = model.trimStart().startsWith('|');
  const closed = model.endsWith('|');
  const line = `${prefix}${bars ? '| ' : ''}${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')}${closed ? ' |' : ''}`;
  const eol = eolAt(text, tables.get(table.row, TABLE.LINE));
  const unterminated = text.charCodeAt(at - 1) !== 10;
  const written = unterminated ? eol + line : line + eol;
  const start = unterminated ? at + eol.length : at;
  return verified(source, [{ start: at, end: at, text: written }], (after) => {
    const spans = cellSpans(after.text, start, start + line.length);
    const inside = after.blocks.tables.get(table.row, TABLE.END) >= start + line.length;
    return (
      inside &&
      spans.length === header.length &&
      cells.every((cell, i) => cellText(after, { start: spans[i * 2]!, end: spans[i * 2 + 1]! }) === cell)
    );
  });
}

function cellsOf(names: readonly string[], key: string | undefined, value: NewValue): string[] | Refusal {
  const cells = names.map(() => '');
  const given = 'json' in value && value.json !== null && typeof value.json === 'object' ? value.json : undefined;
  const first = key === undefined ? 0 : 1;
  if (key !== undefined) cells[0] = key;
  const put = (index: number, json: JsonValue): Refusal | undefined => {
    if (index < 0 || index >= cells.length)
      return refuse('type-mismatch', `the value has a cell without a column; the table has ${names.length} columns`);
    const text = lineText({ json });
    if (typeof text !== 'string') return text;
    cells[index] = text;
    return undefined;
  };
  if (Array.isArray(given)) {
    for (const [i, json] of given.entries()) {
      const refusal = put(first + i, json);
      if (refusal) return refusal;
    }
  } else if (given !== undefined && 'entries' in given) {
    for (const [name, json] of given.entries) {
      const refusal = put(
        names.findIndex((column) => column === name || slugify(withoutMarks(column)) === slugify(name)),
        json,
      );
      if (refusal) return refusal;
    }
  } else {
    const text = lineText(value);
    if (typeof text !== 'string') return text;
    if (cells.length <= first && text !== '')
      return refuse('type-mismatch', 'the table has only one column, and the key fills it');
    if (first < cells.length) cells[first] = text;
  }
  return cells;
}
