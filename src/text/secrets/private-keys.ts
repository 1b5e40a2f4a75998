/**
 * Finds private keys in a text: PEM (`-----BEGIN RSA PRIVATE KEY-----`), PGP blocks and SSH2 (four dashes), by their first line
 * and its continuation. A first line without a continuation, as in the source of a parser, is not a key.
 */
import type { Span } from './spans.ts';

/** Every first and last line contains this; a file without it has no such key. */
export const KEY_WORDS = 'PRIVATE KEY';

const LABEL = `(?:[A-Z0-9]+ ){0,4}${KEY_WORDS}(?: BLOCK)? ?-{4,5}`;
const BEGINNING = new RegExp(`-{4,5} ?BEGIN ${LABEL}`, 'gu');
const END = new RegExp(`-{4,5} ?END ${LABEL}`, 'gu');
/** A first or last line of a key, anywhere. */
export const KEY_EDGE = new RegExp(`-{4,5} ?(?:BEGIN|END) ${LABEL}`, 'u');
/**
 * The next line, real or escaped (`\n` in JSON), with the first character of the key or of a header. Each character can match
 * in one way only, so there is no backtracking.
 */
const NEXT_LINE = /[ \t]*(?:[\r\n]|\\r\\n|\\n)(?:[ \t\r\n]|\\r\\n|\\n)*[A-Za-z0-9+/=]/uy;
/** A long run of base64 after quotes, operators or line prefixes in source code, scripts and mail. */
const JOINED = /(?:[\s'"`+,;.()>#*|\\-]|\\[nr]){0,64}[A-Za-z0-9+/=]{40}/uy;
/** In characters; no key is longer, not even in PGP. */
export const LONGEST_KEY = 1 << 18;
/** A trimmed line that may belong to a key without its last line. */
const KEY_LINE = /^(?:[#>*]\s*)?(?:[A-Za-z0-9+/=]{16,}|[A-Za-z0-9-]+: .*|[A-Za-z0-9+/=]*)$/su;

/** From the first to the last line of each key; without a last line, as far as lines look like a key. */
export function privateKeySpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  /** The next last line, so that the text is searched only once; the whole text when there is none. */
  let last: Span = { start: -1, end: -1 };
  for (let first = beginning(text, 0); first !== undefined; ) {
    if (last.start < first.end) last = lastLine(text, first.end);
    const end = endOf(text, first.end, last);
    spans.push({ start: first.start, end });
    first = beginning(text, end);
  }
  return spans;
}

export function containsPrivateKey(text: string): boolean {
  return beginning(text, 0) !== undefined;
}

function beginning(text: string, from: number): Span | undefined {
  BEGINNING.lastIndex = from;
  for (let found = BEGINNING.exec(text); found !== null; found = BEGINNING.exec(text))
    if (isFollowed(text, BEGINNING.lastIndex)) return { start: found.index, end: BEGINNING.lastIndex };
  return undefined;
}

function lastLine(text: string, from: number): Span {
  END.lastIndex = from;
  const found = END.exec(text);
  return found === null
    ? { start: Number.POSITIVE_INFINITY, end: text.length }
    : { start: found.index, end: END.lastIndex };
}

function isFollowed(text: string, at: number): boolean {
  return [NEXT_LINE, JOINED].some((form) => {
    form.lastIndex = at;
    return form.test(text);
  });
}

function endOf(text: string, body: number, last: Span): number {
  if (last.start - body <= LONGEST_KEY) return last.end;
  let end = lineEnd(text, body);
  while (end < text.length) {
    const next = lineEnd(text, end);
    if (!KEY_LINE.test(text.slice(end, next).trim())) break;
    end = next;
  }
  return end;
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at + 1;
}
