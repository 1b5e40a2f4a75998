/**
 * The characters that a person cannot see, or takes for a space: the one list of the whole product. What decides about a command,
 * what prints it and what shows it in a browser use this list.
 */

/**
 * Control and format characters (all bidirectional controls among them), lone surrogates, private and unassigned code points, line
 * separators, ignorable code points (fillers, selectors, tags), the braille blank, and every space except U+0020.
 */
const HIDDEN = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}`;
/** A joiner or presentation selector is part of the emoji before it. */
const PICTURE = String.raw`\p{Extended_Pictographic}(?:\ufe0f?\u200d(?=\p{Extended_Pictographic})|\ufe0f)`;
const PICTURE_OR_HIDDEN = new RegExp(`${PICTURE}|(${HIDDEN})`, 'gu');
/** Printable ASCII, which most texts are. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Hidden characters that many languages need: they neither control a terminal nor reorder text. */
const ORDINARY = /^[\p{Zs}\p{Co}\p{Cn}\p{Variation_Selector}\u00ad\u200c\u200d]$/u;

export interface HiddenCharacter {
  /** In UTF-16 units of the text. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly point: number;
}

/** In the order of the text. Tabs and line ends are among them. */
export function hiddenCharacters(text: string): readonly HiddenCharacter[] {
  if (PLAIN.test(text)) return [];
  const found: HiddenCharacter[] = [];
  for (const { index, 1: hidden } of text.matchAll(PICTURE_OR_HIDDEN))
    if (hidden !== undefined)
      found.push({ start: index, end: index + hidden.length, text: hidden, point: hidden.codePointAt(0)! });
  return found;
}

export function replaceHidden(text: string, replacement: (hidden: string, start: number) => string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(PICTURE_OR_HIDDEN, (whole: string, hidden: string | undefined, start: number) =>
    hidden === undefined ? whole : replacement(hidden, start),
  );
}

/** Whether a hidden character is usual in prose. It is shown as it is in contents, and never in what a person decides by. */
export function isOrdinaryInProse(hidden: string): boolean {
  return ORDINARY.test(hidden);
}

/** `U+202E` */
export function codePointName(point: number): string {
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}
