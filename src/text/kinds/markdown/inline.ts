/** As much of Markdown's inline syntax as names need: marks that vanish, and where a key ends. */

/** Names are made of this many units at most: a longer one could not be written in an address, and costs are bounded. */
export const MAX_NAME = 1024;

/** The text as a reader sees it: emphasis, code and link marks vanish, a link is its text, an escape its character. */
export function withoutMarks(text: string): string {
  if (!/[*_`~[\\<&]/.test(text)) return text;
  let plain = '';
  const spans = new CodeSpans(text);
  for (let at = 0; at < text.length; ) {
    const unit = text[at]!;
    if (unit === '\\' && isPunctuation(text.charCodeAt(at + 1))) {
      plain += text[at + 1];
      at += 2;
    } else if (unit === '`') {
      const [inner, end] = spans.from(at);
      plain += text.slice(at + inner, Math.max(at + inner, end - inner));
      at = end;
    } else if (unit === '*' || (unit === '~' && text[at + 1] === '~') || (unit === '_' && isEdge(text, at))) at++;
    else if (unit === '!' && text[at + 1] === '[') at++;
    else if (unit === '~' && text[at - 1] === '~') at++;
    else if (unit === '[') at++;
    else if (unit === ']') at = linkTargetEnd(text, at + 1);
    else if (unit === '<') {
      const end = angleEnd(text, at);
      if (end > 0 && isAutolink(text, at + 1)) plain += text.slice(at + 1, end - 1);
      else if (end === 0) plain += unit;
      at = end > 0 ? end : at + 1;
    } else {
      plain += unit;
      at++;
    }
  }
  return plain.trim();
}

export interface KeySplit {
  /** The key as spelled, without the colon. */
  readonly key: string;
  readonly valueStart: number;
  /** A blank stands before the value: this colon was surely meant. */
  readonly spaced: boolean;
}

/**
 * Where `key: value` splits, or undefined for plain text. The first colon before a blank wins,
 * else the first colon at all, unless it is an address (`http://`). Colons in code, links and tags do not count.
 */
export function splitKey(text: string): KeySplit | undefined {
  const head = text.length > MAX_NAME ? text.slice(0, MAX_NAME) : text;
  if (!head.includes(':')) return undefined;
  if (!/[\\`\]<]/.test(head)) return splitPlain(text, head);
  const spans = new CodeSpans(head);
  let tight: KeySplit | undefined;
  for (let at = 0; at < head.length; ) {
    const unit = head[at]!;
    if (unit === '\\') at += 2;
    else if (unit === '`') at = spans.from(at)[1];
    else if (unit === ']') at = linkTargetEnd(head, at + 1);
    else if (unit === '<') at = angleEnd(head, at) || at + 1;
    else if (unit === ':') {
      const split = splitAt(text, at);
      if (split?.spaced) return split;
      if (split !== undefined && !text.startsWith('//', at + 1)) tight ??= split;
      at++;
    } else at++;
  }
  return tight;
}

/** The same for text without any marks, which is nearly all text. */
function splitPlain(text: string, head: string): KeySplit | undefined {
  let tight: KeySplit | undefined;
  for (let at = head.indexOf(':'); at >= 0; at = head.indexOf(':', at + 1)) {
    const split = splitAt(text, at);
    if (split?.spaced) return split;
    if (split !== undefined && !text.startsWith('//', at + 1)) tight ??= split;
  }
  return tight;
}

function splitAt(text: string, colon: number): KeySplit | undefined {
  const key = text.slice(0, colon).trimEnd();
  const marks = closingMarks(text, colon + 1);
  const keyEnd = colon + 1 + marks.length;
  let valueStart = keyEnd;
  while (text[valueStart] === ' ' || text[valueStart] === '\t') valueStart++;
  if (key === '' || valueStart === text.length) return undefined;
  return { key: key + marks, valueStart, spaced: valueStart > keyEnd };
}

/** In `**key:** value` the marks behind the colon belong to the key. */
function closingMarks(text: string, at: number): string {
  if (text[at] !== '*' && text[at] !== '_') return '';
  const [marks = ''] = /^(?:\*+|_+)/.exec(text.slice(at, at + 4)) ?? [];
  return text.startsWith(marks) ? marks : '';
}

/** Finds the ends of code spans; a run length that has no partner is searched once only. */
class CodeSpans {
  readonly #text: string;
  readonly #alone = new Set<number>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Length of the mark and offset past the span that opens at `at`; a lone run is skipped and has no inside. */
  from(at: number): [mark: number, end: number] {
    const text = this.#text;
    let open = at;
    while (text[open] === '`') open++;
    const length = open - at;
    if (length <= 80 && !this.#alone.has(length)) {
      for (let run = text.indexOf('`', open); run >= 0; ) {
        let end = run;
        while (text[end] === '`') end++;
        if (end - run === length) return [length, end];
        run = text.indexOf('`', end);
      }
      this.#alone.add(length);
    }
    return [length, open];
  }
}

/** Past `(target "title")` or `[label]` that follows a link's text; `at` itself when neither does. */
function linkTargetEnd(text: string, at: number): number {
  const close = text[at] === '(' ? ')' : text[at] === '[' ? ']' : '';
  if (close === '') return at;
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === text[at]) depth++;
    else if (text[i] === close && --depth === 0) return i + 1;
  }
  return at;
}

/** Past the `>` of a tag or autolink, 0 when `<` opens none. */
function angleEnd(text: string, at: number): number {
  if (!/[a-zA-Z/!?]/.test(text[at + 1] ?? '')) return 0;
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '>') return i + 1;
    if (text[i] === '<') return 0;
  }
  return 0;
}

function isAutolink(text: string, at: number): boolean {
  return /^[a-zA-Z][a-zA-Z0-9+.-]*[:@]/.test(text.slice(at, at + 40));
}

function isPunctuation(unit: number): boolean {
  return (
    (unit >= 33 && unit <= 47) ||
    (unit >= 58 && unit <= 64) ||
    (unit >= 91 && unit <= 96) ||
    (unit >= 123 && unit <= 126)
  );
}

/** An underscore inside a word (`send_email`) is no mark. */
function isEdge(text: string, at: number): boolean {
  return !/[\p{L}\p{N}]/u.test(text[at - 1] ?? ' ') || !/[\p{L}\p{N}_]/u.test(text[at + 1] ?? ' ');
}
