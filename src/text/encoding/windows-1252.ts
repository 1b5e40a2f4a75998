/** The characters of the bytes 0x80 to 0x9F; the five undefined bytes are C1 control characters. */
const HIGH =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Some versions of Node decode these bytes as Latin-1, without the euro sign and the curly quotes, so pincer does it itself. */
export function decodeWindows1252(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; from += PIECE) {
    pieces.push(String.fromCharCode(...bytes.subarray(from, from + PIECE)));
  }
  return pieces.join('').replace(/[\u0080-\u009f]/gu, (char) => HIGH[char.charCodeAt(0) - 0x80] ?? char);
}

/** A safe number of arguments for one call. */
const PIECE = 8192;
