/** The message of a refusal: which hunk does not match, what the file contains instead, and what to do. */
import type { Refusal } from './plan.ts';

const MOST_SHOWN = 12;
const MOST_LISTED = 100;
const WIDTH = 100;

export interface DescribedRefusal {
  readonly code: 'PATCH_MISMATCH' | 'PATCH_AMBIGUOUS' | 'PATCH_OVERLAP';
  readonly message: string;
  readonly hint: string;
  /** The same as data, bounded like the message. */
  readonly details: Readonly<Record<string, unknown>>;
}

export function describeRefusal(name: string, refusal: Refusal): DescribedRefusal {
  return { ...messageFor(name, refusal), details: detailsOf(name, refusal) };
}

function detailsOf(path: string, { hunk, patchLine, anchor, places, expected, nearest, appliedAt }: Refusal) {
  return {
    path,
    hunk,
    patchLine,
    expected: expected.slice(0, MOST_SHOWN).map(cut),
    ...(places.length === 0 ? {} : { count: places.length, lines: places.slice(0, MOST_LISTED) }),
    ...(anchor === undefined ? {} : { anchor: cut(anchor) }),
    ...(nearest === undefined ? {} : { nearest: { line: nearest.line, text: cut(nearest.found) } }),
    ...(appliedAt === undefined ? {} : { appliedAt }),
  };
}

function messageFor(name: string, refusal: Refusal): Omit<DescribedRefusal, 'details'> {
  const { hunk, patchLine, anchor, places, atEnd } = refusal;
  const which = `hunk ${hunk} of ${name} (line ${patchLine} of the patch)`;
  switch (refusal.reason) {
    case 'ambiguous':
      return {
        code: 'PATCH_AMBIGUOUS',
        message:
          anchor === undefined
            ? `${which} matches ${places.length} places`
            : `${which} follows ${shown(anchor)}, which is in ${places.length} places`,
        hint: `add context lines or an @@ line to distinguish lines ${listed(places)}`,
      };
    case 'overlap':
      return {
        code: 'PATCH_OVERLAP',
        message: `${which} changes lines that another hunk changes`,
        hint: 'write one hunk for these lines',
      };
    case 'mismatch':
      return {
        code: 'PATCH_MISMATCH',
        message:
          anchor === undefined
            ? `${which} is not ${atEnd ? 'at the end of' : 'in'} the file`
            : `${which} follows ${shown(anchor)}, which is not in the file`,
        hint: mismatchHint(refusal),
      };
  }
}

function mismatchHint({ expected, anchor, nearest, appliedAt }: Refusal): string {
  const lines = ['read the file again and copy its lines unchanged'];
  if (appliedAt !== undefined)
    lines[0] = `its new lines are already at line ${appliedAt}; it may have been applied before`;
  if (anchor === undefined) {
    lines.push('expected lines:', ...expected.slice(0, MOST_SHOWN).map((line) => `  ${shown(line)}`));
    if (expected.length > MOST_SHOWN) lines.push(`  ... and ${expected.length - MOST_SHOWN} more lines`);
  }
  if (nearest !== undefined) lines.push(...comparison(nearest.expected, nearest.found, nearest.line));
  return lines.join('\n');
}

/** Both lines with visible blanks, and a caret below the first difference. */
function comparison(expected: string, found: string, line: number): string[] {
  let at = 0;
  while (at < expected.length && at < found.length && expected[at] === found[at]) at++;
  const from = at > WIDTH - 20 ? at - 40 : 0;
  const label = `line ${line}:`;
  const width = Math.max(label.length, 'expected:'.length);
  const lead = from > 0 ? '...' : '';
  const before = JSON.stringify(lead + expected.slice(from, at)).length - 1;
  return [
    'most similar:',
    `  ${'expected:'.padEnd(width)} ${JSON.stringify(lead + expected.slice(from, from + WIDTH))}`,
    `  ${label.padEnd(width)} ${JSON.stringify(lead + found.slice(from, from + WIDTH))}`,
    `  ${' '.repeat(width)} ${' '.repeat(before)}^`,
  ];
}

function shown(line: string): string {
  return JSON.stringify(cut(line));
}

function cut(line: string): string {
  return line.length > WIDTH ? `${line.slice(0, WIDTH)}...` : line;
}

function listed(places: readonly number[]): string {
  const first = places.slice(0, MOST_SHOWN).join(', ');
  return places.length > MOST_SHOWN ? `${first}, ...` : first;
}
