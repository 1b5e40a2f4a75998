import { type JsonValue, JsonObject } from '../../json/value.ts';
import { lineStart } from '../../lines/position.ts';
import type { Leaf } from '../../kind.ts';
import { fieldNamed, bodyItems, hasKey, itemEnd } from './section-places.ts';
import { ITEM } from './blocks/records.ts';
import { codeLanguage, codeText, withoutIndent } from './code-text.ts';
import { cellText, groupChildren, rowCell, rowCells, tableRows, headerCells } from './block-places.ts';
import { itemText } from './item-text.ts';
import type { ItemPlace, MdPlace, TableRowPlace } from './place.ts';
import type { MarkdownSource } from './markdown-source.ts';

function stringLeaf(valueText: string): Leaf {
  return { valueText, leafType: 'string' };
}

export function leafOf(source: MarkdownSource, place: MdPlace): Leaf {
  const { text } = source;
  if (place.what === 'checked') return { valueText: String(text[place.start] !== ' '), leafType: 'boolean' };
  if (place.what === 'code') return stringLeaf(codeText(text, source.blocks, place.row));
  if (place.what === 'cell') return stringLeaf(cellText(source, place));
  if (place.what === 'yaml' && source.frontmatter) return source.frontmatter.document.leaf(place.inner);
  return stringLeaf(text.slice(place.start, place.end));
}

export function probe(source: MarkdownSource, place: MdPlace, key: string): Leaf | undefined {
  switch (place.what) {
    case 'frontmatter':
    case 'yaml': {
      const document = source.frontmatter?.document;
      return document === undefined || document.problems.length > 0 ? undefined : document.probe(place.inner, key);
    }
    case 'section':
    case 'preamble':
      for (const row of bodyItems(source, place)) {
        const item = itemText(source.text, source.blocks, row);
        if (item.key && hasKey(item, key)) return stringLeaf(source.text.slice(item.key.valueStart, item.end));
      }
      return undefined;
    case 'item':
    case 'field':
      return probeItem(source, place, key);
    case 'code':
      return key === 'lang' ? stringLeaf(codeLanguage(source.text, source.blocks, place.row)) : undefined;
    case 'row': {
      const cell = rowCell(source, place, key);
      return cell && stringLeaf(cellText(source, cell));
    }
    default:
      return undefined;
  }
}

function probeItem(source: MarkdownSource, place: ItemPlace, key: string): Leaf | undefined {
  if (place.what === 'field' && hasKey(place.item, key)) return leafOf(source, place);
  const field = fieldNamed(source, place, key) ?? dottedField(source, place, key);
  if (field?.shape === 'leaf') return leafOf(source, field);
  if (key !== 'checked' || place.item.task < 0) return undefined;
  return { valueText: String(source.text[place.item.task] !== ' '), leafType: 'boolean' };
}

function dottedField(source: MarkdownSource, place: ItemPlace, key: string): ItemPlace | undefined {
  if (!key.includes('.')) return undefined;
  let at: ItemPlace | undefined = place;
  for (const part of key.split('.')) at = at && fieldNamed(source, at, part);
  return at;
}

/** Sections and items become their text without heading or bullet. */
export function jsonOf(source: MarkdownSource, place: MdPlace): JsonValue {
  switch (place.what) {
    case 'root':
      return source.text;
    case 'preamble':
    case 'section':
      return trimmedLines(source.text.slice(place.bodyStart, place.end));
    case 'item':
      return itemContent(source, place);
    case 'frontmatter':
    case 'yaml':
      return source.frontmatter && source.frontmatter.document.problems.length === 0
        ? source.frontmatter.document.value(place.inner)
        : null;
    case 'codes':
    case 'tables':
      return [...groupChildren(source, place)].map((child) => jsonOf(source, child));
    case 'table':
      return [...tableRows(source, place)].map((row) => rowValue(source, row));
    case 'row':
      return rowValue(source, place);
    case 'checked':
      return leafOf(source, place).valueText === 'true';
    default:
      return leafOf(source, place).valueText;
  }
}

function rowValue(source: MarkdownSource, row: TableRowPlace): JsonObject {
  const header = headerCells(source, row.row);
  return new JsonObject(
    rowCells(source, row).map((cell, i) => [
      cellText(source, { start: header[i * 2]!, end: header[i * 2 + 1]! }),
      cellText(source, cell),
    ]),
  );
}

function trimmedLines(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();
}

/** The item without bullet and task mark; nested lines lose the item's indentation. */
function itemContent(source: MarkdownSource, place: ItemPlace): string {
  const { text } = source;
  const column = source.blocks.items.get(place.row, ITEM.COLUMN);
  const lines = text.slice(place.item.start, itemEnd(source, place.row)).split(/\r?\n/);
  return lines.map((line, i) => (i === 0 ? line : withoutIndent(line, 0, line.length, column))).join('\n');
}

/** The unchanged text of a place; for a leaf its value. */
export function rawOf(source: MarkdownSource, place: MdPlace): string {
  if (place.shape === 'leaf') return leafOf(source, place).valueText;
  if (place.what === 'yaml' && source.frontmatter) return source.frontmatter.document.raw(place.inner);
  if (place.what !== 'item') return source.text.slice(place.start, place.end);
  const line = lineStart(source.text, place.start);
  const indented = source.text.slice(line, place.start).trim() === '';
  return source.text.slice(indented ? line : place.start, place.end);
}
