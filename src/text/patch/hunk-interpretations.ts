/**
 * The interpretations of a hunk. Usually there is one; but an empty line at its edge may be layout, and where context lines
 * came without their leading space, a leading space of other lines may be a mark or content.
 */
import { MARK, type Hunk } from './operation.ts';

export interface Interpretation {
  /** The lines with their marks, without layout. */
  readonly body: readonly string[];
  /** The lines to find: context and removed lines, without their marks. */
  readonly old: readonly string[];
}

/** The hunk as written, and, where that is possible, with leading spaces as content. */
export function asWritten({ body, hasBare }: Hunk): readonly Interpretation[] {
  return alternatives(body, hasBare);
}

/** The same without an empty line at the end, which may be layout, and then without those at the start. */
export function withoutEdges({ body, hasBare }: Hunk): readonly (readonly Interpretation[])[] {
  const interpretations: (readonly Interpretation[])[] = [];
  let rest = body;
  const last = body.findLastIndex((line) => !isAdded(line));
  if (last >= 0 && (body[last] === '' || body[last] === ' ' || body[last] === '-')) {
    const pairs = body[last] === '-' && body.at(-1) === '+';
    rest = body.filter((_, i) => i !== last && !(pairs && i === body.length - 1));
    if (isWorthSeeking(rest)) interpretations.push(alternatives(rest, hasBare));
  }
  const first = rest.findIndex((line) => line !== '');
  if (first > 0 && isWorthSeeking(rest.slice(first))) interpretations.push(alternatives(rest.slice(first), hasBare));
  return interpretations;
}

/** Whether a hunk only adds lines; with `leniently`, empty lines before the additions count as layout too. */
export function onlyAdds({ body }: Hunk, leniently = false): boolean {
  const first = leniently ? body.findIndex((line) => line !== '') : 0;
  const last = body.findLastIndex((line) => line !== '');
  for (let i = first; i <= last; i++) if (!isAdded(body[i]!)) return false;
  return true;
}

/** A hunk that only adds lines, without its layout. */
export function additionsOf({ body }: Hunk): Interpretation {
  return { body: body.filter(isAdded), old: [] };
}

function isAdded(line: string): boolean {
  return line.charCodeAt(0) === MARK.added;
}

/** Whether there are lines to find and lines to change. */
function isWorthSeeking(body: readonly string[]): boolean {
  return body.some((line) => isAdded(line) || line.charCodeAt(0) === MARK.removed) && !body.every(isAdded);
}

function alternatives(body: readonly string[], hasBare: boolean): readonly Interpretation[] {
  const plain = interpretationOf(body, false);
  if (!hasBare || !body.some((line) => line.charCodeAt(0) === MARK.context)) return [plain];
  return [plain, interpretationOf(body, true)];
}

function interpretationOf(body: readonly string[], keepSpaces: boolean): Interpretation {
  const old: string[] = [];
  for (const line of body) {
    const mark = line.charCodeAt(0);
    if (mark === MARK.removed || (mark === MARK.context && !keepSpaces)) old.push(line.slice(1));
    else if (mark !== MARK.added) old.push(line);
  }
  return { body, old };
}
