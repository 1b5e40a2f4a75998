import { applySplices, type Splice } from '../../../lines/splice.ts';
import { type Change, refuse } from '../../../kind.ts';
import { CODE, HEADING, type IntTable, ITEM, TABLE } from '../blocks/records.ts';
import { MarkdownSource } from '../markdown-source.ts';

/** The changed span of the old text, and by how much it grows. */
interface ChangedSpan {
  readonly start: number;
  readonly end: number;
  readonly delta: number;
}

/** Parses the changed text. Refuses if a block outside the splices changes, or if `readsBack` is false. */
export function verified(
  source: MarkdownSource,
  splices: readonly Splice[],
  readsBack: (after: MarkdownSource) => boolean,
): Change {
  const real = splices.filter(({ start, end, text }) => source.text.slice(start, end) !== text);
  if (real.length === 0) return { ok: true, splices: [] };
  const after = new MarkdownSource(applySplices(source.text, real), source.read);
  const changed: ChangedSpan = {
    start: Math.min(...real.map((splice) => splice.start)),
    end: Math.max(...real.map((splice) => splice.end)),
    delta: after.text.length - source.text.length,
  };
  if (!sameOutside(source, after, changed))
    return refuse('not-writable', 'the change would alter the Markdown structure around it');
  if (!readsBack(after)) return refuse('not-writable', 'Markdown would parse this text as something else');
  return { ok: true, splices: real };
}

function sameOutside(before: MarkdownSource, after: MarkdownSource, changed: ChangedSpan): boolean {
  const a = before.blocks;
  const b = after.blocks;
  const parent = (items: IntTable, row: number) => (row < 0 ? -1 : items.get(row, ITEM.START));
  return (
    after.frontmatter?.span.bodyEnd === before.frontmatter?.span.bodyEnd &&
    sameRows(
      a.headings,
      b.headings,
      changed,
      [HEADING.CONTENT],
      [HEADING.CONTENT_END],
      [HEADING.LEVEL, HEADING.DEPTH],
    ) &&
    sameRows(a.items, b.items, changed, [ITEM.TEXT], [ITEM.TEXT_END], [ITEM.QUOTES], (old, now) => {
      const was = parent(a.items, a.items.get(old, ITEM.PARENT));
      if (mapStart(was, changed) !== parent(b.items, b.items.get(now, ITEM.PARENT))) return false;
      return isEndKept(a.items.get(old, ITEM.END), b.items.get(now, ITEM.END), changed);
    }) &&
    sameRows(a.codes, b.codes, changed, [], [CODE.END], [CODE.QUOTES]) &&
    sameRows(a.tables, b.tables, changed, [TABLE.HEAD], [], [TABLE.QUOTES], (old, now) =>
      isEndKept(a.tables.get(old, TABLE.END), b.tables.get(now, TABLE.END), changed),
    )
  );
}

/** Compares rows that start outside the changed span, in order. The first column is the start of a row. */
function sameRows(
  before: IntTable,
  after: IntTable,
  changed: ChangedSpan,
  starts: readonly number[],
  ends: readonly number[],
  equals: readonly number[],
  also: (old: number, now: number) => boolean = () => true,
): boolean {
  const newEnd = changed.end + changed.delta;
  let now = 0;
  for (let old = 0; old < before.count; old++) {
    const start = before.get(old, 0);
    if (start >= changed.start && start < changed.end) continue;
    while (now < after.count && isInside(after.get(now, 0), changed.start, newEnd)) now++;
    if (now === after.count || after.get(now, 0) !== mapStart(start, changed)) return false;
    for (const field of starts)
      if (!isMapped(before.get(old, field), after.get(now, field), changed, mapStart)) return false;
    for (const field of ends)
      if (!isMapped(before.get(old, field), after.get(now, field), changed, mapEnd)) return false;
    for (const field of equals) if (after.get(now, field) !== before.get(old, field)) return false;
    if (!also(old, now)) return false;
    now++;
  }
  while (now < after.count && isInside(after.get(now, 0), changed.start, newEnd)) now++;
  return now === after.count;
}

function isInside(start: number, from: number, to: number): boolean {
  return start >= from && start < to;
}

/** True if the offset moved with the text around it. The change may set an offset that was missing (-1). */
function isMapped(was: number, is: number, changed: ChangedSpan, map: typeof mapStart): boolean {
  return is === map(was, changed) || (was < 0 && is >= changed.start && is <= changed.end + changed.delta);
}

/** An end in or next to the changed span may be anywhere in the new text. */
function isEndKept(was: number, is: number, changed: ChangedSpan): boolean {
  if (was < changed.start) return is === was;
  return was > changed.end ? is === was + changed.delta : isInside(is, changed.start, changed.end + changed.delta + 1);
}

function mapStart(offset: number, changed: ChangedSpan): number {
  return offset < changed.end ? offset : offset + changed.delta;
}

function mapEnd(offset: number, changed: ChangedSpan): number {
  return offset <= changed.start ? offset : offset + changed.delta;
}
