/** A diff for display. A file may be one line of megabytes with other secrets: only text near the change is shown. */
import { lineEnd, lineStart } from '../../text/lines/position.ts';
import { unifiedDiff } from '../../text/lines/unified.ts';

/** Longer parts of a line are reduced to the text near the change. */
const LONG = 160;
const NEAR = 80;

/** A unified diff; undefined means that the file does not exist. */
export function shownDiff(path: string, before: string | undefined, after: string | undefined): string {
  const old = before ?? '';
  const now = after ?? '';
  const { start, end, text } = spliceOf(old, now);
  const first = lineStart(old, start);
  const last = old.slice(end, lineEnd(old, end)).replace(/\r?\n$/u, '').length + end;
  const head = old.slice(first, start);
  const tail = old.slice(end, last);
  const shortHead = head.length > LONG ? `…${head.slice(-NEAR)}` : head;
  const shortTail = tail.length > LONG ? `${tail.slice(0, NEAR)}…` : tail;
  const near = `${old.slice(0, first)}${shortHead}${old.slice(start, end)}${shortTail}${old.slice(last)}`;
  const at = first + shortHead.length;
  const diff = unifiedDiff(path, near, [{ start: at, end: at + end - start, text }])
    .split('\n')
    .map((line) => (line.startsWith(' ') && line.length > LONG ? `${line.slice(0, LONG)}…` : line))
    .join('\n');
  if (before === undefined) return diff.replace(/^--- .*$/mu, '--- /dev/null');
  return after === undefined ? diff.replace(/^\+\+\+ .*$/mu, '+++ /dev/null') : diff;
}

/** The single replacement between two texts. */
function spliceOf(old: string, now: string): { start: number; end: number; text: string } {
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let tail = 0;
  while (tail < most - start && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  return { start, end: old.length - tail, text: now.slice(start, now.length - tail) };
}
