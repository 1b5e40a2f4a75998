/**
 * Terminal output as a reader of text wants it. Escape sequences:
 *   CSI   ESC [ parameters intermediates final        OSC   ESC ] … (BEL | ESC \)
 *   DCS, SOS, PM, APC   ESC (P | X | ^ | _) … ESC \   other ESC intermediates final
 * `ESC [ K` is the one that is obeyed: progress lines are erased with it.
 */
const ESC = '\\u001b';
const CSI = `(?:${ESC}\\[|\\u009b)[0-?]*[ -/]*[@-~]`;
const STRING = `${ESC}\\][^\\u0007\\u001b]*(?:\\u0007|${ESC}\\\\)|${ESC}[PX^_][^\\u001b]*${ESC}\\\\`;
const SEQUENCES = new RegExp(`${CSI}|${STRING}|${ESC}[ -/]*[0-~]?`, 'gu');
const ERASES = new RegExp(`${ESC}\\[[02]?K`, 'gu');

/** Controls but tab, LF, CR, backspace; formats (bidi, zero-width, tags) but the two joiners of scripts and emoji. */
const UNSEEN = /(?![\t\n\r\b])\p{Cc}|\p{Cs}|(?![\u200c\u200d])\p{Cf}/gu;
const UNUSUAL = /[^\t\n -~]/u;
const MOVES = /[\r\b\ue000]/u;
/** Stands for "erase the rest of the line" while lines are drawn; a program's own use of it is dropped. */
const ERASE = '\ue000';

/** The text without escape sequences and unseen characters, with overwritten lines in their last state. */
export function plainText(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  const seen = text.replaceAll(ERASE, '').replace(ERASES, ERASE).replace(SEQUENCES, '').replace(UNSEEN, '');
  if (!MOVES.test(seen)) return seen;
  return seen.split('\n').map(drawn).join('\n');
}

const LONGEST_OPEN = 256;
const OPEN_STRING = `\\][^\\u0007\\u001b]*${ESC}?|[PX^_][^\\u001b]*${ESC}?`;
const OPEN = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|${OPEN_STRING}|[ -/]*)$`, 'u');

/** How many characters at the end may be the start of an escape sequence that is not complete. */
export function openSequence(text: string): number {
  const end = text.slice(-LONGEST_OPEN);
  const at = end.search(OPEN);
  return at < 0 ? 0 : end.length - at;
}

/** One line after its carriage returns, backspaces and erasures. */
function drawn(text: string): string {
  // Most lines of a terminal only end with a carriage return.
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
