/** Hostile text for a person who decides by it: every character that cannot be seen is shown, and nothing is left out. */
import type { Span } from '../../../wire/policy.ts';

/**
 * Control and format characters (with them all that turn the direction of text), lone halves of pairs, separators,
 * blanks other than the plain one, what fonts leave out, and what nobody has assigned.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;
const MARK = /\p{M}/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

export interface ShownText {
  /** On one line. */
  readonly text: string;
  /** Blanks and carets for the line below; absent when there is nothing to point at. */
  readonly carets?: string;
  /** How many characters are shown as escapes. */
  readonly escaped: number;
}

/** The text as it can be shown, and carets under the given part of it. */
export function shownText(text: string, at?: Span): ShownText {
  let shown = '';
  let lead = '';
  let carets = '';
  let escaped = 0;
  let offset = 0;
  for (const char of text) {
    const isUnseen = UNSEEN.test(char);
    const piece = isUnseen ? escapeOf(char) : char;
    if (isUnseen) escaped++;
    shown += piece;
    const width = isUnseen ? piece.length : widthOf(char);
    if (at !== undefined && offset < at.start) lead += ' '.repeat(width);
    else if (at !== undefined && (offset < at.end || offset === at.start)) carets += '^'.repeat(width);
    offset += char.length;
  }
  // Something that is missing at the end is behind the last character.
  if (at !== undefined && carets === '') carets = '^';
  return { text: shown, escaped, ...(at === undefined ? {} : { carets: lead + carets }) };
}

/** Text of others on one line, with all that cannot be seen shown. */
export function shown(text: string): string {
  return shownText(text).text;
}

function escapeOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

function widthOf(char: string): number {
  if (MARK.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}
