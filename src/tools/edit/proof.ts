/** The record of changes as the witness of an edit that was made before. */
import type { Changes, Located } from '../../hosts/files/shape.ts';
import type { Edit } from '../../text/edit/clean-edit.ts';
import { linesOf } from '../../text/lines/position.ts';

/** So many changes of a file are looked through, the newest first. */
const MOST_CHANGES = 20;
/** Diffs that are longer are not worth the time. */
const MOST_DIFF = 1 << 20;
/** Lines that the old and the new text share are looked for in the record no further than this from the change. */
const CONTEXT = 2;

/** Says of each of these edits whether a recorded change that stands did exactly that to the file. */
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
      for (const hunk of hunksOf(diff)) for (const core of madeIn(hunk, cores)) proven.add(keyOf(core));
    }
  }
  return (edit) => proven.has(keyOf(coreOf(edit)));
}

interface Hunk {
  readonly before: string;
  readonly after: string;
}

/** The texts of each hunk of a unified diff. */
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

/** The edits that, made together, are what a hunk shows; none when the hunk shows anything else. */
function madeIn({ before, after }: Hunk, edits: readonly Edit[]): readonly Edit[] {
  const present = edits.filter(({ oldText }) => before.includes(oldText));
  const made = present.reduce(
    (text, { oldText, newText, replaceAll }) =>
      replaceAll ? text.replaceAll(oldText, () => newText) : text.replace(oldText, () => newText),
    before,
  );
  return made === after ? present : [];
}

/** An edit with few of the lines that both its texts begin and end with: a diff shows no more of them. */
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
