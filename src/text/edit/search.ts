/** Searches for bytes in a large file, window by window. */
import { borrowScanner, DEFAULT_WINDOW, LAYOUT } from '../scan/scan.ts';
import { type ByteSource, fill } from '../scan/source.ts';
import { ByteNeedle } from './needle.ts';

const SAMPLE = 0x4000;

export interface Found {
  /** Byte offsets. */
  readonly places: readonly number[];
  readonly lines: readonly number[];
}

/** At most `most` occurrences, each at least `step` after the one before. */
export function searchBytes(source: ByteSource, bytes: Uint8Array, step: number, most: number): Found {
  const places: number[] = [];
  const lines: number[] = [];
  const overlap = bytes.length - 1;
  const size = Math.max(DEFAULT_WINDOW, 2 * bytes.length);
  const scanner = borrowScanner(size);
  try {
    const begin = LAYOUT.window;
    let needle: ByteNeedle | undefined;
    let kept = 0;
    let line = 1;
    /** Lines are counted up to this offset. */
    let counted = 0;
    /** Matches before this offset are ignored. */
    let next = 0;
    for (let offset = 0; ; ) {
      const got = fill(source, offset + kept, scanner.bytes.subarray(begin + kept, begin + size));
      const end = begin + kept + got;
      scanner.pad(end);
      needle ??= new ByteNeedle(bytes, scanner, scanner.bytes.slice(begin, Math.min(end, begin + SAMPLE)));
      const count = (place: number): void => {
        if (place > counted) line += scanner.wasm.countNewlines(begin + counted - offset, begin + place - offset);
        counted = Math.max(counted, place);
      };
      for (let from = begin + Math.max(0, next - offset); ; ) {
        const at = needle.indexIn(from, end);
        if (at < 0) break;
        const place = offset + at - begin;
        count(place);
        places.push(place);
        lines.push(line);
        if (places.length >= most) return { places, lines };
        next = place + step;
        from = at + step;
      }
      if (end < begin + size) return { places, lines };
      count(offset + size - overlap);
      scanner.bytes.copyWithin(begin, end - overlap, end);
      offset += size - overlap;
      kept = overlap;
    }
  } finally {
    scanner.release();
  }
}
