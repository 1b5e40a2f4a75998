/**
 * Terminal output as plain text. Escape sequences:
 *   CSI   ESC [ parameters intermediates final        OSC   ESC ] … (BEL | ESC \)
 *   DCS, SOS, PM, APC   ESC (P | X | ^ | _) … ESC \   other ESC intermediates final
 * Only `ESC [ K` is applied: programs erase progress lines with it.
 */
const ESC = '\\u001b';
const CSI = `(?:${ESC}\\[|\\u009b)[0-?]*[ -/]*[@-~]`;
const STRING = `${ESC}\\][^\\u0007\\u001b]*(?:\\u0007|${ESC}\\\\)|${ESC}[PX^_][^\\u001b]*${ESC}\\\\`;
const SEQUENCES = new RegExp(`${CSI}|${STRING}|${ESC}[ -/]*[0-~]?`, 'gu');
const ERASES = new RegExp(`${ESC}\\[[02]?K`, 'gu');

/** Controls except tab, LF, CR, backspace; format characters (bidi, zero-width, tags) except the two joiners. */
const INVISIBLE = /(?![\t\n\r\b])\p{Cc}|\p{Cs}|(?![\u200c\u200d])\p{Cf}/gu;
const UNUSUAL = /[^\t\n -~]/u;
const MOVES = /[\r\b\ue000]/u;
/** Means "erase the rest of the line" while lines are drawn; this character in the output is dropped. */
const ERASE = '\ue000';

/** The text without escape sequences and invisible characters, with overwritten lines in their final state. */
export function plainText(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  const visible = text.replaceAll(ERASE, '').replace(ERASES, ERASE).replace(SEQUENCES, '').replace(INVISIBLE, '');
  if (!MOVES.test(visible)) return visible;
  return visible.split('\n').map(drawn).join('\n');
}

const LONGEST_INCOMPLETE = 256;
const INCOMPLETE_STRING = `\\][^\\u0007\\u001b]*${ESC}?|[PX^_][^\\u001b]*${ESC}?`;
const INCOMPLETE = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|${INCOMPLETE_STRING}|[ -/]*)$`, 'u');

/** How many characters at the end may be an incomplete escape sequence. */
export function incompleteSequence(text: string): number {
  const end = text.slice(-LONGEST_INCOMPLETE);
  const at = end.search(INCOMPLETE);
  return at < 0 ? 0 : end.length - at;
}

/** One line after its carriage returns, backspaces and erasures are applied. */
function drawn(text: string): string {
  // Most terminal lines only end with a carriage return.
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  if (!MOVES.test(line)) return line;
  const cells: string[] = [];
  let at = 0;
  for (const character of line) {
    if (character === '\r') at = 0;
    else if (character === '\b') at = Math.max(0, at - 1);
    else if (character === ERASE) cells.length = Math.min(cells.length, at);
    else cells[at++] = character;
  }
  return cells.join('');
}
