/**
 * Finds the end of a value in the text of a command. In plain words it ends with its word. In quotes it ends with the closing
 * quote, because the language inside is unknown. Where this parser cannot follow the shell (here-documents, comments,
 * substitutions in double quotes), it ends with the text.
 */

export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly inside: 'words' | 'text';
}

/** The end of a word, and of a simple command, outside quotes. */
const WORD_ENDS = /[\s;|&<>()]/u;
const COMMAND_ENDS = /[;|&\n]/gu;

/** In order, without gaps. */
export function stretchesOf(text: string): readonly Stretch[] {
  const found: Stretch[] = [];
  let start = 0;
  let parsed = text.length;
  const close = (end: number, inside: Stretch['inside']): void => {
    if (end > start) found.push({ start, end, inside });
    start = end;
  };
  for (let at = 0; at < text.length; ) {
    if (isUnparsable(text, at)) {
      parsed = at;
      break;
    }
    if (!isQuote(text[at])) at += text[at] === '\\' ? 2 : 1;
    else {
      const end = closingQuote(text, at);
      if (end === undefined) {
        parsed = at;
        break;
      }
      close(at, 'words');
      close(end, 'text');
      at = end;
    }
  }
  close(parsed, 'words');
  close(text.length, 'text');
  return found;
}

/** Undefined after the last stretch. */
export function stretchAt(stretches: readonly Stretch[], at: number): Stretch | undefined {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stretches[middle]!.end <= at) low = middle + 1;
    else high = middle;
  }
  return stretches[low];
}

/** A here-document or a comment begins: quotes in them have no meaning. */
function isUnparsable(text: string, at: number): boolean {
  if (text.startsWith('<<', at)) return true;
  return text[at] === '#' && (at === 0 || WORD_ENDS.test(text[at - 1]!));
}

function isQuote(char: string | undefined): boolean {
  return char === "'" || char === '"';
}

/** The offset after the closing quote; undefined where there is none, or where it is unknown. */
function closingQuote(text: string, at: number): number | undefined {
  const quote = text[at]!;
  const escapes = quote === '"' || text[at - 1] === '$';
  for (let next = at + 1; next < text.length; next++) {
    const char = text[next];
    if (char === quote) return next + 1;
    if (char === '\\' && escapes) next++;
    else if (quote === '"' && (char === '`' || startsSubstitution(text, next))) return undefined;
  }
  return undefined;
}

const PLAIN_REFERENCE = /\$\{\w+\}/uy;

function startsSubstitution(text: string, at: number): boolean {
  if (text[at] !== '$' || (text[at + 1] !== '(' && text[at + 1] !== '{')) return false;
  PLAIN_REFERENCE.lastIndex = at;
  return !PLAIN_REFERENCE.test(text);
}

export function valueEnd(text: string, at: number, stretch: Stretch | undefined): number {
  if (isInside(at, stretch)) return endOfText(text, stretch);
  let next = at;
  while (next < text.length) {
    const char = text[next]!;
    if (char === '`' || text.startsWith('$(', next) || (char === '(' && next === at)) return text.length;
    if (WORD_ENDS.test(char)) return next;
    if (isQuote(char)) {
      const end = closingQuote(text, next);
      if (end === undefined) return text.length;
      next = end;
    } else next += char === '\\' ? 2 : 1;
  }
  return text.length;
}

/** The end of the simple command at `at`. */
export function commandEnd(text: string, at: number, stretch: Stretch | undefined): number {
  if (isInside(at, stretch)) return endOfText(text, stretch);
  COMMAND_ENDS.lastIndex = at;
  return COMMAND_ENDS.exec(text)?.index ?? text.length;
}

/** Whether a position is inside quotes; the opening quote itself belongs to its word. */
export function isInside(at: number, stretch: Stretch | undefined): stretch is Stretch {
  return stretch?.inside === 'text' && at > stretch.start;
}

/** Excludes the closing quote. */
function endOfText(text: string, { start, end }: Stretch): number {
  return isQuote(text[start]) && end - start > 1 && text[end - 1] === text[start] ? end - 1 : end;
}
