/** Untrusted text in pieces: what a person sees, and the hidden characters between. */
import { codePointName, hiddenCharacters, replaceHidden } from '../../base/hidden-characters.ts';

export type Piece =
  | { readonly text: string; readonly hidden?: undefined }
  /** The number of a character that must not enter the document, and how often it is there in a row. */
  | { readonly hidden: number; readonly count: number };

/**
 * Line ends and tabs are kept where the text may have several lines. Equal hidden characters in a row are one piece: a thousand zero
 * bytes must not be a thousand elements.
 */
export function piecesOf(text: string, mayHaveLines: boolean): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end, point, text: hidden } of hiddenCharacters(text)) {
    if (mayHaveLines && (hidden === '\n' || hidden === '\t')) continue;
    const last = pieces.at(-1);
    if (start > at) pieces.push({ text: text.slice(at, start) });
    const isNext = start === at && last?.hidden === point;
    if (isNext) pieces.pop();
    pieces.push({ hidden: point, count: isNext ? last.count + 1 : 1 });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}

/** On one line, for names that cannot hold a badge: `a U+202E b`. */
export function hiddenAsNames(text: string): string {
  return replaceHidden(text, (hidden) => (hidden === '\n' ? ' ' : ` ${codePointName(hidden.codePointAt(0)!)} `));
}
