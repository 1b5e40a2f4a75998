/** A byte pattern to search for in the window of a scanner. */
import { LAYOUT, type Scanner } from '../scan/scan.ts';

/** How much of a needle the scanner compares; the rest is compared here. */
const MOST_SCANNED = LAYOUT.textsEnd - LAYOUT.texts;
const GIVEN_UP = 1;
/** Compared bytes per advanced byte, on average, before the search changes to the linear-time method. */
const PATIENCE = 4;

export class ByteNeedle {
  private readonly bytes: Uint8Array;
  private readonly scanner: Scanner;
  private readonly head: Uint8Array;
  private readonly pair: number;
  private failures: Uint32Array | undefined;

  /** `sample` are typical bytes of the source: the pair that is rarest in it is searched first. */
  constructor(bytes: Uint8Array, scanner: Scanner, sample: Uint8Array) {
    this.bytes = bytes;
    this.scanner = scanner;
    this.head = bytes.subarray(0, MOST_SCANNED);
    this.pair = rarestPair(this.head, sample);
  }

  /** The first match in [from, end) of the scanner's memory, or -1. */
  indexIn(from: number, end: number): number {
    const { bytes, head, scanner } = this;
    if (bytes.length === 1) return scanner.bytes.subarray(0, end).indexOf(bytes[0]!, from);
    if (this.failures !== undefined) return this.searchLinear(from, end);
    scanner.bytes.set(head, LAYOUT.texts);
    let compared = 0;
    for (let at = from; at + bytes.length <= end; at++) {
      const rest = bytes.length - head.length;
      const found = scanner.wasm.findBytes(at, end - rest, LAYOUT.texts, head.length, this.pair);
      if (found === 0) return -1;
      if (found === GIVEN_UP) return this.searchLinear(at, end);
      let same = head.length;
      while (same < bytes.length && scanner.bytes[found + same] === bytes[same]) same++;
      if (same === bytes.length) return found;
      compared += same;
      if (compared > PATIENCE * (found - from) + 0x1_0000) return this.searchLinear(found, end);
      at = found;
    }
    return -1;
  }

  /** Knuth-Morris-Pratt: reads each byte at most twice, whatever the bytes are. */
  private searchLinear(from: number, end: number): number {
    const { bytes } = this;
    const window = this.scanner.bytes;
    const failures = (this.failures ??= failuresOf(bytes));
    let matched = 0;
    for (let at = from; at < end; at++) {
      const byte = window[at]!;
      while (matched > 0 && bytes[matched] !== byte) matched = failures[matched - 1]!;
      if (bytes[matched] === byte) matched++;
      if (matched === bytes.length) return at - matched + 1;
    }
    return -1;
  }
}

/** The offset of the two neighbouring bytes that are rarest in the sample. */
function rarestPair(bytes: Uint8Array, sample: Uint8Array): number {
  const counts = new Float64Array(256).fill(1);
  for (const byte of sample) counts[byte] = counts[byte]! + 1;
  let best = 0;
  let rarest = Number.POSITIVE_INFINITY;
  for (let at = 0; at + 1 < bytes.length; at++) {
    const common = counts[bytes[at]!]! * counts[bytes[at + 1]!]!;
    if (common >= rarest) continue;
    rarest = common;
    best = at;
  }
  return best;
}

/** The KMP failure function. */
function failuresOf(bytes: Uint8Array): Uint32Array {
  const failures = new Uint32Array(bytes.length);
  let matched = 0;
  for (let i = 1; i < bytes.length; i++) {
    while (matched > 0 && bytes[i] !== bytes[matched]) matched = failures[matched - 1]!;
    if (bytes[i] === bytes[matched]) matched++;
    failures[i] = matched;
  }
  return failures;
}
