/**
 * Select Graphic Rendition (SGR, `ESC [ parameters m`): the styles of untrusted programs that reach a terminal. Allowed are
 * colours, weight, italic, underline, blink, inverse, strike and overline. Conceal (8) is not, because it hides text.
 */
const PLAIN = /^(?:[0-79]|2[1-79]|3[0-79]|4[0-79]|53|55|59|9[0-7]|10[0-7])$/u;
const UNDERLINE = /^4:[0-5]$/u;
const BYTE = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const COLON_COLOUR = new RegExp(`^[345]8:(?:5:${BYTE}|2:(?:\\d{0,3}:)?${BYTE}:${BYTE}:${BYTE})$`, 'u');
const COLOUR = /^[345]8$/u;
const ONE_BYTE = new RegExp(`^${BYTE}$`, 'u');
/** The number of parameters after `38;5` and `38;2`. */
const COLOUR_PARTS: Readonly<Record<string, number>> = { '5': 1, '2': 3 };

/** The allowed parameters, or undefined if there are none. An empty list means reset. */
export function passingStyles(parameters: string): string | undefined {
  const parts = parameters.split(';').map((part) => (part === '' ? '0' : part));
  const passing: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]!;
    if (COLOUR.test(part)) {
      const count = COLOUR_PARTS[parts[at + 1] ?? ''];
      const values = count === undefined ? [] : parts.slice(at + 2, at + 2 + count);
      // Terminals interpret parameters after a malformed colour differently, so none of them passes.
      if (values.length !== count || !values.every((value) => ONE_BYTE.test(value))) break;
      passing.push(part, parts[at + 1]!, ...values);
      at += 1 + count;
    } else if (PLAIN.test(part) || UNDERLINE.test(part) || COLON_COLOUR.test(part)) passing.push(part);
  }
  return passing.length === 0 ? undefined : passing.join(';');
}
