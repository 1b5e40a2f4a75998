/** Inserts into `[…]` and `{…}`, with the padding, separators and line breaks of the collection. */
import type { JsonValue } from '../../json/value.ts';
import { eolAt } from '../../lines/eol.ts';
import type { Splice } from '../../lines/splice.ts';
import { flowLayout } from './layout.ts';
import { childRows } from './rows.ts';
import { renderFlow } from './render.ts';
import { lineContentEnd } from './replace.ts';
import type { YamlSource } from './yaml-source.ts';
import { AFTER, columnOf, DOUBLE, END, ENTRY, MAP, PLAIN, START, type Tree } from './tree.ts';

/** Candidate splices for an item before `index`, or at the end. Empty for a pair without braces. */
export function flowInsertion(
  document: YamlSource,
  row: number,
  index: number,
  json: JsonValue,
  key?: string,
): (readonly Splice[])[] {
  const { tree, text, asStrings } = document;
  const open = tree.get(row, START);
  if (text[open] !== '[' && text[open] !== '{') return [];
  const layout = flowLayout(tree, row);
  const children = [...childRows(tree, row)];
  const colon = children[0] === undefined || tree.type(row) !== MAP ? ' ' : colonGap(tree, children[0]);
  return [layout.valueStyle, DOUBLE].map((valueStyle) => {
    const value = renderFlow(json, { ...layout, valueStyle }, asStrings);
    const item = key === undefined ? value : `${key}:${colon}${value}`;
    return place(tree, row, children, index, item);
  });
}

function place(tree: Tree, row: number, children: readonly number[], index: number, item: string): Splice[] {
  const { text } = tree;
  const open = tree.get(row, START);
  const last = children.at(-1);
  if (last === undefined) {
    const inside = text.slice(open + 1, tree.get(row, END) - 1);
    const blank = /^[ \t]*$/.test(inside);
    const padding = blank && inside !== '' ? ' ' : '';
    return [{ start: open + 1, end: open + 1 + (blank ? inside.length : 0), text: padding + item + padding }];
  }
  const gap = separatorGap(tree, row, children);
  const before = children[index];
  if (before !== undefined) return [insertion(tree.get(before, ENTRY), `${item},${gap}`)];
  const end = tree.get(last, END);
  const rest = /^[ \t]*(,?)[ \t]*(?:#.*)?$/.exec(text.slice(end, lineContentEnd(text, end)));
  if (!gap.includes('\n') || rest === null) return [insertion(end, `,${gap}${item}`)];
  // One item per line: a comment after the last item stays with it.
  const line = lineContentEnd(text, end);
  if (rest[1] === ',') return [insertion(line, `${gap}${item},`)];
  return line === end ? [insertion(end, `,${gap}${item}`)] : [insertion(end, ','), insertion(line, gap + item)];
}

/** The gap after a comma: as between the first two items, or as before the only one. */
function separatorGap(tree: Tree, row: number, children: readonly number[]): string {
  const { text } = tree;
  const [first = row, second] = children;
  const at = tree.get(second ?? first, ENTRY);
  const between =
    second === undefined ? text.slice(tree.get(row, START) + 1, at) : text.slice(tree.get(first, END), at);
  if (between.includes('\n')) return eolAt(text, tree.get(row, START)) + ' '.repeat(columnOf(text, at));
  return second === undefined ? ' ' : (/,([ \t]*)$/.exec(between)?.[1] ?? ' ');
}

/** A quoted key as in `"a":1` needs no space; a plain key does. */
function colonGap(tree: Tree, child: number): string {
  const between = tree.text.slice(tree.get(child, AFTER), tree.get(child, START));
  return tree.keyStyle(child) !== PLAIN && between === '' && tree.get(child, END) > tree.get(child, START) ? '' : ' ';
}

function insertion(at: number, text: string): Splice {
  return { start: at, end: at, text };
}
