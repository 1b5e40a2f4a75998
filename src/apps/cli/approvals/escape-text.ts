/** Escapes invisible characters in untrusted text, because a person approves a command by reading it. Nothing is left out. */
import { hiddenCharacters } from '../../../base/hidden-characters.ts';
import type { Span } from '../../../wire/policy.ts';

const MARK = /\p{M}/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

export interface EscapedText {
  /** On one line. */
  readonly text: string;
  /** Spaces and carets for the line below; absent without a span. */
  readonly carets?: string;
  /** How many characters are shown as escapes. */
  readonly escaped: number;
}

/** Escapes invisible characters, and puts carets under the given span. */
export function escapeText(text: string, at?: Span): EscapedText {
  let shown = '';
  let lead = '';
  let carets = '';
  let count = 0;
  let offset = 0;
  const hidden = new Set(hiddenCharacters(text).map(({ start }) => start));
  for (const char of text) {
    const isInvisible = hidden.has(offset);
    const piece = isInvisible ? escapeOf(char) : char;
    if (isInvisible) count++;
    shown += piece;
    const width = isInvisible ? piece.length : widthOf(char);
    if (at !== undefined && offset < at.start) lead += ' '.repeat(width);
    else if (at !== undefined && (offset < at.end || offset === at.start)) carets += '^'.repeat(width);
    offset += char.length;
  }
  // A span at the end (something is missing there) has no character to point at.
  if (at !== undefined && carets === '') carets = '^';
  return { text: shown, escaped: count, ...(at === undefined ? {} : { carets: lead + carets }) };
}

export function escaped(text: string): string {
  return escapeText(text).text;
}

function escapeOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

function widthOf(char: string): number {
  if (MARK.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}
