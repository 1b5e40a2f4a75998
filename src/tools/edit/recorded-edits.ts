/** Finds edits in the record of changes that were already applied. */
import type { Changes, Located } from '../../hosts/files/shape.ts';
import type { Edit } from '../../text/edit/clean-edit.ts';
import { linesOf } from '../../text/lines/position.ts';

/** The number of changes to search, newest first. */
const MOST_CHANGES = 20;
/** Longer diffs would take too much time. */
const MOST_DIFF = 1 << 20;
/** The number of common lines around a change that are compared. */
const CONTEXT = 2;

/** Returns a test whether a recorded change, not undone, is exactly this edit. */
export function recordedEdits(
  changes: Changes,
  file: Located,
  name: string,
  edits: readonly Edit[],
): (edit: Edit) => boolean {
  const cores = edits.map(coreOf);
  const proven = new Set<string>();
  for (const { id, state } of changes.list({ path: file.path, limit: MOST_CHANGES })) {
    if (state !== 'done') continue;
    for (const { path, diff } of changes.diff(id) ?? []) {
      if (path !== name || diff.length > MOST_DIFF) continue;
      for (const hunk of hunksOf(diff)) for (const core of editsIn(hunk, cores)) proven.add(keyOf(core));
    }
  }
  return (edit) => proven.has(keyOf(coreOf(edit)));
}

interface Hunk {
  readonly before: string;
  readonly after: string;
}

function hunksOf(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const body of diff.split(/^@@ .*\n/mu).slice(1)) {
    let before = '';
    let after = '';
    let last = '';
    for (const line of linesOf(body)) {
      const mark = line[0] ?? '';
      const text = plain(line.slice(1));
      if (mark === '\\') {
        if (last !== '+') before = before.slice(0, -1);
        if (last !== '-') after = after.slice(0, -1);
      } else {
        if (mark !== '+') before += text;
        if (mark !== '-') after += text;
      }
      last = mark;
    }
    hunks.push({ before, after });
  }
  return hunks;
}

/** The edits that together produce exactly this hunk; empty if the hunk contains any other change. */
function editsIn({ before, after }: Hunk, edits: readonly Edit[]): readonly Edit[] {
  const present = edits.filter(({ oldText }) => before.includes(oldText));
  const made = present.reduce(
    (text, { oldText, newText, replaceAll }) =>
      replaceAll ? text.replaceAll(oldText, () => newText) : text.replace(oldText, () => newText),
    before,
  );
  return made === after ? present : [];
}

/** Removes common lines at both ends of the texts, except for the context that a diff shows. */
function coreOf({ oldText, newText, ...rest }: Edit): Edit {
  const old = linesOf(plain(oldText));
  const now = linesOf(plain(newText));
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const from = Math.max(0, head - CONTEXT);
  const less = Math.max(0, tail - CONTEXT);
  return {
    ...rest,
    oldText: old.slice(from, old.length - less).join(''),
    newText: now.slice(from, now.length - less).join(''),
  };
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function keyOf({ oldText, newText }: Edit): string {
  return JSON.stringify([oldText, newText]);
}
