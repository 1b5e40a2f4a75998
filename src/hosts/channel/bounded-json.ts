/** Checks the depth and the size of JSON before it is parsed: parsing hostile JSON costs memory and time. */

export interface JsonBounds {
  readonly depth: number;
  /** Values, counted by commas and opening brackets. */
  readonly values: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Does not check whether the bytes are valid JSON: that is the parser's job. */
export function isBounded(json: Uint8Array, { depth, values }: JsonBounds): boolean {
  let deep = 0;
  let seen = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (byte === COMMA) seen++;
    else if (OPENING.has(byte)) {
      deep++;
      seen++;
    } else if (CLOSING.has(byte)) deep--;
    if (deep > depth || seen > values) return false;
  }
  return true;
}

/** The position of the closing quote, or the length where there is none. */
function endOfString(json: Uint8Array, from: number): number {
  for (let at = from; ; at++) {
    at = json.indexOf(QUOTE, at);
    if (at < 0) return json.length;
    let slashes = 0;
    while (at - slashes > from && json[at - slashes - 1] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
}
