/** One replacement that is asked for. */
export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** Every place instead of the only one. */
  readonly replaceAll?: boolean;
}

/**
 * A byte order mark is the file's and no part of its text; a model may have copied it. Anywhere else it is a character
 * like others: `isInside` says whether a piece that begins with one stands behind the beginning of the file. Broken
 * pairs are no text either.
 */
export function cleanEdit({ oldText, newText, ...rest }: Edit, isInside: (piece: string) => boolean): Edit {
  const marked = oldText.length > 1 && oldText.startsWith('\uFEFF') && !isInside(firstLine(oldText));
  return {
    ...rest,
    oldText: wellFormed(marked ? oldText.slice(1) : oldText),
    newText: wellFormed(marked && newText.startsWith('\uFEFF') ? newText.slice(1) : newText),
  };
}

/** Line endings may differ from those of the file, so one line has to tell. */
function firstLine(text: string): string {
  return text.slice(0, /\r?\n|$/u.exec(text)!.index);
}

/** Halves of surrogate pairs would become raw bytes; they are made U+FFFD, as an encoder would. */
function wellFormed(text: string): string {
  return /[\uD800-\uDFFF]/u.test(text) ? text.replaceAll(/[\uD800-\uDFFF]/gu, '\uFFFD') : text;
}
