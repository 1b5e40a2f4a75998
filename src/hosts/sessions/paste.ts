const BEGIN = '\u001b[200~';
const END = '\u001b[201~';

/**
 * The text between the marks of a paste. An end mark inside would let the rest of the text act as keys, so it is taken
 * out, as often as taking one out makes another.
 */
export function bracketedPaste(text: string): string {
  let inner = text;
  while (inner.includes(END) || inner.includes('\u009b201~')) {
    inner = inner.replaceAll(END, '').replaceAll('\u009b201~', '');
  }
  return BEGIN + inner + END;
}
