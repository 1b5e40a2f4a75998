/** Whether JSON is worth reading: what is too deep or has too many values costs memory and time before anyone can say no. */

export interface JsonBounds {
  readonly depth: number;
  /** Values and keys, counted by what stands between them. */
  readonly values: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Looks at the bytes only; whether they are JSON at all is the parser's to say. */
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

/** Where the closing quote stands; the end of all when there is none. */
function endOfString(json: Uint8Array, from: number): number {
  for (let at = from; ; at++) {
    at = json.indexOf(QUOTE, at);
    if (at < 0) return json.length;
    let slashes = 0;
    while (at - slashes > from && json[at - slashes - 1] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
}
