import { eolAt } from '../../../lines/eol.ts';
import { type Change, type NewStep, type NewValue, type Refusal, refuse } from '../../../kind.ts';
import { HEADING } from '../blocks/records.ts';
import type { Section } from '../outline.ts';
import type { BodyPlace } from '../place.ts';
import type { MarkdownSource } from '../markdown-source.ts';
import { contentEnd } from './line-prefix.ts';
import { itemLines, itemsReadBack, type NewChild, newItem, newItems, type NewItem } from './new-item.ts';
import { lineText, valueMembers, valueText } from './scalar.ts';
import { verified } from './verify.ts';

/** A new section, its new sub-sections in `headings`, and the text or items under the last heading. */
interface NewSection {
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  readonly body: string;
  readonly items: readonly NewItem[];
}

/** Inserts a section at the end of its parent, or before the section at an index. */
export function insertSection(source: MarkdownSource, place: BodyPlace, { where, rest, value }: NewChild): Change {
  const next = where.at === 'index' ? place.sections[where.index] : undefined;
  // Before a deeper heading the new one takes its level; otherwise that heading would become its child.
  const level = Math.max((place.section?.level ?? 1) + 1, next?.level ?? 0);
  const section = where.at === 'key' ? namedSection(level, where.key, rest, value) : unnamedSection(level, rest, value);
  if ('ok' in section) return section;
  const { text } = source;
  const at = next?.start ?? contentEnd(text, source.bodyStart, place.end);
  const eol = eolAt(text, next?.start ?? Math.max(0, at - 2));
  const lines = sectionLines(section).join(eol);
  const written =
    next === undefined
      ? `${gapBefore(text, at, eol)}${lines}${isUnterminated(text, at) ? '' : eol}`
      : `${lines}${eol}${eol}`;
  return verified(source, [{ start: at, end: at, text: written }], (after) => {
    const siblings = sectionsBelow(after.outline.sections, place.section?.start);
    return siblings?.length === place.sections.length + 1 && sectionReadsBack(after, at, at + written.length, section);
  });
}

/** The children of the section at `start`; the top-level sections if `start` is undefined. */
function sectionsBelow(sections: readonly Section[], start: number | undefined): readonly Section[] | undefined {
  if (start === undefined) return sections;
  const around = sections.findLast((section) => section.start <= start);
  return around?.start === start ? around.children : around && sectionsBelow(around.children, start);
}

function unnamedSection(level: number, rest: readonly NewStep[], value: NewValue): NewSection | Refusal {
  if (rest.length > 0) return refuse('not-writable', 'cannot create an unnamed section with children; use +key');
  const text = lineText(value);
  if (typeof text !== 'string') return text;
  if (text.trim() === '') return refuse('parse-error', 'a section needs a heading text');
  return { headings: [{ level, text }], body: '', items: [] };
}

function namedSection(level: number, key: string, rest: readonly NewStep[], value: NewValue): NewSection | Refusal {
  if (level > 6) return refuse('not-writable', 'Markdown has only six heading levels');
  const headings = [{ level, text: key }];
  const [step, ...deeper] = rest;
  if (step?.slot === 'section') {
    const below = namedSection(level + 1, step.name, deeper, value);
    return 'ok' in below ? below : { ...below, headings: [...headings, ...below.headings] };
  }
  if (step !== undefined) {
    const item = newItem(step.name, deeper, value);
    return 'ok' in item ? item : { headings, body: '', items: [item] };
  }
  const members = valueMembers(value);
  if (members === undefined) {
    const body = valueText(value);
    return typeof body === 'string' ? { headings, body: body.replaceAll('\r\n', '\n').trimEnd(), items: [] } : body;
  }
  const items = newItems(members);
  return 'ok' in items ? items : { headings, body: '', items };
}

function sectionLines(section: NewSection): string[] {
  const lines = section.headings.flatMap(({ level, text }, i) =>
    (i === 0 ? [] : ['']).concat(`${'#'.repeat(level)} ${text}`),
  );
  if (section.body !== '') lines.push('', ...section.body.split('\n'));
  if (section.items.length > 0)
    lines.push('', ...section.items.flatMap((item) => itemLines(item, { prefix: '', marker: '-', gap: ' ' })));
  return lines;
}

/** A blank line before the heading, unless it starts the file. */
function gapBefore(text: string, at: number, eol: string): string {
  if (at === 0 || text.slice(0, at) === '\uFEFF') return '';
  return isUnterminated(text, at) ? eol + eol : eol;
}

function isUnterminated(text: string, at: number): boolean {
  return at > 0 && text.charCodeAt(at - 1) !== 10 && text.slice(0, at) !== '\uFEFF';
}

function sectionReadsBack(after: MarkdownSource, from: number, to: number, section: NewSection): boolean {
  const { headings } = after.blocks;
  let row = headings.lowerBound(HEADING.LINE, from);
  for (const { level, text } of section.headings) {
    if (row >= headings.count || headings.get(row, HEADING.LEVEL) !== level || headings.get(row, HEADING.DEPTH) !== 0)
      return false;
    if (after.text.slice(headings.get(row, HEADING.CONTENT), headings.get(row, HEADING.CONTENT_END)) !== text)
      return false;
    row++;
  }
  const bodyStart = headings.get(row - 1, HEADING.END);
  if (row < headings.count && headings.get(row, HEADING.LINE) < to && headings.get(row, HEADING.DEPTH) === 0)
    return false;
  if (section.items.length > 0) return itemsReadBack(after, from, to, section.items, -1);
  return (
    section.body === '' || after.text.slice(bodyStart, to).replaceAll('\r\n', '\n').trimEnd() === `\n${section.body}`
  );
}
