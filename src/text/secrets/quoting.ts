/**
 * How far a value reaches in the text of a command. In plain words it ends with its word. In quotes it ends with them,
 * because the language inside is unknown. Where this reader cannot follow the shell (here-documents, comments,
 * substitutions inside of double quotes), a value ends with the text.
 */

/** A part of the text that is read in one way. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly inside: 'words' | 'text';
}

/** What ends a word or a simple command outside of quotes. */
const WORD_ENDS = /[\s;|&<>()]/u;
const COMMAND_ENDS = /[;|&\n]/gu;

/** The stretches of a text, in order and without a gap. */
export function stretchesOf(text: string): readonly Stretch[] {
  const found: Stretch[] = [];
  let start = 0;
  let lost = text.length;
  const close = (end: number, inside: Stretch['inside']): void => {
    if (end > start) found.push({ start, end, inside });
    start = end;
  };
  for (let at = 0; at < text.length; ) {
    if (isLost(text, at)) {
      lost = at;
      break;
    }
    if (!isQuote(text[at])) at += text[at] === '\\' ? 2 : 1;
    else {
      const end = closingQuote(text, at);
      if (end === undefined) {
        lost = at;
        break;
      }
      close(at, 'words');
      close(end, 'text');
      at = end;
    }
  }
  close(lost, 'words');
  close(text.length, 'text');
  return found;
}

/** The stretch that a position is in; undefined behind the last. */
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

/** A here-document or a comment begins: quotes in them open nothing. */
function isLost(text: string, at: number): boolean {
  if (text.startsWith('<<', at)) return true;
  return text[at] === '#' && (at === 0 || WORD_ENDS.test(text[at - 1]!));
}

function isQuote(char: string | undefined): boolean {
  return char === "'" || char === '"';
}

/** Behind the quote that closes this one; undefined where none does, or where nobody can tell which. */
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

/** Where a value that starts here ends. */
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

/** Where the simple command ends that this is a part of. */
export function commandEnd(text: string, at: number, stretch: Stretch | undefined): number {
  if (isInside(at, stretch)) return endOfText(text, stretch);
  COMMAND_ENDS.lastIndex = at;
  return COMMAND_ENDS.exec(text)?.index ?? text.length;
}

/** Whether a position is inside of a text; the quote that opens one belongs to its word. */
export function isInside(at: number, stretch: Stretch | undefined): stretch is Stretch {
  return stretch?.inside === 'text' && at > stretch.start;
}

/** The closing quote itself stays. */
function endOfText(text: string, { start, end }: Stretch): number {
  return isQuote(text[start]) && end - start > 1 && text[end - 1] === text[start] ? end - 1 : end;
}
