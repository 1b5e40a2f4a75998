import { describe, expect, it } from 'vitest';
import { byteLength, decodeText, encodeText } from '../../../src/text/lines/bytes.ts';
import { fc, runs } from '../../support/property.ts';

describe('decodeText and encodeText', () => {
  it('preserve every sequence of bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const text = decodeText(bytes);
        expect(encodeText(text)).toEqual(bytes);
        expect(byteLength(text)).toBe(bytes.length);
      }),
      { numRuns: runs(5000) },
    );
  });

  it('decode valid text including the byte order mark', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const bytes = new TextEncoder().encode(`\uFEFF${text}`);
        expect(decodeText(bytes)).toBe(`\uFEFF${text}`);
      }),
    );
  });

  it.each([
    [[0x61, 0xff, 0x62], 'a\udcffb'],
    [[0xc3], '\udcc3'],
    [[0xed, 0xa0, 0x80], '\udced\udca0\udc80'],
    [[0xf4, 0x90, 0x80, 0x80], '\udcf4\udc90\udc80\udc80'],
    [[0xc0, 0x80], '\udcc0\udc80'],
  ])('keep the damaged bytes %j apart', (bytes, text) => {
    expect(decodeText(Uint8Array.from(bytes))).toBe(text);
  });
});
