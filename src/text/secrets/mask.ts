/**
 * Masks secrets in the text of a command before it is stored. What runs, and what a person is asked to judge, is never
 * masked. The rule errs on the side of masking: a value ends where its end is known, and with the text where it is not.
 */
import { isLoginOption, isSecretName, takesNextWord } from './secret-names.ts';
import { commandEnd, isInside, stretchAt, stretchesOf, type Stretch, valueEnd } from './quoting.ts';
import { tokenSpans } from './token-spans.ts';
import { shortOptionSpans } from './short-options.ts';
import { MASK, maskSpans, type Span } from './spans.ts';

export interface Masked {
  readonly text: string;
  /** Whether something was masked: then the text cannot be judged again. */
  readonly masked: boolean;
}

/** Longer texts are cut before they are read: nothing behind this is stored either. */
const LONGEST = 1 << 16;
/** A longer rest of a command behind `--user: ` is masked unread, so that hostile text costs no more than its length. */
const LONGEST_LOGIN = 256;
const NAMES = /[A-Za-z0-9_.-]+/gu;

/** The result for the last long text: a command is masked for each of the places where it is stored. */
let last: { readonly text: string; readonly masked: Masked } | undefined;
const WORTH_KEEPING = 4096;

/** The text without its secrets. */
export function maskSecrets(text: string): Masked {
  if (last?.text === text) return last.masked;
  const masked = maskedText(text);
  if (text.length > WORTH_KEEPING) last = { text, masked };
  return masked;
}

function maskedText(text: string): Masked {
  const read = text.length > LONGEST ? text.slice(0, LONGEST) : text;
  const stretches = stretchesOf(read);
  const spans = [...namedSpans(read, stretches), ...shortOptionSpans(read, stretches), ...tokenSpans(read)];
  const isCut = read.length < text.length;
  if (spans.length === 0 && !isCut) return { text, masked: false };
  return { text: `${maskSpans(read, spans)}${isCut ? MASK : ''}`, masked: true };
}

/** The values behind names that say so. */
function* namedSpans(text: string, stretches: readonly Stretch[]): Iterable<Span> {
  NAMES.lastIndex = 0;
  let upTo = 0;
  /** The end of a word without a password: a login option inside of it has none either, and is not read again. */
  let withoutLogin = 0;
  /** The first colon at or behind the value that was read last. */
  let colon = -1;
  for (let name = NAMES.exec(text); name !== null; name = NAMES.exec(text)) {
    const isLogin = isLoginOption(name[0]);
    if (name.index < upTo || !(isLogin || isSecretName(name[0]))) continue;
    const isQuoted = isInside(name.index, stretchAt(stretches, name.index));
    if (isLogin && !isQuoted && name.index + name[0].length < withoutLogin) continue;
    const span = valueBehind(text, name.index + name[0].length, takesNextWord(name[0]), stretches);
    if (span === undefined || isReference(text, span, stretches)) continue;
    if (colon < span.start) colon = indexOrEnd(text, ':', span.start);
    if (isLogin && colon >= span.end && (span.isWord || isShort(span))) {
      if (span.isWord) withoutLogin = span.end;
      continue;
    }
    yield span;
    upTo = span.end;
    NAMES.lastIndex = Math.max(NAMES.lastIndex, upTo);
  }
}

const QUOTE_AND_BLANKS = /\\*["']?[ \t]*/uy;
const SEPARATOR = /[:=][=>~]*/uy;
const BLANKS = /(?:[ \t]|\\\r?\n)*/uy;

interface Value extends Span {
  /** It ends with its word or its quotes, and not with its command. */
  readonly isWord: boolean;
}

function indexOrEnd(text: string, wanted: string, from: number): number {
  const at = text.indexOf(wanted, from);
  return at < 0 ? text.length : at;
}

function isShort({ start, end }: Span): boolean {
  return end - start <= LONGEST_LOGIN;
}

/** `=value`, `: value`, or the next word behind an option. */
function valueBehind(text: string, at: number, takesNext: boolean, stretches: readonly Stretch[]): Value | undefined {
  const behind = skip(QUOTE_AND_BLANKS, text, at);
  const separated = skip(SEPARATOR, text, behind);
  if (separated === behind && !(takesNext && isBlank(text[skip(/\\*["']?/uy, text, at)]))) return undefined;
  const start = separated === behind ? skip(BLANKS, text, behind) : separated;
  const stretch = stretchAt(stretches, start);
  if (separated > behind && isBlank(text[start]) && !isInside(start, stretch)) {
    // `KEY= command` sets nothing; `Name: value` outside of quotes reaches to the end of its command.
    return text[separated - 1] === '=' ? undefined : filled(start, commandEnd(text, start, stretch), false);
  }
  if (separated === behind && !isInside(start, stretch) && text[start] === '-') return undefined;
  return filled(start, valueEnd(text, start, stretch), true);
}

/** `$NAME` says where the secret is, not what it is; in single quotes it is a text like any other. */
const REFERENCE = /^"?\s*(?:(?:bearer|basic|token)\s+)?\$(?:\w+|\{\w+\})"?$/iu;

function isReference(text: string, { start, end }: Span, stretches: readonly Stretch[]): boolean {
  const stretch = stretchAt(stretches, start);
  if (isInside(start, stretch) && text[stretch.start] !== '"') return false;
  return end - start < 200 && REFERENCE.test(text.slice(start, end));
}

function filled(start: number, end: number, isWord: boolean): Value | undefined {
  return end > start ? { start, end, isWord } : undefined;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t';
}
