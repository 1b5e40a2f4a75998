/** Byte counts of a sample, as input for the detection. */

export interface Survey {
  readonly nuls: number;
  /** Control characters that do not occur in text: neither white space nor terminal controls. */
  readonly controls: number;
  readonly high: number;
  /** Valid multi-byte UTF-8 sequences. */
  readonly sequences: number;
  /** Bytes from 0x80 on outside such sequences, except a sequence cut off by the end of the sample. */
  readonly strays: number;
}

export function survey(bytes: Uint8Array, complete: boolean): Survey {
  let nuls = 0;
  let controls = 0;
  let high = 0;
  let sequences = 0;
  let strays = 0;
  for (let i = 0; i < bytes.length; ) {
    const byte = bytes[i]!;
    if (byte < 0x80) {
      if (byte === 0) nuls++;
      else if (byte < 0x20 && !TEXT_CONTROLS.has(byte)) controls++;
      i++;
      continue;
    }
    const length = sequenceLength(bytes, i);
    const cutOff = !complete && length === 0 && i + 4 > bytes.length && byte >= 0xc2;
    if (cutOff) break;
    if (length > 0) sequences++;
    else strays++;
    high += Math.max(1, length);
    i += Math.max(1, length);
  }
  return { nuls, controls, high, sequences, strays };
}

/** Bell, backspace, tab, newline, vertical tab, form feed, return, shift out and in, escape. */
const TEXT_CONTROLS = new Set([7, 8, 9, 10, 11, 12, 13, 14, 15, 27]);

/** The length of the valid UTF-8 sequence at `i`, or 0. */
function sequenceLength(bytes: Uint8Array, i: number): number {
  const lead = bytes[i]!;
  const length =
    lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  if (length === 0) return 0;
  const second = bytes[i + 1] ?? 0;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const top = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > top) return 0;
  for (let tail = 2; tail < length; tail++) {
    if (((bytes[i + tail] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}
