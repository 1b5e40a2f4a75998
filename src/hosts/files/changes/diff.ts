import { lineSplices, changedLines } from '../../../text/lines/compare.ts';
import { decodeText } from '../../../text/lines/bytes.ts';
import type { Splice } from '../../../text/lines/splice.ts';
import { diffName, unifiedDiff } from '../../../text/lines/unified.ts';
import type { FileDiff } from '../shape.ts';
import { type KeptFile, newBytes, type Region } from './kept-file.ts';

const NEWLINE = 10;
const NOWHERE = '/dev/null';
/** Wrong where a region ends inside an over-long line. */
const END_MARK = /^\\ No newline at end of file\n/gmu;
/** The time of a line-by-line comparison grows with the differences; for longer texts only equal ends are skipped. */
const MOST_LINES = 2000;

export function fileDiff(file: KeptFile, nameOf: (path: string) => string): FileDiff {
  const path = nameOf(file.path);
  const target = file.movedTo === undefined ? path : nameOf(file.movedTo);
  const { action, content, link, before, after, modeAfter, isFolder } = file;
  const what = isFolder === true ? 'folder ' : '';
  if (modeAfter !== undefined)
    return plain(path, `${what}${diffName(path)}: mode ${octal(file.mode)} becomes ${octal(modeAfter)}\n`);
  if (isFolder === true)
    return plain(path, `folder ${diffName(path)} was ${action === 'add' ? 'created' : 'removed'}\n`);
  switch (action) {
    case 'add':
      if (link !== undefined) return plain(path, `${diffName(path)} was created as a symlink to ${link}\n`);
      if (content === undefined) return plain(path, `${diffName(path)} was created with ${after.size} bytes\n`);
      return wholeFile(path, new Uint8Array(0), content, [NOWHERE, diffName(path)]);
    case 'delete':
      if (link !== undefined) return plain(path, `${diffName(path)} was deleted, a symlink to ${link}\n`);
      if (content === undefined) return plain(path, `${diffName(path)} was deleted with ${before.size} bytes\n`);
      return wholeFile(path, content, new Uint8Array(0), [diffName(path), NOWHERE]);
    default: {
      const hunks = hunksOf(file.regions, before.size);
      const moved = action === 'move' ? `rename from ${diffName(path)}\nrename to ${diffName(target)}\n` : '';
      const over =
        file.over === undefined ? '' : `${diffName(target)} was replaced, which had ${file.over.length} bytes\n`;
      const heads = hunks === '' ? '' : `--- ${diffName(path)}\n+++ ${diffName(target)}\n`;
      return { ...counted(path, `${moved}${over}${heads}`, hunks), ...(action === 'move' ? { movedTo: target } : {}) };
    }
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, '0');
}

export function contentDiff(name: string, before: Uint8Array, after: Uint8Array): string {
  if (isBinary(before) || isBinary(after)) return `${name} is binary: ${before.length} bytes, then ${after.length}\n`;
  const [old, now] = [decodeText(before), decodeText(after)];
  return unifiedDiff(name, old, splicesBetween(old, now));
}

function splicesBetween(before: string, after: string): readonly Splice[] {
  const many = countOf(before) + countOf(after) > MOST_LINES;
  return many ? changedLines(before, after) : lineSplices(before, after);
}

function wholeFile(
  path: string,
  before: Uint8Array,
  after: Uint8Array,
  [from, to]: readonly [string, string],
): FileDiff {
  const heads = `--- ${from}\n+++ ${to}\n`;
  if (isBinary(before) || isBinary(after)) return plain(path, `${heads}${binaryNote(before.length, after.length)}`);
  if (before.length + after.length === 0) return plain(path, heads);
  const text = decodeText(before);
  return counted(
    path,
    heads,
    withoutHeads(unifiedDiff('', text, [{ start: 0, end: text.length, text: decodeText(after) }])),
  );
}

/** The hunks of all regions, with line numbers of the whole file if they were counted. */
function hunksOf(regions: readonly Region[], size: number): string {
  let growth = 0;
  return regions
    .map((region) => {
      const now = newBytes(region);
      const hunk = regionHunks(region, now, growth);
      const isCut = region.from + region.old.length < size && region.old.at(-1) !== NEWLINE;
      growth += newlines(now) - newlines(region.old);
      return isCut ? hunk.replace(END_MARK, '') : hunk;
    })
    .join('');
}

function regionHunks(region: Region, now: Uint8Array, growth: number): string {
  if (region.splices.length === 0) return '';
  const { from, line, old } = region;
  if (isBinary(old) || isBinary(now)) {
    return region.splices
      .map(({ start, end, bytes }) => `@@ at byte ${from + start} @@\n${binaryNote(end - start, bytes.length)}`)
      .join('');
  }
  const text = decodeText(old);
  const hunks = withoutHeads(unifiedDiff('', text, wholeLines(region)));
  return hunks.replace(/^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/gmu, (_head, a: string, b: string, c: string, d: string) => {
    if (line === undefined) return `@@ near byte ${from} @@`;
    return `@@ -${Number(a) + line},${b} +${Number(c) + line + growth},${d} @@`;
  });
}

/** The splices of a region, extended to whole lines and decoded: a newline byte is never inside a UTF-8 character. */
function wholeLines({ old, splices }: Region): readonly Splice[] {
  const groups: { start: number; end: number; parts: Uint8Array[]; at: number; last: number | undefined }[] = [];
  for (const { start, end, bytes } of splices) {
    let group = groups.at(-1);
    if (group === undefined || start >= group.end) {
      const lineStart = start === 0 ? 0 : old.lastIndexOf(NEWLINE, start - 1) + 1;
      group = { start: lineStart, end: lineStart, parts: [], at: lineStart, last: NEWLINE };
      groups.push(group);
    }
    const before = start > group.at ? old[start - 1] : group.last;
    group.parts.push(old.subarray(group.at, start), bytes);
    group.at = end;
    group.last = bytes.length > 0 ? bytes[bytes.length - 1] : before;
    // If the old and the new bytes both end with a newline, the next line is not included.
    const isEnded = group.last === NEWLINE && (end === 0 || old[end - 1] === NEWLINE);
    group.end = Math.max(group.end, isEnded ? end : lineEnd(old, end));
  }
  let read = 0;
  let length = 0;
  const textOffset = (offset: number): number => {
    length += decodeText(old.subarray(read, offset)).length;
    read = offset;
    return length;
  };
  return groups.map(({ start, end, parts, at }) => ({
    start: textOffset(start),
    end: textOffset(end),
    text: decodeText(Buffer.concat([...parts, old.subarray(at, end)])),
  }));
}

function lineEnd(bytes: Uint8Array, from: number): number {
  const next = bytes.indexOf(NEWLINE, from);
  return next < 0 ? bytes.length : next + 1;
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0);
}

function binaryNote(before: number, after: number): string {
  return `binary: ${before} bytes become ${after}\n`;
}

function withoutHeads(diff: string): string {
  return diff.slice(Math.max(0, diff.indexOf('@@ ')));
}

function plain(path: string, diff: string): FileDiff {
  return { path, diff, added: 0, removed: 0 };
}

function counted(path: string, heads: string, hunks: string): FileDiff {
  const lines = hunks.split('\n');
  const starting = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  return { path, diff: heads + hunks, added: starting('+'), removed: starting('-') };
}

function newlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

function countOf(text: string): number {
  return text.split('\n').length;
}
