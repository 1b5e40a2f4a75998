/** Decodes a file into the text that an edit works on, and converts splices back to bytes. */
import { byteLength, decodeText, encodeText } from '../lines/bytes.ts';
import type { Splice } from '../lines/splice.ts';

/** Compatible with the type of the same name in hosts. */
export interface ByteSplice {
  readonly start: number;
  readonly end: number;
  readonly bytes: Uint8Array;
}

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** The byte order mark is not part of the text. */
export interface DecodedFile {
  readonly text: string;
  readonly encoding: Encoding;
  /** The length of the byte order mark in bytes. */
  readonly bom: number;
  /** Converts splices of the text into sorted splices of the bytes. */
  byteSplices(splices: readonly Splice[]): ByteSplice[];
}

/** The encoding by the byte order mark, and the length of the mark. */
export function encodingOf(head: Uint8Array): { readonly encoding: Encoding; readonly bom: number } {
  const [a, b, c, d] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', bom: 3 };
  // FF FE 00 00 would be UTF-32, which is treated as bytes.
  if (a === 0xff && b === 0xfe && !(c === 0 && d === 0)) return { encoding: 'utf-16le', bom: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', bom: 2 };
  return { encoding: 'utf-8', bom: 0 };
}

export function encodeAs(encoding: Encoding, text: string): Uint8Array {
  if (encoding === 'utf-8') return encodeText(text);
  const bytes = new Uint8Array(2 * text.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), encoding === 'utf-16le');
  return bytes;
}

export function decodeFile(bytes: Uint8Array): DecodedFile {
  const { encoding, bom } = encodingOf(bytes);
  const body = bytes.subarray(bom);
  const text = encoding === 'utf-8' ? decodeText(body) : decodeUnits(body, encoding === 'utf-16le');
  return { text, encoding, bom, byteSplices: (splices) => toBytes({ text, encoding, bom }, body.length, splices) };
}

/** Unit by unit, so that lone surrogates survive; an odd last byte is not part of the text and stays unchanged. */
function decodeUnits(bytes: Uint8Array, little: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length - (bytes.length % 2));
  let text = '';
  for (let at = 0; at < view.byteLength; ) {
    const units: number[] = [];
    for (const end = Math.min(view.byteLength, at + 8192); at < end; at += 2) units.push(view.getUint16(at, little));
    text += String.fromCharCode(...units);
  }
  return text;
}

function toBytes(
  { text, encoding, bom }: Pick<DecodedFile, 'text' | 'encoding' | 'bom'>,
  bodyLength: number,
  splices: readonly Splice[],
): ByteSplice[] {
  const ordered = [...splices].sort((a, b) => a.start - b.start || a.end - b.end);
  const fixed = encoding === 'utf-8' ? (bodyLength === text.length ? 1 : undefined) : 2;
  let unit = 0;
  let byte = 0;
  const offsetOf = (target: number): number => {
    byte += (target - unit) * (fixed ?? 0) + (fixed === undefined ? byteLength(text.slice(unit, target)) : 0);
    unit = target;
    return bom + byte;
  };
  const bytes = encodeAll(
    encoding,
    ordered.map((splice) => splice.text),
  );
  return ordered.map(({ start, end }, i) => ({ start: offsetOf(start), end: offsetOf(end), bytes: bytes[i]! }));
}

/** Encodes all ASCII texts together, because thousands of small arrays are slow. */
function encodeAll(encoding: Encoding, texts: readonly string[]): readonly Uint8Array[] {
  const joined = texts.join('');
  const all = encodeAs(encoding, joined);
  if (texts.length === 1) return [all];
  if (all.length !== joined.length) return texts.map((text) => encodeAs(encoding, text));
  let at = 0;
  return texts.map((text) => all.subarray(at, (at += text.length)));
}
