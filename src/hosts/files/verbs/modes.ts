/** Permissions as `chmod` and `mkdir -m` write them. */

export interface ModeInput {
  readonly mode: number;
  readonly isFolder: boolean;
  readonly umask: number;
}

const WHO: Readonly<Record<string, number>> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 };
const BITS: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111 };
/** Programs with the rights of another user are never made here. */
const SET_ID = 0o6000;

/** Undefined where the text is no mode, or would set the set-user-ID or set-group-ID bit. */
export function modeFrom(text: string, { mode, isFolder, umask }: ModeInput): number | undefined {
  if (/^[0-7]{1,4}$/u.test(text)) {
    const octal = Number.parseInt(text, 8);
    return (octal & SET_ID) === 0 ? octal | (isFolder ? mode & SET_ID : 0) : undefined;
  }
  let now = mode;
  for (const clause of text.split(',')) {
    const parts = /^([ugoa]*)((?:[-+=](?:[rwxX]*|[ugo]))+)$/u.exec(clause);
    if (parts === null) return undefined;
    const [, who = '', actions = ''] = parts;
    const affected = who === '' ? 0o777 & ~umask : [...who].reduce((sum, one) => sum | (WHO[one] ?? 0), 0) & 0o777;
    for (const [, operator = '', what = ''] of actions.matchAll(/([-+=])([ugo]|[rwxX]*)/gu)) {
      const bits = bitsOf(what, now, isFolder) & affected;
      if (operator === '+') now |= bits;
      else if (operator === '-') now &= ~bits;
      else now = (now & ~(who === '' ? 0o777 : affected)) | bits;
    }
  }
  return now;
}

function bitsOf(what: string, now: number, isFolder: boolean): number {
  const copied = { u: 6, g: 3, o: 0 }[what];
  if (copied !== undefined) {
    const three = (now >> copied) & 7;
    return three | (three << 3) | (three << 6);
  }
  let bits = 0;
  for (const letter of what) {
    if (letter === 'X') bits |= isFolder || (now & 0o111) !== 0 ? 0o111 : 0;
    else bits |= BITS[letter] ?? 0;
  }
  return bits;
}
