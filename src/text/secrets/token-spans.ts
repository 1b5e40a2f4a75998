/** Secrets that are recognized by their form, without a name before them. */
import { KEY_WORDS } from './private-keys.ts';
import type { Span } from './spans.ts';

/** Tokens with a known prefix. Every count is bounded, so that hostile text takes linear time. */
const TOKENS =
  /(?<![A-Za-z0-9])(?:gh[a-z]_[A-Za-z0-9]{16,255}|github_pat_\w{16,255}|gl[a-z]{2,5}-[\w-]{16,255}|sk-[\w-]{16,255}|[srp]k_(?:live|test)_\w{8,255}|A(?:KIA|SIA|ROA|IDA|GPA|NPA|NVA)[A-Z0-9]{12,128}|xox[a-z]-[\w-]{8,255}|xapp-[\w-]{8,255}|AIza[\w-]{20,128}|ya29\.[\w-]{8,255}|npm_[A-Za-z0-9]{20,128}|pypi-[\w-]{16,255}|hf_[A-Za-z0-9]{16,128}|SG\.[\w-]{8,128}\.[\w-]{8,128}|do[a-z]_v1_[a-f0-9]{16,128}|shp[a-z]{2}_[a-fA-F0-9]{16,128}|AGE-SECRET-KEY-\w{8,128}|eyJ[\w-]{8,255})/gu;
/** The characters with which a token may continue. */
const REST = /[\w.~+/=-]*/uy;

export function tokenSpans(text: string): readonly Span[] {
  return [...tokens(text), ...keyBlocks(text), ...userInfos(text), ...loginPairs(text)];
}

function* tokens(text: string): Iterable<Span> {
  TOKENS.lastIndex = 0;
  for (let found = TOKENS.exec(text); found !== null; found = TOKENS.exec(text)) {
    REST.lastIndex = found.index;
    REST.exec(text);
    const end = Math.max(REST.lastIndex, found.index + found[0].length);
    yield { start: found.index, end };
    TOKENS.lastIndex = end;
  }
}

/**
 * From the first line of a key block to its last line, or to the end of the text. More text counts as a key here than in a
 * file, because a command may contain a key without line breaks.
 */
function* keyBlocks(text: string): Iterable<Span> {
  for (let at = text.indexOf(KEY_WORDS); at >= 0; ) {
    const start = at + KEY_WORDS.length;
    const last = text.indexOf('-----END', start);
    const end = last < 0 ? text.length : last;
    yield { start, end };
    at = text.indexOf(KEY_WORDS, Math.max(end, start) + KEY_WORDS.length);
  }
}

const SCHEME_MARK = '://';
const AUTHORITY_END = /[\s/?#'"`<>|;()\\]/gu;
const WEB = /https?$/iu;

/** `user:password@` of a URL; in an http URL, a user without a password counts as a token. */
function* userInfos(text: string): Iterable<Span> {
  for (let at = text.indexOf(SCHEME_MARK); at >= 0; at = text.indexOf(SCHEME_MARK, at + 1)) {
    const start = at + SCHEME_MARK.length;
    AUTHORITY_END.lastIndex = start;
    const end = AUTHORITY_END.exec(text)?.index ?? text.length;
    const authority = text.slice(start, end);
    const sign = authority.lastIndexOf('@');
    if (sign < 0) continue;
    const colon = authority.indexOf(':');
    const hasPassword = colon >= 0 && colon < sign;
    if (hasPassword) yield { start: start + colon + 1, end: start + sign };
    else if (WEB.test(text.slice(Math.max(0, at - 5), at))) yield { start, end: start + sign };
  }
}

/** `user:password@host` without a scheme, but not `image:tag@sha256:…`. */
const LOGIN_PAIR = /(?<![\w.%+-])[\w.%+-]{1,64}:([^\s@/'":]{1,256})@(?!sha(?:256|512):)/gu;

function* loginPairs(text: string): Iterable<Span> {
  for (const { index, 0: whole, 1: password = '' } of text.matchAll(LOGIN_PAIR)) {
    const end = index + whole.length - 1;
    yield { start: end - password.length, end };
  }
}
