/** A change is made only when the new text reads as meant, and all around it reads as before. */
import { applySplices, type Splice } from '../../../lines/splice.ts';
import { type Change, refuse } from '../../../kind.ts';
import { CODE, HEADING, type IntTable, ITEM, TABLE } from '../blocks/records.ts';
import { Source } from '../source.ts';

/** Where the text changes: from `start` up to `end` of the old text, and by how much it grows. */
interface Hull {
  readonly start: number;
  readonly end: number;
  readonly delta: number;
}

/** Gives the splices when the changed text keeps every block outside them and `readsBack` agrees, else a refusal. */
export function verified(source: Source, splices: readonly Splice[], readsBack: (after: Source) => boolean): Change {
  const real = splices.filter(({ start, end, text }) => source.text.slice(start, end) !== text);
  if (real.length === 0) return { ok: true, splices: [] };
  const after = new Source(applySplices(source.text, real), source.read);
  const hull: Hull = {
    start: Math.min(...real.map((splice) => splice.start)),
    end: Math.max(...real.map((splice) => splice.end)),
    delta: after.text.length - source.text.length,
  };
  if (!sameOutside(source, after, hull))
    return refuse('not-writable', 'the change would alter how the text around it reads as Markdown');
  if (!readsBack(after))
    return refuse('not-writable', 'Markdown would read this text as something else: it does not come back as written');
  return { ok: true, splices: real };
}

function sameOutside(before: Source, after: Source, hull: Hull): boolean {
  const a = before.blocks;
  const b = after.blocks;
  const parent = (items: IntTable, row: number) => (row < 0 ? -1 : items.get(row, ITEM.START));
  return (
    after.frontmatter?.span.bodyEnd === before.frontmatter?.span.bodyEnd &&
    sameRows(a.headings, b.headings, hull, [HEADING.CONTENT], [HEADING.CONTENT_END], [HEADING.LEVEL, HEADING.DEPTH]) &&
    sameRows(a.items, b.items, hull, [ITEM.TEXT], [ITEM.TEXT_END], [ITEM.QUOTES], (old, now) => {
      const was = parent(a.items, a.items.get(old, ITEM.PARENT));
      if (mapStart(was, hull) !== parent(b.items, b.items.get(now, ITEM.PARENT))) return false;
      return isEndKept(a.items.get(old, ITEM.END), b.items.get(now, ITEM.END), hull);
    }) &&
    sameRows(a.codes, b.codes, hull, [], [CODE.END], [CODE.QUOTES]) &&
    sameRows(a.tables, b.tables, hull, [TABLE.HEAD], [], [TABLE.QUOTES], (old, now) =>
      isEndKept(a.tables.get(old, TABLE.END), b.tables.get(now, TABLE.END), hull),
    )
  );
}

/** Compares rows that start outside the hull, in order; the first column is where a row starts. */
function sameRows(
  before: IntTable,
  after: IntTable,
  hull: Hull,
  starts: readonly number[],
  ends: readonly number[],
  equals: readonly number[],
  also: (old: number, now: number) => boolean = () => true,
): boolean {
  const newEnd = hull.end + hull.delta;
  let now = 0;
  for (let old = 0; old < before.count; old++) {
    const start = before.get(old, 0);
    if (start >= hull.start && start < hull.end) continue;
    while (now < after.count && isInside(after.get(now, 0), hull.start, newEnd)) now++;
    if (now === after.count || after.get(now, 0) !== mapStart(start, hull)) return false;
    for (const field of starts)
      if (!isMapped(before.get(old, field), after.get(now, field), hull, mapStart)) return false;
    for (const field of ends) if (!isMapped(before.get(old, field), after.get(now, field), hull, mapEnd)) return false;
    for (const field of equals) if (after.get(now, field) !== before.get(old, field)) return false;
    if (!also(old, now)) return false;
    now++;
  }
  while (now < after.count && isInside(after.get(now, 0), hull.start, newEnd)) now++;
  return now === after.count;
}

function isInside(start: number, from: number, to: number): boolean {
  return start >= from && start < to;
}

/** The offset moved with the text around it; what had none (-1) may have got one from the change itself. */
function isMapped(was: number, is: number, hull: Hull, map: typeof mapStart): boolean {
  return is === map(was, hull) || (was < 0 && is >= hull.start && is <= hull.end + hull.delta);
}

/** An end inside the change, or next to it, may lie anywhere in what was written there. */
function isEndKept(was: number, is: number, hull: Hull): boolean {
  if (was < hull.start) return is === was;
  return was > hull.end ? is === was + hull.delta : isInside(is, hull.start, hull.end + hull.delta + 1);
}

function mapStart(offset: number, hull: Hull): number {
  return offset < hull.end ? offset : offset + hull.delta;
}

function mapEnd(offset: number, hull: Hull): number {
  return offset <= hull.start ? offset : offset + hull.delta;
}
