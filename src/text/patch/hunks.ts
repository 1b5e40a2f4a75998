/**
 * The hunks of an update. Lines start with a space (context), `-` or `+`; `@@` opens a hunk and may contain an anchor line, a
 * unified range, or a closing `@@`. A line without a mark is context whose space was omitted.
 */
import { MARK, type Hunk, type RangeHint } from './operation.ts';
import { HEADERS, markerOf } from './markers.ts';
import { countsOf, rangeIn, type Counts } from './range.ts';
import { quoted, syntaxFault, type PatchLines } from './syntax.ts';

const BACKSLASH = 92;
const NO_NEWLINE = /^\\ no newline/iu;

/** A hunk while its lines are read. */
interface Draft extends Hunk {
  readonly anchors: string[];
  readonly body: string[];
  range: RangeHint | undefined;
  counts: Counts | undefined;
  hasBare: boolean;
  atEnd: boolean;
  oldUnended: boolean;
  newUnended: boolean;
  /** Whether the body has a line that is not empty. */
  filled: boolean;
}

/** Reads the body of an update up to the marker that ends it. */
export function readHunks(source: PatchLines): Hunk[] {
  const hunks: Hunk[] = [];
  skipFileHeaders(source);
  let draft: Draft | undefined;
  for (; source.at < source.until; source.at++) {
    const line = source.lines[source.at]!;
    if (line.startsWith('@@')) {
      if (draft?.filled === true) {
        hunks.push(finished(draft));
        draft = undefined;
      }
      draft ??= newDraft(source.at);
      readAnchor(line, draft);
    } else if (source.at === source.lastEnd) break;
    else if (line.startsWith('***')) {
      const marker = markerOf(line);
      if (marker === undefined)
        throw syntaxFault(
          source.at,
          `is not a header: ${quoted(line)}`,
          `${HEADERS}; context lines start with a space`,
        );
      if (marker.kind !== 'end-of-file') break;
      if (draft === undefined) throw syntaxFault(source.at, 'ends a file before any hunk', 'put the lines above it');
      draft.atEnd = true;
    } else if (line !== '' || draft !== undefined) {
      draft ??= newDraft(source.at);
      readLine(line, draft, source.at);
    }
  }
  if (draft !== undefined && (draft.filled || hasAnchor(draft) || draft.atEnd)) hunks.push(finished(draft));
  return hunks;
}

/** `diff --git`, `index`, `---` and `+++` above the first `@@` name the file again. */
function skipFileHeaders(source: PatchLines): void {
  const { lines } = source;
  let at = source.at;
  while (at < lines.length && (lines[at] === '' || /^(?:diff --git |index [0-9a-f]+\.\.)/u.test(lines[at]!))) at++;
  if (lines[at]?.startsWith('--- ') !== true || lines[at + 1]?.startsWith('+++ ') !== true) return;
  at += 2;
  while (lines[at] === '') at++;
  if (lines[at]?.startsWith('@@') === true) source.at = at;
}

function newDraft(index: number): Draft {
  return {
    line: index + 1,
    anchors: [],
    range: undefined,
    counts: undefined,
    body: [],
    hasBare: false,
    atEnd: false,
    oldUnended: false,
    newUnended: false,
    filled: false,
  };
}

function readAnchor(line: string, draft: Draft): void {
  draft.atEnd = false;
  if (line === '@@') return;
  const range = rangeIn(line);
  if (range !== undefined) {
    draft.range = { start: range.start, heading: range.heading };
    draft.counts = range.counts;
    return;
  }
  const text = line
    .slice(2)
    .replace(/^ /u, '')
    .replace(/\s*@@\s*$/u, '');
  if (text.trim() !== '' && !/^(?:\.\.\.|…)$/u.test(text.trim())) draft.anchors.push(text);
}

function readLine(line: string, draft: Draft, index: number): void {
  if (draft.atEnd) {
    if (line.trim() === '') return;
    if (!NO_NEWLINE.test(line))
      throw syntaxFault(index, 'follows *** End of File', 'only a new hunk (@@) or a header may follow it');
  }
  const mark = line.charCodeAt(0);
  if (mark === BACKSLASH && NO_NEWLINE.test(line)) {
    const before = draft.body.at(-1)?.charCodeAt(0);
    if (before !== MARK.added) draft.oldUnended = true;
    if (before !== MARK.removed) draft.newUnended = true;
    return;
  }
  draft.body.push(line);
  if (line === '') return;
  draft.filled = true;
  if (mark !== MARK.context && mark !== MARK.removed && mark !== MARK.added) draft.hasBare = true;
}

function hasAnchor(draft: Draft): boolean {
  return draft.anchors.length > 0 || draft.range !== undefined;
}

function finished(draft: Draft): Hunk {
  if (draft.filled) {
    dropLayout(draft);
    return draft;
  }
  throw syntaxFault(draft.line - 1, 'opens a hunk that has no lines', 'write the lines to find and to change below it');
}

/** Empty lines after a hunk are layout if the counts of the range are right without them. */
function dropLayout({ body, counts }: Draft): void {
  if (counts === undefined || body.at(-1) !== '') return;
  const last = body.findLastIndex((line) => line !== '');
  const found = countsOf(body);
  for (let extra = body.length - 1 - last; extra > 0; extra--)
    if (found.old - extra === counts.old && found.new - extra === counts.new) body.length -= extra;
}
