/** Maps the indentation of the old text to that of the source, in line order. */
export type Indents = ReadonlyMap<string, string>;

const TAB_WIDTH = 4;

export function indentOf(line: string): string {
  let end = 0;
  while (line.charCodeAt(end) === 32 || line.charCodeAt(end) === 9) end++;
  return line.slice(0, end);
}

export function isBlankLine(line: string): boolean {
  return line.trim() === '';
}

/**
 * Derives the mapping from pairs of lines. Undefined when they contradict each other: one depth maps to two, or a deeper line
 * does not map to a deeper one. Then the structure differs, so it is other code.
 */
export function indentsOf(pairs: readonly (readonly [old: string, source: string])[]): Indents | undefined {
  const indents = new Map<string, string>();
  for (const [old, source] of pairs) {
    if (isBlankLine(old) || isBlankLine(source)) continue;
    const before = indentOf(old);
    const after = indentOf(source);
    const known = indents.get(before);
    if (known !== undefined && widthOf(known) !== widthOf(after)) return undefined;
    indents.set(before, known ?? after);
  }
  const sorted = [...indents].sort(([a], [b]) => widthOf(a) - widthOf(b));
  const grows = sorted.every(([before, after], i) => {
    const last = sorted[i - 1];
    if (last === undefined) return true;
    if (widthOf(last[0]) === widthOf(before)) return widthOf(last[1]) === widthOf(after);
    return widthOf(last[1]) < widthOf(after);
  });
  return grows ? indents : undefined;
}

/** Gives a new line the indentation that it has in the source. */
export function reindent(line: string, indents: Indents): string {
  if (indents.size === 0 || isBlankLine(line)) return line;
  const indent = indentOf(line);
  return mapped(indent, indents) + line.slice(indent.length);
}

function mapped(indent: string, indents: Indents): string {
  const known = indents.get(indent);
  if (known !== undefined) return known;
  const entries = [...indents].sort(([a], [b]) => a.length - b.length);
  const { ratio, character } = scaleOf(entries);
  const below = entries.findLast(([before]) => indent.startsWith(before));
  if (below !== undefined) {
    const deeper = indent.slice(below[0].length);
    return below[1] + (ratio === 1 && character === undefined ? deeper : scaled(deeper, ratio, character ?? ' '));
  }
  const above = entries.find(([before]) => before.startsWith(indent));
  if (above === undefined) return indent;
  return above[1].slice(0, Math.max(0, above[1].length - Math.round((above[0].length - indent.length) * ratio)));
}

/** How many characters of the source's indentation correspond to one of the old text's; `character` is set where it differs. */
function scaleOf(entries: readonly (readonly [string, string])[]): { ratio: number; character: string | undefined } {
  const last = entries.at(-1) ?? ['', ''];
  const first = entries.length > 1 ? entries[0]! : ['', ''];
  const before = last[0].length - first[0].length;
  const after = last[1].length - first[1].length;
  const character = last[1].at(-1);
  const same = last[0] === '' || last[1] === '' || last[0].at(-1) === character;
  // A single line does not distinguish a shift from a scale: the same character counts as a shift, another one as a scale.
  if (entries.length < 2 && same) return { ratio: 1, character: undefined };
  return { ratio: before > 0 && after > 0 ? after / before : 1, character: same ? undefined : character };
}

function scaled(indent: string, ratio: number, character: string): string {
  return character.repeat(Math.max(1, Math.round(indent.length * ratio)));
}

function widthOf(indent: string): number {
  let width = 0;
  for (const character of indent) width += character === '\t' ? TAB_WIDTH : 1;
  return width;
}
