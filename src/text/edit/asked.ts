/** One replacement that is asked for. */
export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** Every place instead of the only one. */
  readonly replaceAll?: boolean;
}

/** A byte order mark is the file's and no part of its text; a model may have copied it. Broken pairs are no text either. */
export function cleanEdit({ oldText, newText, ...rest }: Edit): Edit {
  const marked = oldText.length > 1 && oldText.startsWith('\uFEFF');
  return {
    ...rest,
    oldText: wellFormed(marked ? oldText.slice(1) : oldText),
    newText: wellFormed(marked && newText.startsWith('\uFEFF') ? newText.slice(1) : newText),
  };
}

/** Halves of surrogate pairs would become raw bytes; they are made U+FFFD, as an encoder would. */
function wellFormed(text: string): string {
  return /[\uD800-\uDFFF]/u.test(text) ? text.replaceAll(/[\uD800-\uDFFF]/gu, '\uFFFD') : text;
}
