/** One requested replacement. */
export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** Replace all occurrences instead of exactly one. */
  readonly replaceAll?: boolean;
}

/**
 * Removes a byte order mark that a model copied from the start of the file, where it is not part of the text. Elsewhere it is
 * an ordinary character: `isInside` checks whether a piece with a leading mark occurs after the start of the file. Also
 * replaces lone surrogates.
 */
export function cleanEdit({ oldText, newText, ...rest }: Edit, isInside: (piece: string) => boolean): Edit {
  const marked = oldText.length > 1 && oldText.startsWith('\uFEFF') && !isInside(firstLine(oldText));
  return {
    ...rest,
    oldText: wellFormed(marked ? oldText.slice(1) : oldText),
    newText: wellFormed(marked && newText.startsWith('\uFEFF') ? newText.slice(1) : newText),
  };
}

/** Only the first line is compared, because line endings may differ from those of the file. */
function firstLine(text: string): string {
  return text.slice(0, /\r?\n|$/u.exec(text)!.index);
}

/** Lone surrogates would become raw bytes; they are replaced by U+FFFD, as an encoder does. */
function wellFormed(text: string): string {
  return /[\uD800-\uDFFF]/u.test(text) ? text.replaceAll(/[\uD800-\uDFFF]/gu, '\uFFFD') : text;
}
