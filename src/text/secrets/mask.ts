/**
 * Masks secrets in the text of a command before it is stored. The command that runs, and the text of an approval request, are
 * never masked. In doubt it masks more: where the end of a value is unknown, the rest of the text is masked.
 */
import { isLoginOption, isSecretName, takesNextWord } from './secret-names.ts';
import { commandEnd, isInside, stretchAt, stretchesOf, type Stretch, valueEnd } from './quoting.ts';
import { tokenSpans } from './token-spans.ts';
import { shortOptionSpans } from './short-options.ts';
import { MASK, maskSpans, type Span } from './spans.ts';

export interface Masked {
  readonly text: string;
  /** A masked text cannot be judged again. */
  readonly masked: boolean;
}

/** Longer texts are cut first: the rest is not stored either. */
const LONGEST = 1 << 16;
/** A longer rest of a command after `--user: ` is masked without a search, so that hostile text takes linear time. */
const LONGEST_LOGIN = 256;
const NAMES = /[A-Za-z0-9_.-]+/gu;

/** The result for the last long text, because a command is masked once for each place where it is stored. */
let last: { readonly text: string; readonly masked: Masked } | undefined;
const WORTH_KEEPING = 4096;

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

/** The values after names of secrets. */
function* namedSpans(text: string, stretches: readonly Stretch[]): Iterable<Span> {
  NAMES.lastIndex = 0;
  let upTo = 0;
  /** The end of a word without a password: a login option inside it has none either and is skipped. */
  let withoutLogin = 0;
  /** The first colon at or after the last value. */
  let colon = -1;
  for (let name = NAMES.exec(text); name !== null; name = NAMES.exec(text)) {
    const isLogin = isLoginOption(name[0]);
    if (name.index < upTo || !(isLogin || isSecretName(name[0]))) continue;
    const isQuoted = isInside(name.index, stretchAt(stretches, name.index));
    if (isLogin && !isQuoted && name.index + name[0].length < withoutLogin) continue;
    const span = valueAfter(text, name.index + name[0].length, takesNextWord(name[0]), stretches);
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
  /** It ends with its word or its quotes, not with its command. */
  readonly isWord: boolean;
}

function indexOrEnd(text: string, wanted: string, from: number): number {
  const at = text.indexOf(wanted, from);
  return at < 0 ? text.length : at;
}

function isShort({ start, end }: Span): boolean {
  return end - start <= LONGEST_LOGIN;
}

/** `=value`, `: value`, or the word after an option. */
function valueAfter(text: string, at: number, takesNext: boolean, stretches: readonly Stretch[]): Value | undefined {
  const behind = skip(QUOTE_AND_BLANKS, text, at);
  const separated = skip(SEPARATOR, text, behind);
  if (separated === behind && !(takesNext && isBlank(text[skip(/\\*["']?/uy, text, at)]))) return undefined;
  const start = separated === behind ? skip(BLANKS, text, behind) : separated;
  const stretch = stretchAt(stretches, start);
  if (separated > behind && isBlank(text[start]) && !isInside(start, stretch)) {
    // `KEY= command` sets no value; `Name: value` outside quotes extends to the end of its command.
    return text[separated - 1] === '=' ? undefined : filled(start, commandEnd(text, start, stretch), false);
  }
  if (separated === behind && !isInside(start, stretch) && text[start] === '-') return undefined;
  return filled(start, valueEnd(text, start, stretch), true);
}

/** `$NAME` is a reference, not the secret itself; in single quotes it is literal text. */
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
