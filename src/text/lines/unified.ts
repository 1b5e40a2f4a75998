import { lineEnd, linesOf, lineStart } from './position.ts';
import { applySplices, type Splice } from './splice.ts';

const CONTEXT = 3;

/** A run of whole lines that changes: `first` is its zero-based line in the old text. */
interface Block {
  readonly first: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** A file name for a line of a diff: one with line feeds or other control characters is quoted. */
export function diffName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be quoted
  return /[\0-\x1f\x7f-\x9f\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name;
}

/** The splices as a unified diff with three lines of context; empty when they change nothing. */
export function unifiedDiff(name: string, text: string, splices: readonly Splice[]): string {
  const blocks = blocksOf(text, splices);
  if (blocks.length === 0 || cancelOut(text, splices)) return '';
  const lines = linesOf(text);
  let out = `--- ${diffName(name)}\n+++ ${diffName(name)}\n`;
  let shift = 0;
  for (const hunk of hunksOf(blocks)) {
    const from = Math.max(0, (hunk[0]?.first ?? 0) - CONTEXT);
    const until = Math.min(lines.length, endOf(hunk) + CONTEXT);
    const growth = hunk.reduce((sum, block) => sum + block.added.length - block.removed.length, 0);
    const oldCount = until - from;
    const newCount = oldCount + growth;
    out += `@@ -${from + Number(oldCount > 0)},${oldCount} +${from + shift + Number(newCount > 0)},${newCount} @@\n`;
    let at = from;
    for (const block of hunk) {
      out += markLines(' ', lines.slice(at, block.first)) + markLines('-', block.removed) + markLines('+', block.added);
      at = block.first + block.removed.length;
    }
    out += markLines(' ', lines.slice(at, until));
    shift += growth;
  }
  return out;
}

/** Whether the splices cancel each other out, such as one that removes an empty line and one that adds it next to it. */
function cancelOut(text: string, splices: readonly Splice[]): boolean {
  const growth = splices.reduce((sum, splice) => sum + splice.text.length - (splice.end - splice.start), 0);
  return growth === 0 && splices.length > 1 && applySplices(text, splices) === text;
}

/** Widens each splice to whole lines, joins those that touch, and trims the lines that stay the same. */
function blocksOf(text: string, splices: readonly Splice[]): Block[] {
  const ordered = [...splices].sort((a, b) => a.start - b.start);
  const blocks: Block[] = [];
  let line = 0;
  let counted = 0;
  for (let i = 0; i < ordered.length; ) {
    const start = lineStart(text, ordered[i]!.start);
    let end = start;
    const group: Splice[] = [];
    /** The last character of the new text so far. If it ends a line, as the old text does, the next line is not part of the block. */
    let last = '\n';
    let done = start;
    while (i < ordered.length && (group.length === 0 || ordered[i]!.start <= end)) {
      const splice = ordered[i++]!;
      group.push({ start: splice.start - start, end: splice.end - start, text: splice.text });
      if (splice.text !== '') last = splice.text.slice(-1);
      else if (splice.start > done) last = text.charAt(splice.start - 1);
      done = splice.end;
      const atLineStart = last === '\n' && (done === start || text.charAt(done - 1) === '\n');
      end = Math.max(end, atLineStart ? done : lineEnd(text, done));
    }
    for (let at = text.indexOf('\n', counted); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) line++;
    counted = start;
    const before = text.slice(start, end);
    const block = trim(line, linesOf(before), linesOf(applySplices(before, group)));
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

function trim(line: number, removed: string[], added: string[]): Block | undefined {
  let head = 0;
  while (head < removed.length && head < added.length && removed[head] === added[head]) head++;
  let tail = 0;
  const most = Math.min(removed.length, added.length) - head;
  while (tail < most && removed.at(-1 - tail) === added.at(-1 - tail)) tail++;
  if (head + tail === removed.length && removed.length === added.length) return undefined;
  return {
    first: line + head,
    removed: removed.slice(head, removed.length - tail),
    added: added.slice(head, added.length - tail),
  };
}

/** Blocks whose contexts would meet share one hunk. */
function hunksOf(blocks: readonly Block[]): Block[][] {
  const hunks: Block[][] = [];
  for (const block of blocks) {
    const hunk = hunks.at(-1);
    if (hunk !== undefined && block.first - endOf(hunk) <= 2 * CONTEXT) hunk.push(block);
    else hunks.push([block]);
  }
  return hunks;
}

/** The first old line after the last change of a hunk. */
function endOf(hunk: readonly Block[]): number {
  const last = hunk.at(-1);
  return last === undefined ? 0 : last.first + last.removed.length;
}

function markLines(mark: string, lines: readonly string[]): string {
  return lines.map((line) => `${mark}${line}${line.endsWith('\n') ? '' : '\n\\ No newline at end of file\n'}`).join('');
}
