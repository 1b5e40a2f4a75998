/** The part of Markdown's inline syntax that names need: markup to strip, and the end of a key. */

/** Only this many units are used for a name: a longer name does not fit into an address, and the limit bounds the cost. */
export const MAX_NAME = 1024;

/** The text as rendered: without emphasis and code marks, a link as its text, an escape as its character. */
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
  readonly key: string;
  readonly valueStart: number;
  /** A space follows the colon, so it certainly separates a key. */
  readonly spaced: boolean;
}

/**
 * Splits `key: value`; undefined for plain text. The first colon followed by a space separates, else the first colon
 * that is not part of a URL (`http://`). Ignores colons in code, links and tags.
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

/** The fast path for text without markup, which is most text. */
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

/** In `**key:** value` the marks after the colon belong to the key. */
function closingMarks(text: string, at: number): string {
  if (text[at] !== '*' && text[at] !== '_') return '';
  const [marks = ''] = /^(?:\*+|_+)/.exec(text.slice(at, at + 4)) ?? [];
  return text.startsWith(marks) ? marks : '';
}

/** Finds the ends of code spans. Searches only once for a run length without a partner. */
class CodeSpans {
  readonly #text: string;
  readonly #unpaired = new Set<number>();

  constructor(text: string) {
    this.#text = text;
  }

  /** The length of the mark, and the end of the span that opens at `at`; for an unpaired run, its own end. */
  from(at: number): [mark: number, end: number] {
    const text = this.#text;
    let open = at;
    while (text[open] === '`') open++;
    const length = open - at;
    if (length <= 80 && !this.#unpaired.has(length)) {
      for (let run = text.indexOf('`', open); run >= 0; ) {
        let end = run;
        while (text[end] === '`') end++;
        if (end - run === length) return [length, end];
        run = text.indexOf('`', end);
      }
      this.#unpaired.add(length);
    }
    return [length, open];
  }
}

/** The end of `(target "title")` or `[label]` after a link's text; `at` if neither follows. */
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

/** The end of a tag or autolink; 0 if `<` opens neither. */
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

/** An underscore inside a word (`send_email`) is not a mark. */
function isEdge(text: string, at: number): boolean {
  return !/[\p{L}\p{N}]/u.test(text[at - 1] ?? ' ') || !/[\p{L}\p{N}_]/u.test(text[at + 1] ?? ' ');
}
