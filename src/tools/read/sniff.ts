/** Detects images and PDFs by their first bytes, because file names prove nothing. */

export type Sniffed = { readonly kind: 'image'; readonly mimeType: string } | { readonly kind: 'pdf' } | undefined;

export function sniff(head: Uint8Array): Sniffed {
  const mimeType = imageType(head);
  if (mimeType !== undefined) return { kind: 'image', mimeType };
  return pdfAt(head) ? { kind: 'pdf' } : undefined;
}

/** Only types that can be shown; SVG is read as text. */
export function imageType(head: Uint8Array): string | undefined {
  if (starts(head, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (starts(head, '\xff\xd8\xff')) return 'image/jpeg';
  if ((starts(head, 'GIF87a') || starts(head, 'GIF89a')) && head.length > 10) return 'image/gif';
  if (starts(head, 'RIFF') && starts(head, 'WEBP', 8)) return 'image/webp';
  if (starts(head, 'II*\0') || starts(head, 'MM\0*')) return 'image/tiff';
  if (starts(head, 'ftyp', 4) && (starts(head, 'avif', 8) || starts(head, 'avis', 8))) return 'image/avif';
  if (isBmp(head)) return 'image/bmp';
  return undefined;
}

/** Two letters prove nothing, so the size of the second header must be a known one. */
function isBmp(head: Uint8Array): boolean {
  if (!starts(head, 'BM') || head.length < 26) return false;
  const reserved = head[6]! | head[7]! | head[8]! | head[9]!;
  return reserved === 0 && head[15] === 0 && head[16] === 0 && head[17] === 0 && BMP_HEADERS.has(head[14]!);
}

const BMP_HEADERS = new Set([12, 40, 52, 56, 64, 108, 124]);
/** Some programs write a few bytes before the mark, so readers search the first kilobyte. */
const PDF_WITHIN = 1024;

function pdfAt(head: Uint8Array): boolean {
  if (starts(head, '%PDF-')) return /^\d/u.test(String.fromCharCode(head[5] ?? 0));
  // Text that only mentions the mark has no zero bytes before it.
  const near = head.subarray(0, PDF_WITHIN);
  for (let at = near.indexOf(0x25); at >= 0; at = near.indexOf(0x25, at + 1)) {
    if (starts(near, '%PDF-1.', at) || starts(near, '%PDF-2.', at)) return near.subarray(0, at).includes(0);
  }
  return false;
}

function starts(bytes: Uint8Array, mark: string, at = 0): boolean {
  for (let i = 0; i < mark.length; i++) if (bytes[at + i] !== mark.charCodeAt(i)) return false;
  return true;
}
