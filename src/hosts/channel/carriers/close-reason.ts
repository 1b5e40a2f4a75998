/** The reason with which an end closes a connection, as it is sent. */
import { replaceHidden } from '../../../base/hidden-characters.ts';

/** At most `longest` bytes of UTF-8, without a part of a character. */
export function encodeReason(reason: string, longest: number): Buffer {
  const bytes = Buffer.from(reason);
  if (bytes.length <= longest) return bytes;
  let end = longest;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

/** The text comes from the other end: control characters and what is not UTF-8 become spaces. */
export function decodeReason(reason: Uint8Array): string {
  const text = replaceHidden(Buffer.from(reason).toString('utf8').replaceAll('\uFFFD', ' '), () => ' ').trim();
  return text === '' ? 'the other end closed the connection' : text;
}
