import { eolAt } from '../../../lines/eol.ts';
import { type Change, type NewValue, refuse } from '../../../kind.ts';
import { CODE } from '../blocks/records.ts';
import { codeText } from '../code-text.ts';
import { cellText } from '../block-places.ts';
import { itemText } from '../item-text.ts';
import type { CellPlace, CodePlace, ItemPlace, MdPlace } from '../place.ts';
import type { MarkdownSource } from '../markdown-source.ts';
import { linePrefix } from './line-prefix.ts';
import { lineText, valueText } from './scalar.ts';
import { verified } from './verify.ts';

export function write(source: MarkdownSource, place: MdPlace, value: NewValue): Change {
  switch (place.what) {
    case 'root':
      return refuse('no-root', 'the whole document cannot be set; name a place in it, or insert with +');
    case 'yaml':
      return source.frontmatter
        ? source.frontmatter.write(place, value)
        : refuse('unresolved', 'the file has no frontmatter');
    case 'field':
      return writeField(source, place, value);
    case 'item':
      return writeItem(source, place, value);
    case 'checked':
      return writeChecked(source, place, value);
    case 'code':
      return writeCode(source, place, value);
    case 'cell':
      return writeCell(source, place, value);
    case 'section':
    case 'preamble':
      return refuse('not-writable', 'a section cannot be set; write to its items and fields, or insert with +');
    default:
      return refuse('not-writable', `${place.name} cannot be set; write to a place in it`);
  }
}

function writeField(source: MarkdownSource, place: ItemPlace, value: NewValue): Change {
  const text = lineText(value);
  if (typeof text !== 'string') return text;
  if (text.trim() === '') return refuse('not-writable', 'a field cannot be empty; use delete to remove it');
  if (text !== text.trim())
    return refuse('not-writable', 'Markdown does not preserve whitespace at the start or end of a value; remove it');
  const { row, start, end } = place;
  return verified(source, [{ start, end, text }], (after) => {
    const item = itemText(after.text, after.blocks, row);
    return item.key?.valueStart === start && after.text.slice(start, item.end) === text;
  });
}

function writeItem(source: MarkdownSource, place: ItemPlace, value: NewValue): Change {
  const { item, row } = place;
  if (item.key !== undefined) {
    return refuse(
      'not-writable',
      `the item is a key with a value; write to its field ${JSON.stringify(item.key.text)}`,
    );
  }
  const text = lineText(value);
  if (typeof text !== 'string') return text;
  if (text.trim() === '') return refuse('not-writable', 'an item cannot be empty; use delete to remove it');
  if (text === source.text.slice(item.start, item.end)) return { ok: true, splices: [] };
  const gap = item.start === item.end && !/\s/.test(source.text[item.start - 1] ?? '') ? ' ' : '';
  return verified(source, [{ start: item.start, end: item.end, text: gap + text }], (after) => {
    const now = itemText(after.text, after.blocks, row);
    return after.text.slice(now.start, now.end) === text && now.key === undefined && now.task === item.task;
  });
}

function writeChecked(source: MarkdownSource, place: ItemPlace, value: NewValue): Change {
  const text = valueText(value);
  if (typeof text !== 'string') return text;
  if (text !== 'true' && text !== 'false') return refuse('parse-error', 'a task mark must be true or false');
  const { start, end, row } = place;
  const checked = text === 'true';
  if (checked === (source.text[start] !== ' ')) return { ok: true, splices: [] };
  return verified(
    source,
    [{ start, end, text: checked ? 'x' : ' ' }],
    (after) => itemText(after.text, after.blocks, row).task === start,
  );
}

function writeCell(source: MarkdownSource, place: CellPlace, value: NewValue): Change {
  const text = lineText(value);
  if (typeof text !== 'string') return text;
  const { start, end } = place;
  const spelled = text.replaceAll('|', '\\|');
  const stop = start + spelled.length;
  return verified(source, [{ start, end, text: spelled }], (after) => {
    const around = /[|\s]/.test(after.text[start - 1] ?? '|') && /[|\s]/.test(after.text[stop] ?? '|');
    return around && cellText(after, { start, end: stop }) === text && text === text.trim() && !spelled.endsWith('\\');
  });
}

/** Converts line breaks to the file's, and lengthens the fences if the text contains a fence. */
function writeCode(source: MarkdownSource, place: CodePlace, value: NewValue): Change {
  const wanted = valueText(value);
  if (typeof wanted !== 'string') return wanted;
  const text = wanted.replaceAll('\r\n', '\n');
  const { row } = place;
  if (text === codeText(source.text, source.blocks, row)) return { ok: true, splices: [] };
  const { codes } = source.blocks;
  const fence = codes.get(row, CODE.FENCE);
  const eol = eolAt(source.text, codes.get(row, CODE.LINE));
  const prefix = linePrefix(source.text, fence < 0 ? place.start : fence);
  const lines = text === '' && fence >= 0 ? [] : text.split('\n');
  const written = lines.map((line, i) => (line === '' || (fence < 0 && i === 0) ? line : prefix + line)).join(eol);
  const unterminated = !source.text.slice(place.start, place.end).endsWith('\n') && codes.get(row, CODE.CLOSE) < 0;
  const opening = unterminated && fence >= 0 && source.text.charCodeAt(place.start - 1) !== 10 ? eol : '';
  const splices = [
    {
      start: place.start,
      end: place.end,
      text: opening + written + (unterminated || (written === '' && lines.length === 0) ? '' : eol),
    },
  ];
  if (fence >= 0) splices.push(...longerFences(source, row, lines));
  return verified(source, splices, (after) => codeText(after.text, after.blocks, row) === text);
}

function longerFences(
  source: MarkdownSource,
  row: number,
  lines: readonly string[],
): { start: number; end: number; text: string }[] {
  const { text } = source;
  const { codes } = source.blocks;
  const unit = text[codes.get(row, CODE.FENCE)]!;
  const length = runOf(text, codes.get(row, CODE.FENCE), unit);
  const longest = Math.max(0, ...lines.map((line) => runOf(line.trimStart(), 0, unit)));
  if (longest < length) return [];
  const fence = unit.repeat(longest + 1);
  const splices = [{ start: codes.get(row, CODE.FENCE), end: codes.get(row, CODE.FENCE) + length, text: fence }];
  const close = codes.get(row, CODE.CLOSE);
  if (close >= 0) splices.push({ start: close, end: close + runOf(text, close, unit), text: fence });
  return splices;
}

function runOf(text: string, from: number, unit: string): number {
  let at = from;
  while (text[at] === unit) at++;
  return at - from;
}
