/** How many bytes at the end are the start of an incomplete character. */
export function incompleteTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    return lengthOf(byte) > back && isPrefix(bytes.subarray(bytes.length - back)) ? back : 0;
  }
  return 0;
}

/** How many bytes at the start belong to a character that began before them. */
export function incompleteHead(bytes: Uint8Array): number {
  let count = 0;
  while (count < Math.min(3, bytes.length) && (bytes[count]! & 0xc0) === 0x80) count++;
  return count;
}

/** Bytes that are not UTF-8 become U+FFFD. */
export function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function lengthOf(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 1;
}

/** Whether continuation bytes can complete the character: not an over-long, surrogate or too large one. */
function isPrefix(bytes: Uint8Array): boolean {
  const second = bytes[1];
  if (second === undefined) return true;
  const lead = bytes[0]!;
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second <= 0x9f;
  if (lead === 0xf0) return second >= 0x90;
  return lead !== 0xf4 || second <= 0x8f;
}
