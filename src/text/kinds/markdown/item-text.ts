import { type Blocks, ITEM } from './blocks/records.ts';
import { skipBlanks } from './blocks/block-starts.ts';
import { MAX_NAME, splitKey, withoutMarks } from './inline.ts';
import { slugify } from './slug.ts';

export interface ItemText {
  /** The offset between the brackets of a task mark, or -1. */
  readonly task: number;
  /** The text without the task mark. */
  readonly start: number;
  readonly end: number;
  readonly key: { readonly text: string; readonly valueStart: number } | undefined;
}

export function itemText(text: string, blocks: Blocks, row: number): ItemText {
  const { items } = blocks;
  const first = items.get(row, ITEM.TEXT);
  if (first < 0) {
    const content = items.get(row, ITEM.CONTENT);
    return { task: -1, start: content, end: content, key: undefined };
  }
  const end = items.get(row, ITEM.TEXT_END);
  const task = taskMark(text, first, end);
  const start = task < 0 ? first : skipBlanks(text, task + 2, end);
  const source = text.slice(start, end);
  const split = source.includes('\n') ? undefined : splitKey(source);
  const key = split && { text: split.key, valueStart: start + split.valueStart };
  return { task, start, end, key };
}

function taskMark(text: string, start: number, end: number): number {
  if (text.charCodeAt(start) !== 91 || text.charCodeAt(start + 2) !== 93 || start + 3 >= end) return -1;
  const after = text.charCodeAt(start + 3);
  if (after !== 32 && after !== 9) return -1;
  const mark = text[start + 1];
  return mark === ' ' || mark === 'x' || mark === 'X' ? start + 1 : -1;
}

export function itemSlug(text: string, item: ItemText): string {
  return slugify(withoutMarks(item.key?.text ?? text.slice(item.start, Math.min(item.end, item.start + MAX_NAME))));
}
