import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../src/text/lines/bytes.ts';
import { positionAt } from '../../../src/text/lines/position.ts';
import { countNewlines, lineOffset, lineStartsFromEnd, readLine } from '../../../src/text/scan/lines.ts';
import { positionOfByte } from '../../../src/text/scan/position.ts';
import { borrowScanner, LAYOUT } from '../../../src/text/scan/scan.ts';
import { type ByteSource, bytesSource } from '../../../src/text/scan/source.ts';
import { LineWindows } from '../../../src/text/scan/windows.ts';
import { fc, runs } from '../../support/property.ts';

const bytes = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\r\n', '\n\n'),
      fc.string({ maxLength: 40 }),
      fc.constantFrom('é', '🙂', 'x'.repeat(100)),
    ),
    { maxLength: 30 },
  )
  .chain((parts) =>
    fc.tuple(fc.constant(new TextEncoder().encode(parts.join(''))), fc.array(fc.nat(), { maxLength: 2 })),
  )
  .map(([all, damage]) => {
    for (const at of damage) if (all.length > 0) all[at % all.length] = 0x80 + (at % 0x80);
    return all;
  });
const windowBytes = fc.constantFrom(1, 3, 16, 64, 65, 200, 4096);

/** Starts of all lines, by a simple reference implementation. */
function starts(all: Uint8Array): number[] {
  const found: number[] = [];
  for (let at = 0; at < all.length; ) {
    found.push(at);
    const newline = all.indexOf(10, at);
    if (newline < 0) break;
    at = newline + 1;
  }
  return found;
}

/** A source that returns at most `most` bytes per read, as a pipe or a network file may. */
function slowSource(all: Uint8Array, most: number): ByteSource {
  const source = bytesSource(all);
  return { size: all.length, read: (offset, into) => source.read(offset, into.subarray(0, most)) };
}

describe('lines of a source', () => {
  it('are counted', () => {
    fc.assert(
      fc.property(bytes, windowBytes, fc.nat(500), (all, window, cut) => {
        const end = Math.min(cut, all.length);
        expect(countNewlines(bytesSource(all), end, { windowBytes: window })).toBe(
          all.subarray(0, end).filter((byte) => byte === 10).length,
        );
      }),
    );
  });

  it('are counted beyond the range of byte counters', () => {
    expect(countNewlines(bytesSource(new Uint8Array(300_001).fill(10)))).toBe(300_001);
  });

  it('are found by number', () => {
    fc.assert(
      fc.property(bytes, windowBytes, (all, window) => {
        const expected = starts(all);
        const found = [0, ...expected, 0].map((_, i) => lineOffset(bytesSource(all), i, { windowBytes: window }));
        expect(found).toEqual([undefined, ...expected, undefined]);
      }),
    );
  });

  it('are found from the end', () => {
    fc.assert(
      fc.property(bytes, fc.constantFrom(1, 7, 1000), (all, most) => {
        expect([...lineStartsFromEnd(slowSource(all, most))]).toEqual(starts(all).reverse());
      }),
    );
  });

  it('are found from the end across chunks', () => {
    const all = new Uint8Array(200_000).fill(97);
    for (const at of [5, 65_535, 65_536, 65_537, 134_463, 134_464, 199_999]) all[at] = 10;
    expect([...lineStartsFromEnd(bytesSource(all))]).toEqual(starts(all).reverse());
  });

  it('are read with their ending', () => {
    const all = new TextEncoder().encode(`a\r\n${'b'.repeat(200_000)}\nlast`);
    expect(starts(all).map((start) => decodeText(readLine(bytesSource(all), start)).length)).toEqual([3, 200_001, 4]);
  });

  it('come in windows of whole lines, for any window size and any reads', () => {
    fc.assert(
      fc.property(bytes, windowBytes, fc.constantFrom(1, 5, 1000), (all, window, most) => {
        const scanner = borrowScanner(window);
        const windows = new LineWindows(slowSource(all, most), scanner, window);
        const ends: number[] = [];
        let joined = '';
        while (windows.next()) {
          expect(windows.begin).toBe(LAYOUT.window);
          ends.push(windows.offset + windows.end - windows.begin);
          joined += Buffer.from(scanner.bytes.subarray(windows.begin, windows.end)).toString('latin1');
        }
        scanner.release();
        expect(joined).toBe(Buffer.from(all).toString('latin1'));
        const allowed = new Set([...starts(all), all.length]);
        expect(ends.filter((end) => !allowed.has(end))).toEqual([]);
      }),
    );
  });
});

describe('the position of a byte', () => {
  it('equals that of the text, also with invalid bytes', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), windowBytes, (all, at, window) => {
        const text = decodeText(all);
        // Only positions between characters are valid.
        const offset = at % (text.length + 1);
        const isInPair = /[\ud800-\udbff]$/.test(text.slice(0, offset)) && /^[\udc00-\udfff]/.test(text.slice(offset));
        if (isInPair) return;
        const before = Array.from(text.slice(0, offset)).reduce((sum, unit) => sum + width(unit), 0);
        expect(positionOfByte(bytesSource(all), before, window)).toEqual(positionAt(text, offset));
      }),
      { numRuns: runs(500) },
    );
  });
});

function width(character: string): number {
  const code = character.codePointAt(0)!;
  if (code >= 0xdc80 && code <= 0xdcff) return 1;
  return Buffer.byteLength(character);
}
