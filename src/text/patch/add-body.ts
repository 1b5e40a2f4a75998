/**
 * The content of a new file. Codex writes every line with a `+`; the other dialect writes the lines unchanged.
 * A body that mixes both is refused, because it is unknown which `+` belongs to the file.
 */
import { markerOf } from './markers.ts';
import { quoted, syntaxFault, type PatchLines } from './syntax.ts';

const NO_NEWLINE = /^\\ no newline/iu;

/** Reads up to the next marker and returns the text of the file. */
export function readAddBody(source: PatchLines): string {
  const first = skipDiffHeaders(source);
  return source.lines[first]?.startsWith('+') === true ? readPlusLines(source) : readPlainLines(source);
}

/** Skips the headers of a diff, which are meaningless for a new file. Returns the first line that is not blank. */
function skipDiffHeaders(source: PatchLines): number {
  const { lines } = source;
  let at = source.at;
  while (at < lines.length && lines[at]!.trim() === '') at++;
  const start = at;
  if (lines[at]?.startsWith('--- ') === true && lines[at + 1]?.startsWith('+++ ') === true) at += 2;
  while (lines[at]?.startsWith('@@') === true) at++;
  if (at > start) source.at = at;
  return at;
}

function readPlusLines(source: PatchLines): string {
  const { lines } = source;
  const body: string[] = [];
  let blanks = 0;
  let ended: string | undefined;
  for (; source.at < lines.length; source.at++) {
    const line = lines[source.at]!;
    if (line.startsWith('+') && ended === undefined) {
      for (; blanks > 0; blanks--) if (body.length > 0) body.push('');
      body.push(line.slice(1));
      continue;
    }
    if (line.trim() === '') {
      blanks++;
      continue;
    }
    const closing = closingOf(line, source.at);
    if (closing === undefined) break;
    if (closing === 'none')
      throw syntaxFault(
        source.at,
        `is in the body of a new file without a +: ${quoted(line)}`,
        ended === undefined
          ? 'start every line of the file with +, or none of them'
          : 'nothing may follow the end of the file',
      );
    if (ended !== 'unended') ended = closing;
  }
  return joined(body, ended === 'unended');
}

function readPlainLines(source: PatchLines): string {
  const { lines } = source;
  const body: string[] = [];
  let ended: string | undefined;
  for (; source.at < lines.length; source.at++) {
    const line = lines[source.at]!;
    const closing = line.startsWith(' ') || line.startsWith('\t') ? paddedEnd(source) : closingOf(line, source.at);
    if (closing === undefined) break;
    if (closing !== 'none') {
      if (ended !== 'unended') ended = closing;
      continue;
    }
    if (ended !== undefined && line.trim() !== '')
      throw syntaxFault(source.at, `follows the end of the new file: ${quoted(line)}`, 'nothing may follow it');
    if (line.startsWith('+'))
      throw syntaxFault(
        source.at,
        'has a + in the body of a new file whose other lines have none',
        'start every line of the file with +, or none of them',
      );
    if (ended === undefined) body.push(line);
  }
  while (body.length > 0 && body.at(-1)?.trim() === '') body.pop();
  return joined(body, ended === 'unended');
}

/** Undefined for a marker that ends the body; otherwise what the line specifies about the end of the file. */
function closingOf(line: string, index: number): 'ended' | 'unended' | 'none' | undefined {
  if (NO_NEWLINE.test(line)) return 'unended';
  const marker = markerOf(line);
  if (marker?.kind === 'end-of-file') return 'ended';
  if (marker !== undefined) return undefined;
  if (/^\*\*\*\s*\w+\s+file\s*:/iu.test(line))
    throw syntaxFault(
      index,
      `is not a valid header: ${quoted(line)}`,
      'write the line with a + if it belongs to the file',
    );
  return 'none';
}

/** An indented line always belongs to a plain body, except the last line of the patch. */
function paddedEnd(source: PatchLines): 'none' | undefined {
  return source.at === source.lastEnd ? undefined : 'none';
}

function joined(body: readonly string[], unended: boolean): string {
  return body.length === 0 ? '' : body.join('\n') + (unended ? '' : '\n');
}
