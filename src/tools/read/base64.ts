const PIECE = 0x1800; // a multiple of three, so that the pieces can be joined

/** Works in pieces, without one long intermediate string. */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; from += PIECE)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(from, from + PIECE))));
  return pieces.join('');
}

/** Accepts white space; undefined for invalid base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined; // invalid base64
  }
}
