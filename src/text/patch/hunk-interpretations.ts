/**
 * How the lines of a hunk can be meant. Mostly in one way; but an empty line at its edge may be layout, and where
 * context lines came without their leading space, a line that has one may be meant with or without it.
 */
import { MARK, type Hunk } from './operation.ts';

export interface Interpretation {
  /** The lines with their marks, as far as they count. */
  readonly body: readonly string[];
  /** The lines to find: context and removed ones, without their marks. */
  readonly old: readonly string[];
}

/** The hunk as it is written, and with the spaces kept where that may be meant. */
export function asWritten({ body, hasBare }: Hunk): readonly Interpretation[] {
  return alternatives(body, hasBare);
}

/** The same without an empty line at the end, which may be layout, and then without those in front. */
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

/** Whether a hunk only adds; with `leniently` empty lines in front of the additions count as layout too. */
export function onlyAdds({ body }: Hunk, leniently = false): boolean {
  const first = leniently ? body.findIndex((line) => line !== '') : 0;
  const last = body.findLastIndex((line) => line !== '');
  for (let i = first; i <= last; i++) if (!isAdded(body[i]!)) return false;
  return true;
}

/** A hunk that only adds, without its layout. */
export function additionsOf({ body }: Hunk): Interpretation {
  return { body: body.filter(isAdded), old: [] };
}

function isAdded(line: string): boolean {
  return line.charCodeAt(0) === MARK.added;
}

/** Whether there is something to find and something to change. */
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
