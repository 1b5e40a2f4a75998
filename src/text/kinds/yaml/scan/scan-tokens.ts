/** Single-line tokens of the proven subset. -1 means that the text is not in the subset. */

/** True for a space, a line ending or the end of the text, and with `orTab` for a tab. */
export function isBlankAt(text: string, at: number, orTab = false): boolean {
  const unit = text.charCodeAt(at);
  return unit === 32 || unit === 10 || unit === 13 || at >= text.length || (orTab && unit === 9);
}

function isFlowIndicator(unit: number): boolean {
  return unit === 44 || unit === 91 || unit === 93 || unit === 123 || unit === 125;
}

/** Indicators that a plain scalar may not begin with. It may begin with `-` before a non-blank. */
const NEVER_FIRST = /* @__PURE__ */ new Uint8Array(128);
for (const indicator of '!"#%&\'*,>@[]`{|}?:') NEVER_FIRST[indicator.charCodeAt(0)] = 1;

export function startsPlain(text: string, at: number, inFlow: boolean): boolean {
  const unit = text.charCodeAt(at);
  if (unit > 125) return unit !== 0xfeff && unit !== 127;
  if (unit === 45) {
    const next = text.charCodeAt(at + 1);
    return next > 32 && !(inFlow && isFlowIndicator(next));
  }
  return unit > 32 && NEVER_FIRST[unit] === 0;
}

/** The end of a plain scalar or key in block context, before trailing blanks. A `:` follows a key. */
export function endOfPlain(text: string, start: number): number {
  let at = start;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit > 58) at++;
    else if (unit === 58) {
      const next = text.charCodeAt(at + 1);
      if (next > 32) at++;
      else return isBlankAt(text, at + 1) ? at : -1;
    } else if (unit === 32) {
      const end = at;
      while (text.charCodeAt(at) === 32) at++;
      const next = text.charCodeAt(at);
      if (next === 35 || next === 10 || next === 13 || at >= text.length) return end;
      if (next === 58 && isBlankAt(text, at + 1)) return end;
    } else if (unit > 32) at++;
    else return unit === 10 || unit === 13 || at >= text.length ? at : -1;
  }
}

export function endOfFlowPlain(text: string, start: number): number {
  let at = start;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit === 44 || unit === 93 || unit === 125) return at;
    if (unit === 91 || unit === 123) return -1;
    if (unit === 58) {
      const next = text.charCodeAt(at + 1);
      if (isFlowIndicator(next)) return -1;
      if (next > 32) at++;
      else return isBlankAt(text, at + 1) ? at : -1;
    } else if (unit === 32) {
      const end = at;
      while (text.charCodeAt(at) === 32) at++;
      const next = text.charCodeAt(at);
      if (next === 35 || next === 10 || next === 13 || at >= text.length || isFlowIndicator(next)) return end;
      if (next === 58 && !(text.charCodeAt(at + 1) > 32)) return end;
    } else if (unit > 32) at++;
    else return unit === 10 || unit === 13 || at >= text.length ? at : -1;
  }
}

const HEX_ESCAPE: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** The end of a quoted scalar on one line with valid escapes. */
export function endOfQuoted(text: string, start: number): number {
  const single = text.charCodeAt(start) === 39;
  let at = start + 1;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (single ? unit === 39 : unit === 34) {
      if (!single || text.charCodeAt(at + 1) !== 39) return at + 1;
      at += 2;
    } else if (unit === 92 && !single) {
      const letter = text.charAt(at + 1);
      const digits = HEX_ESCAPE[letter];
      if (digits !== undefined) {
        const code = text.slice(at + 2, at + 2 + digits);
        if (code.length < digits || !/^[0-9a-fA-F]+$/.test(code) || Number.parseInt(code, 16) > 0x10ffff) return -1;
        at += 2 + digits;
      } else if (letter !== '' && '0abtnvfreN_LP "/\\'.includes(letter)) at += 2;
      else return -1;
    } else if (unit >= 32 || unit === 9) at++;
    else return -1;
  }
}

/** The start of the next line if the rest of this one is blank or a comment. */
export function endOfRestOfLine(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === 32) at++;
  const unit = text.charCodeAt(at);
  if (unit === 10) return at + 1;
  if (unit === 13) return at + 2;
  if (at >= text.length) return text.length;
  if (unit !== 35 || at === from) return -1;
  const newline = text.indexOf('\n', at);
  return newline < 0 ? text.length : newline + 1;
}
