const PIECE = 0x1800; // a multiple of three, so that the pieces can be joined

/** Bytes in base64, without a copy of them as one long string of characters. */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; from += PIECE)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(from, from + PIECE))));
  return pieces.join('');
}

/** The bytes of base64 text, white space in it allowed; undefined when it is none. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined; // what atob throws says only that this is no base64
  }
}
